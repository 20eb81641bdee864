"""Store of sessions on a shelf, where they outlive their process.

Each change of a session is stored before it is acknowledged. The sessions of this process are in memory, too:
`row_writer` writes them to the shelf, and `neighbours` takes those of other processes over.

A process that stood still cannot know whether another process has taken its sessions over. It sends no
message of a session until the shelf has confirmed the owner of that session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter
from typing import Final

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.hosted.journal import Journal
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.neighbours import OWN, Neighbours
from treewhile.server.stores.patient_shelf import SHORTEST_WAIT, PatientShelf
from treewhile.server.stores.records import Record, key_of, versions
from treewhile.server.stores.row_writer import RowWriter
from treewhile.server.stores.session_store import MemoryStore
from treewhile.server.stores.shelves import AwayError, Shelf

STILL_SECONDS: Final = 2.0  # without activity; clients may have moved to another process since then

MakeSession = Callable[[Record, str], Awaitable[HostedSession | None]]  # an empty one, with a token


class KeptStore(MemoryStore):
    """Store of sessions that other processes can take over.

    standstills   number of times that this process stood still
    """

    def __init__(
        self, shelf: Shelf, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting)
        self._make_session, self._log = make_session, log
        self._by_key: dict[bytes, HostedSession] = {}
        self._finding: dict[str, asyncio.Task[HostedSession | None]] = {}
        self._alive_at, self.standstills = perf_counter(), 0
        self._doubted: dict[bytes, int] = {}  # sessions that may be lost, with the number of the standstill
        self._shelf = PatientShelf(shelf, log, self._stop_all)
        self._rows = RowWriter(self._shelf, self, log)
        self._neighbours = Neighbours(self._shelf, self._rows, seconds, log)
        doing = (self._rows.keep_writing, self._neighbours.keep_looking)
        self._tasks = [asyncio.create_task(one()) for one in doing]

    # --- as in memory ---------------------------------------------------------------------------

    def add(self, session: HostedSession) -> None:
        super().add(session)
        if self._shelf.is_well:
            self._keep(session)

    async def find(self, token: str) -> HostedSession | None:
        if token not in self._finding:
            self._finding[token] = finding = asyncio.create_task(self._find(token))
            finding.add_done_callback(lambda _: self._finding.pop(token))
        return await asyncio.shield(self._finding[token])

    def expire(self, now: float) -> None:
        self._show_life()
        super().expire(now)

    def remove(self, session: HostedSession) -> None:
        self._forget(session)
        if _is_written(session):
            self._rows.delete(key_of(session.token))

    async def close(self) -> None:
        """Write the remaining changes and forget all sessions; they stay on the shelf."""
        self._shelf.ending.set()
        self._rows.stir()
        await asyncio.wait(self._tasks, timeout=SHORTEST_WAIT)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(AwayError, TimeoutError):
            async with asyncio.timeout(SHORTEST_WAIT):
                await self._shelf.insisting(self._rows.write_all)
        with suppress(AwayError):
            await self._shelf.shelf.close()
        for session in [*self._sessions.values()]:
            self._forget(session)

    @property
    def behind(self) -> int:
        journals = [session.journal for session in [*self._by_key.values()]]
        return sum(journal is not None and journal.is_behind for journal in journals)

    # --- sessions -------------------------------------------------------------------------------------------

    def _keep(self, session: HostedSession, number: int = 0) -> None:
        key, model = key_of(session.token), session.engine.name

        def write(number: int, event: Event) -> None:
            self._rows.write(key, number, event, model)

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
            session.reader.give_up()  # no event may arrive until the store knows whether all are written
        if session and not _is_written(session):
            return session
        taken = await self._neighbours.take(key_of(token)) if self._shelf.is_well else None
        if taken is OWN:
            return self._sessions.get(token)
        if session and self._sessions.get(token) is session:
            if not _is_written(session):  # the store has given the session up meanwhile
                return session
            self._forget(session)
        return await self._restored(token, taken) if taken else None

    async def _restored(self, token: str, taken: Record) -> HostedSession | None:
        """Return a session made from its stored events, or None if that fails.

        Raise InputError, and leave the events on the shelf, if a model cannot be loaded at present.
        """
        try:
            session = await self._make_session(taken, token)
        except InputError:
            self._rows.leave(key_of(token))
            raise
        try:
            is_whole = session is not None and await asyncio.to_thread(_replay, session, taken)
        except Exception as error:
            self._log.error("a session could not be restored", error=place_of(error))
            is_whole = False
        if session is None or not is_whole:
            self._rows.delete(key_of(token))
            return None
        super().add(session)
        if self._shelf.is_well:
            self._keep(session, taken.number)
        return session

    # --- called by the writer of rows -----------------------------------------------------------------------

    def epoch_of(self, key: bytes) -> int | None:
        session = self._by_key.get(key)
        return session.epoch if session else None

    def make_durable(self, key: bytes, number: int) -> None:
        session = self._by_key.get(key)
        if session and session.journal:
            session.journal.make_durable(number)
            session.wake_reader()

    def lose(self, key: bytes) -> None:
        """Forget a session that another process has taken over, and close its connection."""
        session = self._by_key.get(key)
        if session:
            reader = session.reader
            self._forget(session)
            if reader:
                reader.give_up()

    def stop(self, key: bytes) -> None:
        """Stop storing a session, which goes on in memory."""
        session = self._by_key.pop(key, None)
        self._doubted.pop(key, None)
        if session and session.journal:
            session.journal.end()
            session.wake_reader()

    def _stop_all(self) -> None:
        """Stop storing all sessions; those that may be another owner's are lost."""
        self._rows.clear()
        for key in [*self._by_key]:
            if key in self._doubted:
                self.lose(key)
            else:
                self.stop(key)

    # --- standstills ----------------------------------------------------------------------------------------

    def _is_sure_of(self, key: bytes) -> bool:
        """Return whether a session belongs to this process, as far as it knows."""
        self._show_life()
        return key not in self._doubted

    def _show_life(self) -> None:
        """Record the time; after a standstill, ask the store which sessions are lost."""
        now = perf_counter()
        silence, self._alive_at = now - self._alive_at, now
        if silence <= STILL_SECONDS:
            return
        self.standstills += 1
        doubted = [key for key, session in self._by_key.items() if _is_written(session)]
        self._doubted |= dict.fromkeys(doubted, self.standstills)
        what = "this server stood still; its sessions wait until the store says whose they are"
        self._log.warning(what, seconds=round(silence, 1), sessions=len(doubted))
        self._rows.doubt(doubted)

    def trust(self, key: bytes, standstills: int) -> None:
        """Mark a session as owned again, as the store confirmed after so many standstills."""
        session = self._by_key.get(key)
        if session and self._doubted.get(key, standstills + 1) <= standstills:
            del self._doubted[key]
            session.wake_reader()


def _is_written(session: HostedSession) -> bool:
    """Return whether events of a session may be in the store and the store has not given the session up."""
    journal = session.journal
    return journal is not None and not journal.is_over and journal.received > 0


def _replay(session: HostedSession, taken: Record) -> bool:
    """Replay stored events in a new session, and return whether its documents have their stored versions."""
    session.replay(taken.events)
    session.epoch = taken.epoch
    return {held.document: held.version for held in session.held} == versions(taken.events)
