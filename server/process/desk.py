"""Handle of the desk, a separate process that answers HTTP requests and starts with the first of them.

The process receives sockets of clients over a socket pair that all workers of a server share. Both ends stay
open in the server, so that sockets wait for the next process if none is running. The process ends with its
standard input.
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

if TYPE_CHECKING:  # slow to import
    from treewhile.server.connections.handovers import Desk


class DeskSettings(msgspec.Struct, frozen=True):
    """Settings of the desk process, the first line of its standard input."""

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
    """Desk process that is a child of this process."""

    def __init__(self, settings: DeskSettings) -> None:
        self._settings = settings
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._process: subprocess.Popen[bytes] | None = None
        self._leaving: list[subprocess.Popen[bytes]] = []

    def take(self, client: socket.socket) -> None:
        """Send the socket of a client; raise OSError if the queue is full."""
        socket.send_fds(self._ours, [b"c"], [client.fileno()])

    def wake(self) -> None:
        """Start the process unless it is running."""
        self._leaving = [one for one in self._leaving if one.poll() is None]
        if self._process is None or self._process.poll() is not None:
            self._process = self._begin()

    def renew(self) -> None:
        """Let the process end after its present work; the next one loads everything again."""
        process, self._process = self._process, None
        if process:
            _tell_to_end(process)
            self._leaving.append(process)

    def end(self) -> None:
        """Kill the process; no client waits for an answer any more."""
        self.renew()
        for process in self._leaving:
            process.kill()
            process.wait()
        self._ours.close()
        self._theirs.close()

    def close_for_worker(self) -> None:
        """Close, in a forked worker, the descriptors that belong to the supervisor alone."""
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
    """Desk in a worker: the supervisor starts and ends the process."""

    def __init__(self, desk: Desk, ask: Callable[[], object]) -> None:
        self._desk, self._ask = desk, ask

    def take(self, client: socket.socket) -> None:
        """Send the socket of a client; raise OSError if the queue is full."""
        self._desk.take(client)

    def wake(self) -> None:
        """Ask the supervisor to start the process, unless the pipe is full."""
        with suppress(OSError):
            self._ask()

    def renew(self) -> None:
        """Do nothing, since the supervisor renews the process."""

    def end(self) -> None:
        """Do nothing, since the supervisor ends the process."""


def _tell_to_end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    with suppress(OSError):
        process.stdin.close()
