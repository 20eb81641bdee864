"""Kernels compiled from nothing: the parts of a level are all of it, and results those of built kernels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.oracles.prebuilt.library import library
from treewhile.oracles.trees.class_names import OF_PREFIXES

# One process compiles at a time, and its folder serves all tests.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("compiled from nothing")]

JUDGE = """
import sys
from treewhile.incremental import load_model
from treewhile.incremental.compiling import parts_for, run_level
from treewhile.oracles.watched_compilation import NotCompiledError, from_cache

model = load_model(*sys.argv[1:])
for level in ("L0", "L1"):
    try:
        with from_cache():
            run_level(model, level)
        sys.exit(f"{level} is there before it was compiled")
    except NotCompiledError:
        pass
    for part in parts_for([model.trees]):
        if part.level == level:
            part.run(model)
    with from_cache():
        run_level(model, level)
"""
ANALYSES = """
import sys
from treewhile.incremental import load_model
from treewhile.server.commands.parse import analyses_of
from treewhile.server.terminal.analysis_views import as_json

text, *models = sys.argv[1:]
for name in models:
    for found in analyses_of(load_model(*name.split(",")), text):
        print(as_json(*found))
print("numba" in sys.modules, file=sys.stderr)
"""
MODELS = {"projective": ["en", "af"], "mh4": ["nl", "en,mh4"]}
TEXT = (
    "The old dog that Peter sees barks. Didn't she say, in 1995, that naïve people could not? "
    "Well: they can't! A hearing is scheduled on the issue today. De hond die Piet ziet blaft."
)


@pytest.fixture(scope="module", params=OF_PREFIXES)
def trees(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(trees: str, model_file: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a class of trees has been compiled, part by part."""
    folder = tmp_path_factory.mktemp(trees)
    done = run(JUDGE, str(model_file()), trees, environment={"NUMBA_CACHE_DIR": str(folder)})
    assert (done.stdout, done.stderr) == ("", "")
    return folder


def run(script: str, *arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    environment = {**os.environ, **environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=True)


def test_the_parts_of_a_level_compile_all_that_it_runs_on(folder: Path) -> None:
    assert [*folder.glob("*/*.nbi")]


@pytest.mark.skipif(
    library() is None and shutil.which("c++") is None, reason="there is no C++ compiler to build kernels with"
)
def test_analyses_are_those_of_built_kernels_to_the_last_bit(folder: Path, trees: str) -> None:
    built = run(ANALYSES, TEXT, *MODELS[trees], environment={})
    compiled = run(ANALYSES, TEXT, *MODELS[trees], environment={"NUMBA_CACHE_DIR": str(folder)})
    assert built.stdout.count("\n") > 9
    assert built.stdout == compiled.stdout
    assert (built.stderr, compiled.stderr) == ("False\n", "True\n")


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler to build kernels with")
def test_what_compiles_for_a_server_builds_kernels_for_the_next_one(folder: Path, trees: str) -> None:
    if trees != "mh4":
        pytest.skip("once is enough")
    script = "from treewhile.oracles.prebuilt.library import is_built; print(is_built())"
    environment = {"NUMBA_CACHE_DIR": str(folder)}
    assert run(script, environment=environment).stdout == "False\n"
    command = [sys.executable, "-m", "treewhile.server.process.compiling", "en", "--trees=mh4"]
    subprocess.run(
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert run(script, environment=environment).stdout == "True\n"
    assert not [*folder.glob("building-*")]
