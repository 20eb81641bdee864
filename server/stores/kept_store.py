"""Sessions that outlive their process: what each has received is stored before any of it is acknowledged.

What stores it is up to subclasses: `file_store` for the processes of one machine, `shared_store` for several.

A process that has stood still does not know whether another one has gone on with its sessions. It says
nothing about any of them until the store has told whose it is.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final

from treewhile.incremental.sessions.messages import Event
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.hosted.journal import Journal
from treewhile.server.hosted.records import versions
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.session_store import MemoryStore
from treewhile.server.stores.takeovers import Taken, key_of

STILL_SECONDS: Final = 2.0  # without a sign of life; its clients may have gone elsewhere since then

MakeSession = Callable[[str, str], HostedSession | None]  # of a model, with a token


class KeptStore(MemoryStore, ABC):
    """Sessions that other processes can take over; those of this one are in memory, too."""

    def __init__(self, seconds: float, most_waiting: int, make_session: MakeSession, log: Log) -> None:
        super().__init__(seconds, most_waiting)
        self._make_session, self._log = make_session, log
        self._by_key: dict[bytes, HostedSession] = {}
        self._finding: dict[str, asyncio.Task[HostedSession | None]] = {}
        self._alive_at, self._standstills = perf_counter(), 0
        self._doubted: dict[bytes, int] = {}  # sessions that may be lost, and since which standstill

    # --- for subclasses -------------------------------------------------------------------------------------

    @property
    def _keeps(self) -> bool:
        """Whether new sessions are kept."""
        return True

    @abstractmethod
    def _write(self, session: HostedSession, key: bytes, number: int, event: Event) -> None:
        """An event is to be stored, with its number."""

    def _note_leaving(self, key: bytes) -> None:
        """Nobody is connected to a session any more."""

    @abstractmethod
    def _delete(self, key: bytes) -> None:
        """A session is over."""

    @abstractmethod
    def _ask_after(self, keys: Iterable[bytes]) -> None:
        """The store is to be asked whose these sessions are: `_lose` or `_trust` follows for each."""

    @abstractmethod
    async def _take(self, token: str) -> Taken | None:
        """Makes a session this process's own, if there is one."""

    # --- as any store ---------------------------------------------------------------------------------------

    def add(self, session: HostedSession) -> None:
        super().add(session)
        if self._keeps:
            self._keep(session)

    async def find(self, token: str) -> HostedSession | None:
        if token not in self._finding:
            self._finding[token] = finding = asyncio.create_task(self._find(token))
            finding.add_done_callback(lambda _: self._finding.pop(token))
        return await asyncio.shield(self._finding[token])

    def leave(self, session: HostedSession) -> None:
        super().leave(session)
        if _is_written(session):
            self._note_leaving(key_of(session.token))

    def expire(self, now: float) -> None:
        self._show_life()
        super().expire(now)

    def remove(self, session: HostedSession) -> None:
        self._forget(session)
        if _is_written(session):
            self._delete(key_of(session.token))

    @property
    def behind(self) -> int:
        journals = [session.journal for session in [*self._by_key.values()]]
        return sum(journal is not None and journal.is_behind for journal in journals)

    # --- sessions -------------------------------------------------------------------------------------------

    def _keep(self, session: HostedSession, number: int = 0) -> None:
        key = key_of(session.token)

        def write(number: int, event: Event) -> None:
            self._write(session, key, number, event)

        self._by_key[key] = session
        documents = (held.document for held in session.held)
        session.journal = Journal(write, number, documents, lambda: self._is_sure_of(key))

    def _forget(self, session: HostedSession) -> None:
        super().remove(session)
        self._by_key.pop(key_of(session.token), None)
        self._doubted.pop(key_of(session.token), None)

    async def _find(self, token: str) -> HostedSession | None:
        session = await super().find(token)
        if session and session.reader:
            session.reader.give_up()  # nothing may come while the store finds out whether all is written
        if session and not _is_written(session):
            return session
        taken = await self._take(token)
        if taken and taken.events is None:
            return self._sessions.get(token)
        if session and self._sessions.get(token) is session:
            if not _is_written(session):  # it has been given up meanwhile
                return session
            self._forget(session)
        return await self._restored(token, taken) if taken else None

    async def _restored(self, token: str, taken: Taken) -> HostedSession | None:
        """A session from what was written of it, or none at all."""
        session = self._make_session(taken.model, token)
        try:
            is_whole = session is not None and await asyncio.to_thread(_replay, session, taken)
        except Exception as error:
            self._log.error("a session could not be restored", error=place_of(error))
            is_whole = False
        if session is None or not is_whole:
            self._delete(key_of(token))
            return None
        super().add(session)
        if self._keeps:
            self._keep(session, taken.number)
        return session

    def _make_durable(self, key: bytes, number: int) -> None:
        session = self._by_key.get(key)
        if session and session.journal:
            session.journal.make_durable(number)
            session.wake_reader()

    def _lose(self, key: bytes) -> None:
        """Another process goes on with a session."""
        session = self._by_key.get(key)
        if session:
            reader = session.reader
            self._forget(session)
            if reader:
                reader.give_up()

    def _stop(self, key: bytes) -> None:
        """A session is kept no longer."""
        session = self._by_key.pop(key, None)
        self._doubted.pop(key, None)
        if session and session.journal:
            session.journal.end()
            session.wake_reader()

    # --- standing still -------------------------------------------------------------------------------------

    def _is_sure_of(self, key: bytes) -> bool:
        """Whether a session is still this process's own, as far as it can know."""
        self._show_life()
        return key not in self._doubted

    def _show_life(self) -> None:
        """Notices that the process has stood still, and asks the store what it has lost meanwhile."""
        now = perf_counter()
        silence, self._alive_at = now - self._alive_at, now
        if silence <= STILL_SECONDS:
            return
        self._standstills += 1
        doubted = [key for key, session in self._by_key.items() if _is_written(session)]
        self._doubted |= dict.fromkeys(doubted, self._standstills)
        what = "this server stood still; its sessions wait until the store says whose they are"
        self._log.warning(what, seconds=round(silence, 1), sessions=len(doubted))
        self._ask_after(doubted)

    def _trust(self, key: bytes, standstills: int) -> None:
        """The store, asked after so many standstills, says that a session is still this process's own."""
        session = self._by_key.get(key)
        if session and self._doubted.get(key, standstills + 1) <= standstills:
            del self._doubted[key]
            session.wake_reader()


def _is_written(session: HostedSession) -> bool:
    """Whether anything of it may be stored, and all of it will be."""
    journal = session.journal
    return journal is not None and not journal.is_over and journal.received > 0


def _replay(session: HostedSession, taken: Taken) -> bool:
    """Whether the events have made of it what they made before."""
    events = taken.events or ()
    session.replay(events)
    session.epoch = taken.epoch
    return {held.document: held.version for held in session.held} == versions(events)
