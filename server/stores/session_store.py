"""Where sessions are found by their tokens, those without a socket for a time."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from treewhile.server.errors import ServiceError
from treewhile.server.hosted.hosted_session import HostedSession


class NotFoundYetError(ServiceError):
    """Nobody knows for now whether there is such a session: ask again."""


class SessionStore(Protocol):
    """The sessions that a client can come back to. All methods are called on the loop."""

    def add(self, session: HostedSession) -> None:
        """A session has begun."""

    async def find(self, token: str) -> HostedSession | None:
        """The session of a token, all of it or none; from now on it has a socket, or has one still.

        A NotFoundYetError where that cannot be said for now.
        """

    def leave(self, session: HostedSession) -> None:
        """The socket of a session is gone."""

    def remove(self, session: HostedSession) -> None:
        """A session has ended."""

    def expire(self, now: float) -> None:
        """Ends sessions that have waited for too long."""

    async def close(self) -> None:
        """The server ends; whether sessions outlive it is up to the store."""

    def __len__(self) -> int:
        """How many there are in this process."""

    @property
    def behind(self) -> int:
        """How many of them wait until what has come is stored; may be asked in any thread."""


class MemoryStore:
    """Sessions of this process; those that have waited longest make room for others."""

    def __init__(self, seconds: float, most_waiting: int) -> None:
        self._seconds, self._most_waiting = seconds, most_waiting
        self._sessions: dict[str, HostedSession] = {}
        self._waiting: OrderedDict[str, HostedSession] = OrderedDict()

    def add(self, session: HostedSession) -> None:
        self._sessions[session.token] = session

    async def find(self, token: str) -> HostedSession | None:
        self._waiting.pop(token, None)
        return self._sessions.get(token)

    def leave(self, session: HostedSession) -> None:
        if session.token in self._sessions:
            self._waiting[session.token] = session
            while len(self._waiting) > self._most_waiting:
                self._end_oldest()

    def remove(self, session: HostedSession) -> None:
        self._sessions.pop(session.token, None)
        self._waiting.pop(session.token, None)
        session.end()

    def expire(self, now: float) -> None:
        while self._waiting and now - next(iter(self._waiting.values())).left_at >= self._seconds:
            self._end_oldest()

    async def close(self) -> None:
        for session in [*self._sessions.values()]:
            self.remove(session)

    def _end_oldest(self) -> None:
        self.remove(next(iter(self._waiting.values())))

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def behind(self) -> int:
        return 0
