"""Sessions that outlive their process: what each has received is on disk before any of it is acknowledged.

One thread writes. What has come while it waited for the disk goes together into its next transaction, so many
sessions share one fsync, and the loop waits for none. Whoever takes a session over, be it in another process,
does so in a transaction; what the one before still had to write is then refused, and so never acknowledged.

Where the disk takes no more, sessions go on in memory; what is on disk of them is given up, so that nobody
gets a part of one. New sessions are kept again as soon as the disk can be written to.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.hosted_session import ClientSession
from treewhile.server.hosted.journal import Journal
from treewhile.server.hosted.records import versions
from treewhile.server.logs import Log, place_of
from treewhile.server.stores.session_database import FOLD_AFTER, SessionDatabase, Taken, Written, key_of
from treewhile.server.stores.session_store import MemoryStore

GROUP_SECONDS: Final = 0.004  # that a transaction waits for others to join; only acknowledgements wait for it
LOOK_SECONDS: Final = 0.25  # between looks at what others have taken
SWEEP_SECONDS: Final = 5.0
TRY_AGAIN_SECONDS: Final = 5.0  # after the disk took no more

FAILURES: Final = (sqlite3.Error, OSError, InputError)  # the last of a folder that a later version has taken

MakeSession = Callable[[str, str], ClientSession | None]  # of a model, with a token


class _Write(NamedTuple):
    key: bytes
    number: int
    model: str
    epoch: int
    event: Event


class _Leave(NamedTuple):
    key: bytes
    at: float


class _Delete(NamedTuple):
    key: bytes


class _Take(NamedTuple):
    key: bytes
    answer: asyncio.Future[Taken | None]


_Task: TypeAlias = _Write | _Leave | _Delete | _Take


class _Done(NamedTuple):
    """What a transaction has come to."""

    durable: dict[bytes, int]  # numbers of events
    lost: set[bytes]  # to other owners
    unkept: set[bytes]
    taken: list[tuple[_Take, Taken | None]]


class FileStore(MemoryStore):
    """Sessions in a folder that other processes share; those of this one are in memory, too."""

    def __init__(
        self, folder: Path, seconds: float, most_waiting: int, make_session: MakeSession, log: Log
    ) -> None:
        super().__init__(seconds, most_waiting)
        self._make_session, self._log = make_session, log
        self._by_key: dict[bytes, ClientSession] = {}
        self._finding: dict[str, asyncio.Task[ClientSession | None]] = {}
        self._keeps = True
        self._loop = asyncio.get_running_loop()
        self._writer = _Writer(folder, seconds, most_waiting, self._on_loop)
        self._writer.start()

    # --- as any store ---------------------------------------------------------------------------------------

    def add(self, session: ClientSession) -> None:
        super().add(session)
        if self._keeps:
            self._keep(session)

    async def find(self, token: str) -> ClientSession | None:
        if token not in self._finding:
            self._finding[token] = finding = asyncio.create_task(self._find(token))
            finding.add_done_callback(lambda _: self._finding.pop(token))
        return await asyncio.shield(self._finding[token])

    def leave(self, session: ClientSession) -> None:
        super().leave(session)
        if _is_written(session):
            self._writer.tasks.put(_Leave(key_of(session.token), time.time()))

    def remove(self, session: ClientSession) -> None:
        self._forget(session)
        if _is_written(session):
            self._writer.tasks.put(_Delete(key_of(session.token)))

    async def close(self) -> None:
        """Sessions stay on disk."""
        await asyncio.to_thread(self._writer.end)
        for session in [*self._sessions.values()]:
            self._forget(session)

    # --- sessions -------------------------------------------------------------------------------------------

    def _keep(self, session: ClientSession, number: int = 0) -> None:
        key, put = key_of(session.token), self._writer.tasks.put

        def write(number: int, event: Event) -> None:
            put(_Write(key, number, session.engine.name, session.epoch, event))

        self._by_key[key] = session
        session.journal = Journal(write, number, (held.document for held in session.held))

    def _forget(self, session: ClientSession) -> None:
        super().remove(session)
        self._by_key.pop(key_of(session.token), None)

    async def _find(self, token: str) -> ClientSession | None:
        session = await super().find(token)
        if session and session.reader:
            session.reader.give_up()  # nothing may come while it is looked whether all has been written
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
        self._writer.tasks.put(_Take(key_of(token), answer))
        taken: Taken | None = await answer
        return taken

    async def _restored(self, token: str, taken: Taken) -> ClientSession | None:
        """A session from what was written of it, or none at all."""
        session = self._make_session(taken.model, token)
        try:
            is_whole = session is not None and await asyncio.to_thread(_replay, session, taken)
        except Exception as error:
            self._log.error("a session could not be restored", error=place_of(error))
            is_whole = False
        if session is None or not is_whole:
            self._writer.tasks.put(_Delete(key_of(token)))
            return None
        super().add(session)
        if self._keeps:
            self._keep(session, taken.number)
        return session

    # --- from the thread ------------------------------------------------------------------------------------

    def _on_loop(self, done: _Done | bool | BaseException) -> None:
        try:
            self._loop.call_soon_threadsafe(self._take_news, done)
        except RuntimeError:  # the loop has ended
            return

    def _take_news(self, done: _Done | bool | BaseException) -> None:
        if isinstance(done, _Done):
            self._take_done(done)
        elif isinstance(done, BaseException):
            self._stop_keeping(done)
        else:
            self._keeps = True
            self._log.info("new sessions are kept again")

    def _take_done(self, done: _Done) -> None:
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


def _is_written(session: ClientSession) -> bool:
    """Whether anything of it may be on disk, and all of it will be."""
    journal = session.journal
    return journal is not None and not journal.is_over and journal.received > 0


def _replay(session: ClientSession, taken: Taken) -> bool:
    """Whether the events have made of it what they made before."""
    events = taken.events or ()
    session.replay(events)
    session.epoch = taken.epoch
    return {held.document: held.version for held in session.held} == versions(events)


# --- the thread ---------------------------------------------------------------------------------------------


class _Writer(threading.Thread):
    """Does tasks in their order, many in a transaction, and says what they have come to."""

    def __init__(
        self,
        folder: Path,
        seconds: float,
        most_waiting: int,
        tell: Callable[[_Done | bool | BaseException], None],
    ) -> None:
        super().__init__(name="sessions", daemon=True)
        self.tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._folder, self._seconds, self._most_waiting, self._tell = folder, seconds, most_waiting, tell
        self._database: SessionDatabase | None = None
        self._sizes: dict[bytes, int] = {}  # changes since they were folded
        self._swept_at = self._looked_at = self._failed_at = 0.0

    def end(self) -> None:
        """Does what there is to do, and waits for that."""
        self.tasks.put(None)
        self.join()

    def run(self) -> None:
        try:
            self._database = SessionDatabase(self._folder)
        except FAILURES as error:
            self._tell(error)
        is_over = False
        while not is_over:
            tasks, is_over = self._next_tasks()
            try:
                self._go_on(tasks, is_over)
            except FAILURES as error:
                self._fail(error)
                self._tell(
                    _Done({}, set(), set(), [(task, None) for task in tasks if isinstance(task, _Take)])
                )

    def _next_tasks(self) -> tuple[list[_Task], bool]:
        """All there are after a short while; whether the end has come."""
        try:
            first = self.tasks.get(timeout=LOOK_SECONDS)
        except Empty:
            return [], False
        time.sleep(GROUP_SECONDS)
        found = [first]
        while not self.tasks.empty():
            found.append(self.tasks.get())
        return [task for task in found if task is not None], None in found

    def _go_on(self, tasks: Sequence[_Task], is_over: bool) -> None:
        if self._database is None:
            self._refuse(tasks)
            self._try_again()
            return
        now = time.time()
        is_due = now - self._swept_at >= SWEEP_SECONDS
        if tasks or is_due or is_over or self._has_lost(self._database, now):
            done = _Done({}, set(), set(), [])
            with self._database.transaction():
                self._do(self._database, tasks, done)
                done.lost.update(self._database.lost())
                if is_due:
                    self._database.sweep(now - self._seconds, self._most_waiting)
                if is_over:
                    self._database.leave_all(now)
            self._swept_at = now if is_due else self._swept_at
            self._tell(done)
        if is_over:
            self._database.close()

    def _has_lost(self, database: SessionDatabase, now: float) -> bool:
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        database.show_life()
        return database.has_lost()

    def _do(self, database: SessionDatabase, tasks: Sequence[_Task], done: _Done) -> None:
        writes: dict[bytes, list[_Write]] = {}
        for task in tasks:
            if isinstance(task, _Write):
                writes.setdefault(task.key, []).append(task)
                continue
            self._write(database, writes, done)
            if isinstance(task, _Leave):
                database.leave([task.key], task.at)
            elif isinstance(task, _Delete):
                database.delete_own([task.key])
                self._sizes.pop(task.key, None)
            else:
                done.taken.append((task, database.take(task.key, time.time() - self._seconds)))
        self._write(database, writes, done)

    def _write(self, database: SessionDatabase, writes: dict[bytes, list[_Write]], done: _Done) -> None:
        if not writes:
            return
        done.lost.update(database.write([_joined(some) for some in writes.values()]))
        for key, some in writes.items():
            if key not in done.lost:
                done.durable[key] = some[-1].number
                self._shorten(database, key, done)
        writes.clear()

    def _shorten(self, database: SessionDatabase, key: bytes, done: _Done) -> None:
        self._sizes[key] = self._sizes.get(key, 0) + 1
        if self._sizes[key] >= FOLD_AFTER:
            self._sizes[key] = 0
            if not database.fold(key):
                database.delete([key])
                done.unkept.add(key)

    def _fail(self, error: BaseException) -> None:
        """What this owner has written is not whole any more, and it is better to have none of it."""
        database, self._database = self._database, None
        self._failed_at = time.time()
        if database:
            try:
                database.disown()
            except OSError as other:
                error = other
            database.close()
            self._tell(error)

    def _refuse(self, tasks: Sequence[_Task]) -> None:
        taken: list[tuple[_Take, Taken | None]] = [(task, None) for task in tasks if isinstance(task, _Take)]
        if taken:
            self._tell(_Done({}, set(), set(), taken))

    def _try_again(self) -> None:
        if time.time() - self._failed_at < TRY_AGAIN_SECONDS:
            return
        self._failed_at = time.time()
        database = SessionDatabase(self._folder)
        try:
            with database.transaction():
                database.try_out()
        except BaseException:
            database.disown()
            database.close()
            raise
        self._database = database
        self._sizes.clear()
        self._tell(True)


def _joined(writes: Sequence[_Write]) -> Written:
    last = writes[-1]
    events = [write.event for write in writes]
    return Written(last.key, writes[0].number, last.number, last.model, last.epoch, events)
