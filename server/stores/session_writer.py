"""Writer thread: writes events of sessions, many tasks in a transaction, and reports the results.

Tasks are done in their order. While the disk is full, tasks wait and are tried again, so that no acknowledged
event is lost. If the file is damaged, or too many tasks wait, the writer gives up its sessions, and begins
anew as soon as that is possible.
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

GROUP_SECONDS: Final = 0.004  # delay of a transaction for others to join; only acknowledgements wait
LOOK_SECONDS: Final = 0.25  # between checks for sessions that others have taken
SWEEP_SECONDS: Final = 5.0
TRY_AGAIN_SECONDS: Final = 1.0  # after a failed write
MOST_WAITING: Final = 200_000  # tasks, about 60 MB: the typing of a hundred people in five minutes

REFUSALS: Final = (sqlite3.OperationalError, OSError)  # temporary: the disk is full, locked or away
FAILURES: Final = (sqlite3.Error, OSError, InputError)  # the last one if a later version has used the folder


# --- tasks --------------------------------------------------------------------------------------------------


class Write(NamedTuple):
    """Task to write an event with its number."""

    key: bytes
    number: int
    model: str
    epoch: int
    event: Event


class Leave(NamedTuple):
    """Task to note that a session has no connection any more."""

    key: bytes
    at: float


class Delete(NamedTuple):
    """Task to delete a session that has ended."""

    key: bytes


class Take(NamedTuple):
    """Task to take over a session that was left after `oldest`; the event loop sets the answer."""

    key: bytes
    oldest: float
    answer: asyncio.Future[Taken | None]


class Check(NamedTuple):
    """Task to find the sessions lost during a standstill; `standstills` counts them so far."""

    standstills: int


Task: TypeAlias = Write | Leave | Delete | Take | Check


# --- news ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Done:
    """Results of a transaction."""

    durable: dict[bytes, int] = field(default_factory=dict)  # numbers of the last durable events, by key
    lost: set[bytes] = field(default_factory=set)  # sessions taken by other owners
    unkept: set[bytes] = field(default_factory=set)
    checked: int = 0  # the last standstill after which all losses are known
    taken: list[tuple[Take, Taken | None]] = field(default_factory=list)
    untold: list[Take] = field(default_factory=list)  # tasks that cannot be answered at present


class Stuck(NamedTuple):
    """News that the disk takes no writes at present; tasks wait."""

    error: BaseException


class Freed(NamedTuple):
    """News that the disk takes writes again and has all waiting tasks."""


class Failed(NamedTuple):
    """News that sessions are not stored any more."""

    error: BaseException


class Mended(NamedTuple):
    """News that new sessions are stored again."""


News: TypeAlias = Done | Stuck | Freed | Failed | Mended


def refused(tasks: Sequence[Task]) -> Done:
    """Return the results of tasks that are not carried out: no session for any Take."""
    return Done(taken=[(task, None) for task in tasks if isinstance(task, Take)])


# --- the thread ---------------------------------------------------------------------------------------------


class SessionWriter(threading.Thread):
    """Thread that does tasks in their order, many in a transaction, and reports the results."""

    def __init__(self, folder: Path, seconds: float, most_waiting: int, tell: Callable[[News], None]) -> None:
        super().__init__(name="sessions", daemon=True)
        self.tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._folder, self._seconds, self._most_waiting, self._tell = folder, seconds, most_waiting, tell
        self._database: SessionDatabase | None = None
        self._waiting: list[Task] = []
        self._is_stuck = False
        self._sizes: dict[bytes, int] = {}  # by key, changes since the last folding
        self._swept_at = self._looked_at = self._failed_at = 0.0

    def end(self) -> None:
        """Do the remaining tasks, and wait for the thread to end."""
        self.tasks.put(None)
        self.join()

    def run(self) -> None:
        try:
            self._database = SessionDatabase(self._folder)
        except FAILURES as error:
            self._tell(Failed(error))
        is_over = False
        while not is_over:
            is_over = self._gather()
            try:
                self._go_on(is_over)
            except FAILURES as error:
                self._put_off(error)
        self._tell(refused(self._waiting))
        if self._database:
            self._database.close()

    def _gather(self) -> bool:
        """Collect tasks for a short while, and return whether the thread should end."""
        try:
            found = [self.tasks.get(timeout=LOOK_SECONDS)]
        except Empty:
            return False
        time.sleep(GROUP_SECONDS)
        while not self.tasks.empty():
            found.append(self.tasks.get())
        self._waiting += [task for task in found if task is not None]
        return None in found

    def _go_on(self, is_over: bool) -> None:
        now = time.time()
        if self._database is None:
            self._refuse_all()
            self._try_again(now)
        elif self._is_stuck and now - self._failed_at < TRY_AGAIN_SECONDS and not is_over:
            self._answer_without_writing(self._database)
        else:
            self._carry_out(self._database, now, is_over)

    def _carry_out(self, database: SessionDatabase, now: float, is_over: bool) -> None:
        """Do all waiting tasks in one transaction, if there is anything to do."""
        is_due = now - self._swept_at >= SWEEP_SECONDS
        if not (self._waiting or is_due or is_over or self._is_stuck or self._has_lost(database, now)):
            return
        done = Done()
        with database.transaction():
            if self._is_stuck:
                database.try_out()
            self._do(database, self._waiting, done)
            done.lost.update(database.lost())
            if is_due:
                database.sweep(now - self._seconds, self._most_waiting)
            if is_over:
                database.leave_all(now)
        self._waiting.clear()
        self._swept_at = now if is_due else self._swept_at
        if self._is_stuck:
            self._is_stuck = False
            self._tell(Freed())
        self._tell(done)

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
            elif isinstance(task, Check):
                done.checked = task.standstills  # lost sessions are read at the end of each transaction
            else:
                done.taken.append((task, database.take(task.key, task.oldest)))
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

    def _put_off(self, error: BaseException) -> None:
        """Schedule another attempt after an error, or give up if that cannot help."""
        self._failed_at = time.time()
        database = self._database
        if database is None:
            return
        if not isinstance(error, REFUSALS) or len(self._waiting) > MOST_WAITING:
            self._give_up(database, error)
            return
        if not self._is_stuck:
            self._is_stuck = True
            self._tell(Stuck(error))
        self._answer_without_writing(database)

    def _answer_without_writing(self, database: SessionDatabase) -> None:
        """Answer Take and Check tasks from reads alone, while the disk takes no writes."""
        done = Done()
        new = {task.key for task in self._waiting if isinstance(task, Write) and task.number == 1}
        self._waiting = [
            task
            for task in self._waiting
            if not isinstance(task, Take | Check)
            or (isinstance(task, Take) and self._goes_on(database, task, task.key in new, done))
            or (isinstance(task, Check) and not self._has_checked(database, task, done))
        ]
        if done.taken or done.untold or done.checked:
            self._tell(done)

    def _goes_on(self, database: SessionDatabase, task: Take, is_new: bool, done: Done) -> bool:
        """Return whether a requested session is this owner's; its Take then waits to be written."""
        try:
            owner = database.owner.name if is_new else database.owner_of(task.key)
        except FAILURES:
            done.untold.append(task)
            return False
        if owner == database.owner.name:
            done.taken.append((task, Taken(0, "", 0, None)))
            return True
        if owner is None:
            done.taken.append((task, None))
        else:
            done.untold.append(task)
        return False

    def _has_checked(self, database: SessionDatabase, task: Check, done: Done) -> bool:
        """Read the lost sessions for a Check, and return whether that was possible."""
        try:
            done.lost.update(database.losses())
        except FAILURES:
            return False
        done.checked = task.standstills
        return True

    def _refuse_all(self) -> None:
        if self._waiting:
            self._tell(refused(self._waiting))
            self._waiting.clear()

    def _give_up(self, database: SessionDatabase, error: BaseException) -> None:
        """Give up all stored sessions of this owner, since they are no longer complete."""
        self._database, self._is_stuck = None, False
        try:
            database.owner.disown()
        except OSError as other:
            error = other
        database.close()
        self._tell(Failed(error))
        self._refuse_all()

    def _try_again(self, now: float) -> None:
        if now - self._failed_at < TRY_AGAIN_SECONDS:
            return
        self._failed_at = now
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
