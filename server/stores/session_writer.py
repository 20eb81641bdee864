"""The thread that writes what sessions have received, many tasks in a transaction, and tells the news.

It takes its tasks in their order. Where the disk takes no more, it gives up what it has written and tries
again later; tasks are refused meanwhile.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.stores.session_database import FOLD_AFTER, SessionDatabase, Written
from treewhile.server.stores.takeovers import Taken

GROUP_SECONDS: Final = 0.004  # that a transaction waits for others to join; only acknowledgements wait for it
LOOK_SECONDS: Final = 0.25  # between looks at what others have taken
SWEEP_SECONDS: Final = 5.0
TRY_AGAIN_SECONDS: Final = 5.0  # after the disk took no more

FAILURES: Final = (sqlite3.Error, OSError, InputError)  # the last of a folder that a later version has taken


# --- tasks --------------------------------------------------------------------------------------------------


class Write(NamedTuple):
    """An event is to be written, with its number."""

    key: bytes
    number: int
    model: str
    epoch: int
    event: Event


class Leave(NamedTuple):
    """Nobody is connected to a session any more."""

    key: bytes
    at: float


class Delete(NamedTuple):
    """A session is over."""

    key: bytes


class Take(NamedTuple):
    """Somebody asks for a session; the answer is for the loop to give."""

    key: bytes
    answer: asyncio.Future[Taken | None]


Task: TypeAlias = Write | Leave | Delete | Take


# --- news ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Done:
    """What a transaction has come to."""

    durable: dict[bytes, int] = field(default_factory=dict)  # numbers of events
    lost: set[bytes] = field(default_factory=set)  # to other owners
    unkept: set[bytes] = field(default_factory=set)
    taken: list[tuple[Take, Taken | None]] = field(default_factory=list)


class Failed(NamedTuple):
    """Nothing is kept any more."""

    error: BaseException


class Mended(NamedTuple):
    """New sessions are kept again."""


News: TypeAlias = Done | Failed | Mended


def refused(tasks: Sequence[Task]) -> Done:
    """The result of tasks that nobody carries out: those who ask for a session get none."""
    return Done(taken=[(task, None) for task in tasks if isinstance(task, Take)])


# --- the thread ---------------------------------------------------------------------------------------------


class SessionWriter(threading.Thread):
    """Does tasks in their order, many in a transaction, and says what they have come to."""

    def __init__(
        self,
        folder: Path,
        seconds: float,
        most_waiting: int,
        tell: Callable[[News], None],
    ) -> None:
        super().__init__(name="sessions", daemon=True)
        self.tasks: SimpleQueue[Task | None] = SimpleQueue()
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
            self._tell(Failed(error))
        is_over = False
        while not is_over:
            tasks, is_over = self._next_tasks()
            try:
                self._go_on(tasks, is_over)
            except FAILURES as error:
                self._fail(error)
                self._tell(refused(tasks))

    def _next_tasks(self) -> tuple[list[Task], bool]:
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

    def _go_on(self, tasks: Sequence[Task], is_over: bool) -> None:
        if self._database is None:
            if tasks:
                self._tell(refused(tasks))
            self._try_again()
            return
        now = time.time()
        is_due = now - self._swept_at >= SWEEP_SECONDS
        if tasks or is_due or is_over or self._has_lost(self._database, now):
            done = Done()
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
        database.owner.show_life()
        return database.has_lost()

    def _do(self, database: SessionDatabase, tasks: Sequence[Task], done: Done) -> None:
        writes: dict[bytes, list[Write]] = {}
        for task in tasks:
            if isinstance(task, Write):
                writes.setdefault(task.key, []).append(task)
                continue
            self._write(database, writes, done)
            if isinstance(task, Leave):
                database.leave([task.key], task.at)
            elif isinstance(task, Delete):
                database.delete_own([task.key])
                self._sizes.pop(task.key, None)
            else:
                done.taken.append((task, database.take(task.key, time.time() - self._seconds)))
        self._write(database, writes, done)

    def _write(self, database: SessionDatabase, writes: dict[bytes, list[Write]], done: Done) -> None:
        if not writes:
            return
        done.lost.update(database.write([_joined(some) for some in writes.values()]))
        for key, some in writes.items():
            if key not in done.lost:
                done.durable[key] = some[-1].number
                self._shorten(database, key, done)
        writes.clear()

    def _shorten(self, database: SessionDatabase, key: bytes, done: Done) -> None:
        self._sizes[key] = self._sizes.get(key, 0) + 1
        if self._sizes[key] >= FOLD_AFTER:
            self._sizes[key] = 0
            if not database.fold(key):
                database.delete([key])
                done.unkept.add(key)

    def _fail(self, error: BaseException) -> None:
        """What this owner has written is no longer complete, so it is better to have none of it."""
        database, self._database = self._database, None
        self._failed_at = time.time()
        if database:
            try:
                database.owner.disown()
            except OSError as other:
                error = other
            database.close()
            self._tell(Failed(error))

    def _try_again(self) -> None:
        if time.time() - self._failed_at < TRY_AGAIN_SECONDS:
            return
        self._failed_at = time.time()
        database = SessionDatabase(self._folder)
        try:
            with database.transaction():
                database.try_out()
        except BaseException:
            database.owner.disown()
            database.close()
            raise
        self._database = database
        self._sizes.clear()
        self._tell(Mended())


def _joined(writes: Sequence[Write]) -> Written:
    last = writes[-1]
    events = [write.event for write in writes]
    return Written(last.key, writes[0].number, last.number, last.model, last.epoch, events)
