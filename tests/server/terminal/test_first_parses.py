from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from treewhile.incremental import load_model
from treewhile.oracles.kernel_sources import folder_of
from treewhile.server.commands.parse import analyses_of
from treewhile.server.process.compiling_process import NEEDED, NEEDED_IN, is_parsing_compiled
from treewhile.server.terminal.analysis_views import as_json
from treewhile.server.terminal.first_parses import NOT_LONG, SHORT

PARSE = [sys.executable, "-m", "treewhile.server.commands", "parse"]
TEXTS = (
    "Peter drives a red car.",
    "Peter drives a red",
    "Didn't she say, in 1995, that naïve people (like us) could not? Well: they can't.",
    "The committee, which nobody had elected, decided that all of the letters that came from its members "
    "should be read aloud before anybody else was allowed to speak about the new rules. Nobody did.",
)


@pytest.mark.slow
@pytest.mark.parametrize("trees", [None, "mh4"])
@pytest.mark.parametrize("text", TEXTS)
def test_without_compiling_the_answer_is_the_same(text: str, trees: str | None, tmp_path: Path) -> None:
    assert len(text.split()) <= NOT_LONG
    options = [] if trees is None else ["--trees", trees]
    done = subprocess.run(
        [*PARSE, "--json", *options, text],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    compiled = analyses_of(load_model("en", trees), text)
    assert done.stdout == "".join(json.dumps(as_json(*one), ensure_ascii=False) + "\n" for one in compiled)
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_a_text_of_many_words_waits_until_the_parser_is_compiled_and_says_so(tmp_path: Path) -> None:
    text = "The dog barks and the cat sees it. " * (NOT_LONG // 8 + 1)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for said in ("treewhile: compiling the parser, once\n", ""):
        done = subprocess.run(
            [*PARSE, "--json", "--trees", "mh4", text],
            capture_output=True,
            text=True,
            env=environment,
            timeout=900,
        )
        assert (done.returncode, done.stderr) == (0, said)
        assert done.stdout.count("\n") == text.count(".")


def test_all_kernels_that_are_looked_for_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not is_parsing_compiled()
    folder = with_kernels(NEEDED, tmp_path, ())
    assert is_parsing_compiled()
    with_kernels(NEEDED_IN["mh4"], tmp_path, ["mh4"])
    assert is_parsing_compiled(["projective", "mh4"])
    folder.rename(tmp_path / "of-another-version")
    assert not is_parsing_compiled()


def with_kernels(needed: Mapping[str, Sequence[str]], place: Path, classes: Sequence[str]) -> Path:
    """The last of the folders that are made as if these kernels were compiled, without which no parse is."""
    for module, names in needed.items():
        folder = folder_of(module, place)
        folder.mkdir()
        for name in names:
            assert not is_parsing_compiled(classes)
            assert callable(getattr(import_module(module), name))
            (folder / f"{module.rpartition('.')[2]}.{name}-1.py311.nbi").touch()
    return folder


# --- for the next time --------------------------------------------------------------------------------------


def compiling_later(folder: Path) -> list[int]:
    """The processes that compile where nobody waits for it, and that were begun with this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            is_one = b"--detached" in path.read_bytes().split(b"\0")
            if is_one and str(folder).encode() in (path.parent / "environ").read_bytes():
                found.append(int(path.parent.name))
    return found


def leaders(folder: Path) -> set[int]:
    """Those of these processes that were begun by a command: each has a session of its own."""
    found = set()
    for pid in compiling_later(folder):
        with contextlib.suppress(ProcessLookupError):
            found.add(os.getsid(pid))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """For the cache and the lock of processes that end with the test."""
    yield tmp_path
    while left := compiling_later(tmp_path):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def parse_at_terminal(folder: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "TMPDIR": str(folder)}
    try:
        subprocess.run(
            [*PARSE, "a dog"], stdout=theirs, stderr=theirs, env=environment, check=True, timeout=60
        )
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.slow
def test_who_sits_at_a_terminal_finds_it_compiled_later_by_one_process(folder: Path) -> None:
    parse_at_terminal(folder)
    while not [*folder.glob("*/*.nbi")]:  # it has the lock, and has begun
        assert compiling_later(folder)
        time.sleep(0.05)
    [leader] = leaders(folder)
    parse_at_terminal(folder)
    while len(leaders(folder)) > 1:  # the other one looks at the lock
        time.sleep(0.05)
    assert leader in compiling_later(folder)
    os.kill(leader, signal.SIGKILL)
    while compiling_later(folder):  # its helpers end with it
        time.sleep(0.05)


@pytest.mark.slow
def test_without_a_terminal_nothing_goes_on_behind_anybodys_back(folder: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "TMPDIR": str(folder)}
    text = " ".join(["a dog"] * (SHORT // 2))
    subprocess.run([*PARSE, text], env=environment, capture_output=True, check=True, timeout=60)
    assert not compiling_later(folder)
    assert not [*folder.iterdir()]
