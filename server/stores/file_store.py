"""Sessions that outlive their process: what each has received is on disk before any of it is acknowledged.

One thread writes. What has come while it waited for the disk goes together into its next transaction: many
sessions share one fsync, and the loop waits for none. Whoever takes a session over, be it in another process,
does so in a transaction; what the one before still had to write is then refused, and so never acknowledged.

Where the disk takes no more, sessions go on in memory; what is on disk of them is given up, so that nobody
gets a part of one. New sessions are kept again as soon as the disk can be written to.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from treewhile.incremental.sessions.messages import Event
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.hosted.journal import Journal
from treewhile.server.hosted.records import versions
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.session_database import Taken, key_of
from treewhile.server.stores.session_store import MemoryStore
from treewhile.server.stores.session_writer import (
    Delete,
    Done,
    Failed,
    Leave,
    News,
    SessionWriter,
    Take,
    Write,
)

MakeSession = Callable[[str, str], HostedSession | None]  # of a model, with a token


class FileStore(MemoryStore):
    """Sessions in a folder that other processes share; those of this one are in memory, too."""

    def __init__(
        self, folder: Path, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting)
        self._make_session, self._log = make_session, log
        self._by_key: dict[bytes, HostedSession] = {}
        self._finding: dict[str, asyncio.Task[HostedSession | None]] = {}
        self._keeps = True
        self._loop = asyncio.get_running_loop()
        self._writer = SessionWriter(folder, seconds, most_waiting, self._on_loop)
        self._writer.start()

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
            self._writer.tasks.put(Leave(key_of(session.token), time.time()))

    def remove(self, session: HostedSession) -> None:
        self._forget(session)
        if _is_written(session):
            self._writer.tasks.put(Delete(key_of(session.token)))

    async def close(self) -> None:
        """Sessions stay on disk."""
        await asyncio.to_thread(self._writer.end)
        for session in [*self._sessions.values()]:
            self._forget(session)

    # --- sessions -------------------------------------------------------------------------------------------

    def _keep(self, session: HostedSession, number: int = 0) -> None:
        key, put = key_of(session.token), self._writer.tasks.put

        def write(number: int, event: Event) -> None:
            put(Write(key, number, session.engine.name, session.epoch, event))

        self._by_key[key] = session
        session.journal = Journal(write, number, (held.document for held in session.held))

    def _forget(self, session: HostedSession) -> None:
        super().remove(session)
        self._by_key.pop(key_of(session.token), None)

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
            if not _is_written(session):  # the disk has failed meanwhile
                return session
            self._forget(session)
        return await self._restored(token, taken) if taken else None

    async def _take(self, token: str) -> Taken | None:
        if not self._keeps:
            return None
        answer = self._loop.create_future()
        self._writer.tasks.put(Take(key_of(token), answer))
        taken: Taken | None = await answer
        return taken

    async def _restored(self, token: str, taken: Taken) -> HostedSession | None:
        """A session from what was written of it, or none at all."""
        session = self._make_session(taken.model, token)
        try:
            is_whole = session is not None and await asyncio.to_thread(_replay, session, taken)
        except Exception as error:
            self._log.error("a session could not be restored", error=place_of(error))
            is_whole = False
        if session is None or not is_whole:
            self._writer.tasks.put(Delete(key_of(token)))
            return None
        super().add(session)
        if self._keeps:
            self._keep(session, taken.number)
        return session

    # --- from the thread ------------------------------------------------------------------------------------

    def _on_loop(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._take_news, news)
        except RuntimeError:  # the loop has ended
            return

    def _take_news(self, news: News) -> None:
        if isinstance(news, Done):
            self._take_done(news)
        elif isinstance(news, Failed):
            self._stop_keeping(news.error)
        else:
            self._keeps = True
            self._log.info("new sessions are kept again")

    def _take_done(self, done: Done) -> None:
        for key in done.lost:
            self._lose(key)
        for key in done.unkept:
            self._stop(key)
        for key, number in done.durable.items():
            session = self._by_key.get(key)
            if session and session.journal:
                session.journal.make_durable(number)
                session.wake_reader()
        for task, taken in done.taken:
            if not task.answer.done():
                task.answer.set_result(taken)

    def _lose(self, key: bytes) -> None:
        """Another process goes on with a session."""
        session = self._by_key.get(key)
        if session:
            reader = session.reader
            self._forget(session)
            if reader:
                reader.give_up()

    def _stop(self, key: bytes) -> None:
        session = self._by_key.pop(key, None)
        if session and session.journal:
            session.journal.end()
            session.wake_reader()

    def _stop_keeping(self, error: BaseException) -> None:
        kept, self._keeps = self._keeps, False
        for key in [*self._by_key]:
            self._stop(key)
        if kept:
            what = f"{type(error).__name__}: {error}"
            self._log.error("sessions are not kept on disk from now on", error=what)


def _is_written(session: HostedSession) -> bool:
    """Whether anything of it may be on disk, and all of it will be."""
    journal = session.journal
    return journal is not None and not journal.is_over and journal.received > 0


def _replay(session: HostedSession, taken: Taken) -> bool:
    """Whether the events have made of it what they made before."""
    events = taken.events or ()
    session.replay(events)
    session.epoch = taken.epoch
    return {held.document: held.version for held in session.held} == versions(events)
