from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_runs import PROCESS
from process_lists import builders

from treewhile.incremental import load_model
from treewhile.server.commands.parse import BUILDING, NOT_LONG, Parser, analyses_of
from treewhile.server.terminal.analysis_views import as_json

PARSE = [*PROCESS, "parse"]
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
    compiled = analyses_of(Parser(load_model("en", trees)), text)
    assert done.stdout == "".join(json.dumps(as_json(*one), ensure_ascii=False) + "\n" for one in compiled)
    assert not [*tmp_path.iterdir()]


# --- for the next time --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder for kernels; what builds there ends with the test."""
    yield tmp_path
    while left := builders(tmp_path, "--detached"):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def parse_at_terminal(folder: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    try:
        subprocess.run(
            [*PARSE, "a dog"], stdout=theirs, stderr=theirs, env=environment, check=True, timeout=60
        )
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.slow
def test_who_sits_at_a_terminal_finds_kernels_built_later_by_one_process(folder: Path) -> None:
    parse_at_terminal(folder)
    while not [*folder.glob("building-*")]:  # it has the lock, and has begun
        assert builders(folder, "--detached")
        time.sleep(0.05)
    [first] = builders(folder, "--detached")
    parse_at_terminal(folder)
    while len(builders(folder, "--detached")) < 2:
        time.sleep(0.05)
    time.sleep(1)
    assert len([*folder.glob("building-*")]) == 1, "the second waits for the first"
    assert first in builders(folder, "--detached")


@pytest.mark.slow
def test_without_a_terminal_nothing_goes_on_behind_anybodys_back(folder: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    text = " ".join(["a dog"] * (NOT_LONG // 5))
    subprocess.run([*PARSE, text], env=environment, capture_output=True, check=True, timeout=60)
    assert not builders(folder, "--detached")
    assert not [*folder.iterdir()]


@pytest.mark.slow
def test_files_are_parsed_while_kernels_are_built_and_the_building_goes_on(folder: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [*PARSE, "-"], input=b"The dog barks.\n", env=environment, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.count(b"\n") > 4
    assert done.stderr.decode() == f"treewhile: {BUILDING}\n"
    assert builders(folder, "--detached")
