from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

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
    sys.stdin.readline()
"""


STEPS = """
import sys
from treewhile.server.terminal import progress_bars
progress_bars.SECONDS_BEFORE = 0
with progress_bars.steps_bar("learning") as show:
    for done in (1, 30):
        show(done, 40)
        sys.stdin.readline()
"""


def on_a_terminal(*arguments: object, code: str = SLOW, until: Sequence[str] = ()) -> str:
    """What a slow reader, or other code, shows on a terminal that is its standard error.

    It goes on after each of its stops when something is there.
    """
    terminal, other_end = os.openpty()
    command = [sys.executable, "-c", code, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": other_end}
    with subprocess.Popen(command, env={**os.environ, "TERM": "xterm"}, **pipes) as process:
        os.close(other_end)
        shown = b""
        for what in until:
            while what.encode() not in shown:
                chunk = read_terminal(terminal)
                assert chunk, f"{what} was not shown"
                shown += chunk
            process.stdin.write(b"\n")
            process.stdin.flush()
        process.stdin.close()
        while chunk := read_terminal(terminal):
            shown += chunk
        assert process.stdout.read() == b""
    os.close(terminal)
    assert process.returncode == 0
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
    shown = on_a_terminal(0, treebank, until=["/23.0 kB"])
    assert "[red]reading" in shown
    assert shown.endswith("\x1b[2K")  # the line is empty


def test_what_is_done_soon_shows_no_bar(treebank: str) -> None:
    assert on_a_terminal(60, treebank) == ""


def test_a_bar_can_be_hidden(treebank: str) -> None:
    assert on_a_terminal(0, treebank, "hidden") == ""


def test_a_bar_of_steps_shows_how_many_of_them_are_done() -> None:
    shown = on_a_terminal(code=STEPS, until=[" 1/40", "30/40"])
    assert "learning" in shown


def test_there_is_no_bar_without_a_terminal(treebank: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW, "0", treebank], input=b"", capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_sentences_come_as_they_are(treebank: str) -> None:
    assert [str(sentence) for sentence in read_with_progress(treebank, "reading")] == [SENTENCE] * 1000
