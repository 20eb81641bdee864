"""`treewhile type` in a real pseudo terminal."""

from __future__ import annotations

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest
from click.testing import CliRunner
from process_lists import children, command_line

from treewhile.server.commands import treewhile
from treewhile.server.process.own_servers import SERVE, OwnServer, own_server

fcntl = pytest.importorskip("fcntl", reason="there are no pseudo terminals")
pty = pytest.importorskip("pty", reason="there are no pseudo terminals")
termios = pytest.importorskip("termios", reason="there are no pseudo terminals")

PATIENCE = 60.0
TYPE = [sys.executable, "-m", "treewhile.server.commands", "type"]


@pytest.fixture(scope="module")
def server(model_file: Callable[..., Path]) -> Iterator[OwnServer]:
    """A real server with a tiny model."""
    model = model_file(with_spans=True, with_completeness=True)
    with own_server([*SERVE, "--model", str(model)]) as own:
        yield own


class Terminal:
    """A program in a terminal of 90 columns, and what has been written there."""

    def __init__(self, *command: str) -> None:
        self.end, far = pty.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
        self.before = termios.tcgetattr(far)
        self.process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            start_new_session=True,
            env=os.environ | {"TERM": "xterm-256color"},
        )
        self.far = far
        self.screen = pyte.Screen(90, 30)
        self.stream = pyte.ByteStream(self.screen)

    def type(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def until(self, *what: str) -> str:
        """Waits for a picture with all of this in it; the cursor is a bar."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            picture = self.picture()
            if all(one in picture for one in what):
                return picture
            if select.select([self.end], [], [], 0.1)[0]:
                self.stream.feed(os.read(self.end, 65536))
        raise AssertionError(f"{what} did not come, but {self.picture()}")

    def picture(self) -> str:
        lines, cursor = [*self.screen.display], self.screen.cursor
        line = lines[cursor.y]
        lines[cursor.y] = f"{line[: cursor.x]}▏{line[cursor.x :]}"
        return "\n".join(lines)

    def leave(self) -> int:
        code = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.far) == self.before
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.end)
        os.close(self.far)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_with(*arguments: str) -> Terminal:
        opened.append(Terminal(*TYPE, *arguments))
        return opened[-1]

    yield open_with
    for one in opened:
        one.close()


@pytest.mark.slow
def test_the_tree_grows_while_somebody_types(terminal: Callable[..., Terminal], server: OwnServer) -> None:
    screen = terminal("--url", server.url)
    screen.until("type a sentence")
    screen.type("the old ")
    screen.until("the old ▏", "of 2 words stable", "▼", "▸", "plan: ")
    screen.type("dgo")
    screen.type("\x7f\x7fog sees")
    picture = screen.until("the old dog sees▏", "of 4 words stable", "▼", "may end: ")
    assert re.search(r"may end: \d+%, has ended: \d+%", picture)
    screen.type("\x1b[H")
    screen.until("▏the old dog sees")
    screen.type("\x03")
    assert screen.leave() == 0


@pytest.mark.slow
def test_a_paste_is_taken_whole(terminal: Callable[..., Terminal], server: OwnServer) -> None:
    screen = terminal("--url", server.url)
    screen.until("type a sentence")
    screen.type("\x1b[200~the cat sees the very old dog\x1b[201~")
    screen.until("of 7 words stable")
    screen.type("\x04")
    assert screen.leave() == 0


@pytest.mark.slow
def test_a_signal_ends_it_and_the_terminal_is_as_before(
    terminal: Callable[..., Terminal], server: OwnServer
) -> None:
    screen = terminal("--url", server.url)
    screen.until("type a sentence")
    screen.process.send_signal(signal.SIGTERM)
    assert screen.leave() == 143


@pytest.mark.slow
def test_it_starts_a_server_of_its_own_and_ends_it(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    screen.until("type a sentence")
    screen.type("She saw the ")
    screen.until("of 3 words stable", "may end: ")
    screen.type("\x03")
    assert screen.leave() == 0


@pytest.mark.slow
def test_its_own_server_has_the_model_and_the_trees_that_are_asked_for(
    terminal: Callable[..., Terminal], model_file: Callable[..., Path]
) -> None:
    path = str(model_file())
    screen = terminal("--model", path, "--trees", "mh4")
    screen.until("type a sentence")
    screen.type("the old dog sees ")
    assert "may end" not in screen.until("of 4 words stable")  # this model knows nothing of it
    asked = ["serve", "--port", "0", "--model", path, "--trees", "mh4"]
    served = [command_line(child) for child in children(screen.process.pid)]
    assert any(line[3 : 3 + len(asked)] == asked for line in served), served
    screen.type("\x03")
    assert screen.leave() == 0


def test_trees_of_somebody_elses_server_are_not_ours_to_choose(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--url", "ws://127.0.0.1:1", "--trees", "mh4")
    screen.until("--trees is for a server that is started here: leave --url out.")
    assert screen.leave() == 2


@pytest.mark.slow
def test_where_no_server_is_one_line_says_so(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--url", "ws://127.0.0.1:1")
    screen.until("treewhile: nobody answers")
    assert screen.leave() == 1


def test_without_a_terminal_it_says_what_to_use() -> None:
    result = CliRunner().invoke(treewhile, ["type"])
    assert result.exit_code == 2
    assert "this needs a terminal" in result.stderr


@pytest.mark.slow
def test_phrases_are_drawn_where_they_are_asked_for(
    server: OwnServer, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal("--url", server.url, "--constituents")
    screen.until("type a sentence")
    screen.type("the dog barks ")
    assert "▼" not in screen.until("the dog", "┌", "settled after")
    screen.type("\x03")
    assert screen.leave() == 0
