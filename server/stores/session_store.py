"""Store of sessions in memory, which finds them by their tokens; other stores are made from it."""

from __future__ import annotations

from collections import OrderedDict

from treewhile.server.errors import ServiceError
from treewhile.server.hosted.hosted_session import HostedSession


class NotFoundYetError(ServiceError):
    """Error of a store that cannot say at present whether a session exists: ask again."""


class MemoryStore:
    """Store of the sessions that clients can resume; all methods are called on the event loop.

    This one is in memory. Beyond a limit, the session that has waited longest ends.
    """

    def __init__(self, seconds: float, most_waiting: int) -> None:
        self._seconds, self._most_waiting = seconds, most_waiting
        self._sessions: dict[str, HostedSession] = {}
        self._waiting: OrderedDict[str, HostedSession] = OrderedDict()

    def add(self, session: HostedSession) -> None:
        """Add a new session."""
        self._sessions[session.token] = session

    async def find(self, token: str) -> HostedSession | None:
        """Return the session of a token, complete or not at all, and stop its expiry.

        Raise NotFoundYetError if the store cannot say at present, InputError if a model cannot be loaded.
        """
        self._waiting.pop(token, None)
        return self._sessions.get(token)

    def leave(self, session: HostedSession) -> None:
        """Note that a session has lost its socket."""
        if session.token in self._sessions:
            self._waiting[session.token] = session
            while len(self._waiting) > self._most_waiting:
                self._end_oldest()

    def remove(self, session: HostedSession) -> None:
        """Remove a session that has ended."""
        self._sessions.pop(session.token, None)
        self._waiting.pop(session.token, None)
        session.end()

    def expire(self, now: float) -> None:
        """End sessions that have waited too long."""
        while self._waiting and now - next(iter(self._waiting.values())).left_at >= self._seconds:
            self._end_oldest()

    async def close(self) -> None:
        """Close the store at the end of the server; some stores keep their sessions."""
        for session in [*self._sessions.values()]:
            self.remove(session)

    def _end_oldest(self) -> None:
        self.remove(next(iter(self._waiting.values())))

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def behind(self) -> int:
        """Number of sessions with events that are not stored yet; may be read in any thread."""
        return 0
