"""Kernels that are plain at first, and are replaced by built or compiled ones: analyses are the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from treewhile.oracles.prebuilt.library import TABLE, folders, library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        library() is None and shutil.which("c++") is None, reason="there is no C++ compiler to build with"
    ),
]

ANALYSES = """
import sys
from treewhile.incremental import load_model, warm_up
from treewhile.oracles import compilation
from treewhile.oracles.prebuilt import background
from treewhile.server.commands.parse import Parser, analyses_of
from treewhile.server.terminal.analysis_views import as_json

first, text, *models = sys.argv[1:]
if first == "warmed up":
    warm_up()
elif first == "plain":
    background.begin = lambda replace: None
for name in models:
    for found in analyses_of(Parser(load_model(*name.split(","))), text):
        print(as_json(*found))
print(compilation.are_kernels_plain(), "numba" in sys.modules, file=sys.stderr)
"""
# Kernels are replaced one after the other, in any order, while documents grow.
REPLACING = """
import random, shutil, sys
from treewhile.incremental import load_model
from treewhile.incremental.building.warming import LEVELS, run_level
from treewhile.oracles import compilation
from treewhile.oracles.prebuilt import background

folder, place, seed = sys.argv[1:]
background.begin = lambda replace: None
models = [load_model(name) for name in ("en", "nl")]
for model in models:
    for level in LEVELS:
        run_level(model, level)
assert compilation.are_kernels_plain()
shutil.copytree(folder, place)
compilation.library.cache_clear()
library = compilation.library()
left = [*compilation.plain_at_first]
random.Random(int(seed)).shuffle(left)
while left:
    for waiting in [left.pop() for _ in range(min(4, len(left)))]:
        waiting.replace(compilation._built(waiting.deferred, library))
    for level in LEVELS:
        run_level(models[len(left) % 2], level)
assert not compilation.are_kernels_plain()
print("numba" in sys.modules)
"""
MODELS = ("en", "af", "nl", "en,mh4")
TEXT = (
    "The old dog that Peter sees barks. Didn't she say, in 1995, that naïve people could not? "
    "Well: they can't! A hearing is scheduled on the issue today. De hond die Piet ziet blaft."
)


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=900, check=True
    )


@cache
def built() -> str:
    done = run(ANALYSES, "built", TEXT, *MODELS)
    assert done.stderr == "False False\n"
    assert done.stdout.count("\n") > 18
    return done.stdout


def test_plain_kernels_find_the_same_trees(tmp_path: Path) -> None:
    done = run(ANALYSES, "plain", TEXT, *MODELS, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stderr == "True False\n"
    assert done.stdout == built()


@pytest.mark.parametrize("seed", ["1", "2"])
def test_kernels_may_be_replaced_in_any_order_and_take_what_others_give(seed: str, tmp_path: Path) -> None:
    folder = next(one for one in folders() if (one / TABLE).is_file())
    place = tmp_path / folder.name
    done = run(REPLACING, str(folder), str(place), seed, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "False\n"


def test_without_a_c_compiler_numba_compiles_the_same_once(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "CC": "no-such-compiler"}
    done = run(ANALYSES, "warmed up", TEXT, *MODELS, **environment)
    assert done.stderr == "False True\n"
    assert done.stdout == built()
    kept = {*tmp_path.rglob("*.nbc")}
    assert kept
    assert run(ANALYSES, "warmed up", TEXT, *MODELS, **environment).stdout == built()
    assert {*tmp_path.rglob("*.nbc")} == kept
