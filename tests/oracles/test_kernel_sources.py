from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.oracles import kernel_sources
from treewhile.oracles.kernel_sources import LONGEST_UNUSED, digest_of, folder_of, remove_unused

KERNEL = """from treewhile.helpers import twice
from treewhile.oracles.compilation import kernel

@kernel
def answer(n):
    return twice(n)
"""
HELPER = """from treewhile.numbers import TWO
from treewhile.oracles.compilation import helper

@helper
def twice(n):
    return TWO * n
"""
ASK = """
import sys
from pathlib import Path
import treewhile
from treewhile.oracles import kernel_sources
folder = Path(sys.argv[1])
treewhile.__path__ = [*treewhile.__path__, str(folder)]
file_of = kernel_sources.file_of
def first_here(name):
    here = folder / f"{name.rpartition('.')[2]}.py"
    return here if here.exists() else file_of(name)
kernel_sources.file_of = first_here
from treewhile.doubling import answer
print(answer(21), sum(answer.stats.cache_hits.values()))
"""


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., str]:
    """Asks a kernel in a new process, after sources were written."""

    def run(**sources: str) -> str:
        for name, text in sources.items():
            (tmp_path / f"{name}.py").write_text(text)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # it does not notice an edit within a second
        command = [sys.executable, "-c", ASK, str(tmp_path)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=120
        ).stdout.strip()

    return run


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_an_edit_to_anything_that_a_kernel_rests_on_is_noticed(ask: Callable[..., str]) -> None:
    assert ask(doubling=KERNEL, helpers=HELPER, numbers="TWO = 2\n") == "42 0"
    assert ask() == "42 1"
    assert ask(numbers="TWO = 20\n") == "420 0"
    assert ask(helpers=HELPER.replace("* n", "* n + 1")) == "421 0"
    assert ask(numbers="TWO = 2\n", helpers=HELPER) == "42 1"


def test_modules_that_rest_on_the_same_sources_have_folders_of_their_own(tmp_path: Path) -> None:
    names = ("treewhile.oracles.kernels.heads", "treewhile.incremental.parsers.kernels.steps")
    assert len({folder_of(name, tmp_path) for name in names}) == len(names)
    assert digest_of(names[0]) == digest_of(names[0])
    assert "treewhile.oracles.compilation" in kernel_sources.sources_of(names[0])


def test_what_other_versions_left_is_removed_when_it_is_old(tmp_path: Path) -> None:
    new, recent, old, other = (tmp_path / name for name in ("a.b-3", "a.b-2", "a.b-1", "a.c-1"))
    for folder in (new, recent, old, other):
        folder.mkdir()
    for folder in (new, old, other):
        os.utime(folder, (0, recent.stat().st_mtime - LONGEST_UNUSED - 1))
    remove_unused(new)
    assert {*tmp_path.iterdir()} == {new, recent, other}


def test_sources_are_found_wherever_the_packages_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of("treewhile.oracles.kernels.heads")
    copied = shutil.copytree(kernel_sources.ROOT / "oracles", tmp_path / "oracles")
    monkeypatch.setattr(kernel_sources, "ROOT", copied.parent)
    for function in (kernel_sources.digest_of, kernel_sources.imported_by, kernel_sources.text_of):
        function.cache_clear()
    assert digest_of("treewhile.oracles.kernels.heads") == before
