"""The desk of a server from outside: a process that answers requests over HTTP, begun with the first of them.

It takes the sockets of clients from one end of a pair, which is the same for all workers of a server, and
whose other end stays open: what comes while there is nobody at the desk waits for the next one. It ends when
its standard input does.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from treewhile.server.work.served_models import ServedModels

if TYPE_CHECKING:  # what it rests on takes long to import
    from treewhile.server.connections.handovers import Desk


class DeskSettings(msgspec.Struct, frozen=True):
    """What a desk has to know; the first line of its standard input."""

    models: list[str]
    trees: str | None
    token: str | None
    origins: list[str]
    only_loopback: bool
    has_tls: bool

    @property
    def served(self) -> ServedModels:
        return ServedModels(self.models, self.trees)


class DeskProcess:
    """A desk in a process that belongs to this one."""

    def __init__(self, settings: DeskSettings) -> None:
        self._settings = settings
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._process: subprocess.Popen[bytes] | None = None
        self._leaving: list[subprocess.Popen[bytes]] = []

    def take(self, client: socket.socket) -> None:
        """Takes the socket of a client; an OSError where there is no room."""
        socket.send_fds(self._ours, [b"c"], [client.fileno()])

    def wake(self) -> None:
        """From now on there is somebody at the desk."""
        self._leaving = [one for one in self._leaving if one.poll() is None]
        if self._process is None or self._process.poll() is not None:
            self._process = self._begin()

    def renew(self) -> None:
        """Who is at the desk leaves when all is done; the next one loads all anew."""
        process, self._process = self._process, None
        if process:
            _tell_to_end(process)
            self._leaving.append(process)

    def end(self) -> None:
        """There is nobody any more, since no client waits for an answer."""
        self.renew()
        for process in self._leaving:
            process.kill()
            process.wait()
        self._ours.close()
        self._theirs.close()

    def close_for_worker(self) -> None:
        """In a worker that was forked: what is the supervisor's alone ends with that one."""
        self._theirs.close()
        for process in (self._process, *self._leaving):
            if process:
                _tell_to_end(process)

    def _begin(self) -> subprocess.Popen[bytes]:
        channel = self._theirs.fileno()
        command: Sequence[str] = [sys.executable, "-m", "treewhile.server.doors.desk", str(channel)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[channel],
            start_new_session=True,
        )
        assert process.stdin
        process.stdin.write(msgspec.json.encode(self._settings) + b"\n")
        process.stdin.flush()
        return process


class DeskOfSupervisor:
    """The desk as a worker has it: its supervisor begins the process, and ends it."""

    def __init__(self, desk: Desk, ask: Callable[[], object]) -> None:
        self._desk, self._ask = desk, ask

    def take(self, client: socket.socket) -> None:
        """Takes the socket of a client; an OSError where there is no room."""
        self._desk.take(client)

    def wake(self) -> None:
        """From now on there is somebody at the desk, unless the supervisor has no time to listen."""
        with suppress(OSError):
            self._ask()

    def renew(self) -> None:
        """The supervisor does."""

    def end(self) -> None:
        """The supervisor does."""


def _tell_to_end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    with suppress(OSError):
        process.stdin.close()
