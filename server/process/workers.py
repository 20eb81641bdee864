"""Workers as their supervisor sees them: processes, times of restarts, and listening sockets."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from treewhile.oracles.errors import InputError

STEADY_SECONDS: Final = 10.0  # a worker that dies earlier has to wait for its restart
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 15.0  # seconds
KEEP_SOCKET: Final = 1.0  # seconds of a pause in which clients may wait for the worker


class Lines:
    """Splitter of a stream of bytes into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def added(self, more: bytes) -> list[bytes]:
        """Add bytes, and return the lines that are complete now."""
        *lines, self._rest = (self._rest + more).split(b"\n")
        return lines


@dataclass(slots=True)
class Worker:
    """Worker process; `pid` is 0 while it is dead."""

    number: int
    sockets: list[socket.socket] = field(default_factory=list)
    pid: int = 0
    pipe: socket.socket | None = None
    is_ready: bool = False
    due_at: float = 0.0  # time of the restart
    _lines: Lines = field(default_factory=Lines)
    _is_mute: bool = False  # True once the pipe is closed on its side
    _began_at: float = 0.0
    _pause: float = 0.0

    def begin(self, now: float) -> socket.socket:
        """Prepare a new process, and return its end of the pipe; the caller forks."""
        self.pipe, theirs = socket.socketpair()
        self._lines = Lines()
        self._began_at, self.is_ready, self._is_mute = now, False, False
        return theirs

    def is_due(self, now: float) -> bool:
        """Return whether a dead worker has to be restarted."""
        return not self.pid and self.due_at <= now

    @property
    def is_heard(self) -> bool:
        """True if the worker may still send lines."""
        return self.pipe is not None and not self._is_mute

    def told(self) -> Sequence[bytes]:
        """Receive lines of the worker."""
        assert self.pipe
        try:
            told = self.pipe.recv(4096)
        except OSError:
            told = b""
        self._is_mute = not told
        return self._lines.added(told)

    def signal(self, number: int) -> None:
        """Send a signal to the worker, if it is alive."""
        if self.pid:
            os.kill(self.pid, number)

    def exit_code(self) -> int | None:
        """Return the exit code of a worker that has died since the last call, else None."""
        pid, status = os.waitpid(self.pid, os.WNOHANG) if self.pid else (0, 0)
        return os.waitstatus_to_exitcode(status) if pid else None

    def bury(self) -> None:
        """Note that the worker is dead."""
        if self.pipe:
            self.pipe.close()
        self.pid, self.pipe = 0, None

    def wait_for_next(self, now: float) -> float:
        """Set the time of the restart, and return the pause in seconds.

        The pause grows if a worker dies soon after its start.
        """
        is_steady = now - self._began_at >= STEADY_SECONDS
        self._pause = 0.0 if is_steady else min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
        self.due_at = now + self._pause
        if self._pause > KEEP_SOCKET:
            close_all(self.sockets)
        return self._pause


# --- listening sockets --------------------------------------------------------------------------------------

BACKLOG: Final = 1024


class Listening:
    """Port of a host, reserved until `close`, with listening sockets for workers."""

    def __init__(self, host: str, port: int) -> None:
        self._places = _places(host, port)
        self._reserve = [_bound(place) for place in self._places]
        self.port: int = self._reserve[0].getsockname()[1]

    def new_sockets(self) -> list[socket.socket]:
        """Return new sockets of one worker, one for each address of the host."""
        sockets = [_bound(place._replace(port=self.port)) for place in self._places]
        for one in sockets:
            one.listen(BACKLOG)
        return sockets

    def close(self) -> None:
        """Release the port; it is free when all workers have closed their sockets."""
        close_all(self._reserve)


def close_all(sockets: list[socket.socket]) -> None:
    """Close sockets and empty the list."""
    for one in sockets:
        one.close()
    sockets.clear()


class _Place(NamedTuple):
    family: int
    host: str
    port: int


def _places(host: str, port: int) -> list[_Place]:
    """Return the addresses of a host, all with the given port or one free port."""
    where = f"{host} port {port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        places = [*dict.fromkeys(_Place(family, str(address[0]), port) for family, _, _, _, address in found)]
        with _bound(places[0], is_shared=False) as probe:  # a shared socket could share a port in use
            free = probe.getsockname()[1]
        return [place._replace(port=free) for place in places]
    except OSError as error:
        what = f"cannot listen at {where} ({error.strerror or error})"
        raise InputError(f"{what}: choose another one") from None


def _bound(place: _Place, is_shared: bool = True) -> socket.socket:
    bound = socket.socket(place.family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if place.family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        bound.bind((place.host, place.port))
    except OSError:
        bound.close()
        raise
    return bound
