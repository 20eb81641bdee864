from __future__ import annotations

import os
import subprocess
import sys

import pytest

from treewhile.server.terminal.progress_bars import read_with_progress

SENTENCE = "1\tx\t_\tX\t_\t_\t0\tdep\t_\t_\n\n"
SLOW = """
import sys, time
from contextlib import closing
from treewhile.server.terminal import progress_bars
progress_bars.SECONDS_BEFORE = float(sys.argv[1])
sentences = progress_bars.read_with_progress(sys.argv[2], "[red]reading", hidden=len(sys.argv) > 3)
with closing(sentences):
    next(sentences)
    time.sleep(0.5)
"""


STEPS = """
import time
from treewhile.server.terminal import progress_bars
progress_bars.SECONDS_BEFORE = 0
with progress_bars.steps_bar("learning") as show:
    show(1, 40)
    time.sleep(0.5)
    show(30, 40)
    time.sleep(0.5)
"""


def on_a_terminal(*arguments: object, code: str = SLOW) -> str:
    """What a slow reader, or other code, shows on a terminal that is its standard error."""
    terminal, other_end = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        stderr=other_end,
        stdout=subprocess.PIPE,
        env=environment,
    )
    os.close(other_end)
    assert (done.returncode, done.stdout) == (0, b"")
    shown = b""
    while chunk := read_terminal(terminal):
        shown += chunk
    os.close(terminal)
    return shown.decode()


def read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1000)
    except OSError:  # so it tells that nobody is at the other end any more
        return b""


@pytest.fixture
def treebank(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("data") / "in"
    path.write_text(SENTENCE * 1000)
    return str(path)


def test_a_bar_shows_the_bytes_read_and_goes_again(treebank: str) -> None:
    shown = on_a_terminal(0, treebank)
    assert "[red]reading" in shown
    assert "/23.0 kB" in shown
    assert shown.endswith("\x1b[2K")  # the line is empty


def test_what_is_done_soon_shows_no_bar(treebank: str) -> None:
    assert on_a_terminal(60, treebank) == ""


def test_a_bar_can_be_hidden(treebank: str) -> None:
    assert on_a_terminal(0, treebank, "hidden") == ""


def test_a_bar_of_steps_shows_how_many_of_them_are_done() -> None:
    shown = on_a_terminal(code=STEPS)
    assert "learning" in shown
    assert " 1/40" in shown
    assert "30/40" in shown


def test_there_is_no_bar_without_a_terminal(treebank: str) -> None:
    done = subprocess.run([sys.executable, "-c", SLOW, "0", treebank], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_sentences_come_as_they_are(treebank: str) -> None:
    assert [str(sentence) for sentence in read_with_progress(treebank, "reading")] == [SENTENCE] * 1000
