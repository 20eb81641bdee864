"""Session file: an SQLite database with a write-ahead log, which survives kill -9 and power cuts.

    records    records of sessions by key and revision, each with the owner that wrote it
    takeovers  sessions that an owner has lost to another one since its last look

This module creates and opens the file, and has its owners and its thread; `sqlite_shelf` has the statements.

An owner is one run of one process, with a file of its own in the folder, which it locks as long as it runs:
an owner whose file is not locked is dead. The modification time of that file says when the owner last ran;
an owner that has to give its sessions up sets it to zero, since they are incomplete: no process gets them.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple, TypeVar

from treewhile.oracles.errors import InputError
from treewhile.server.stores.shelves import AwayError, BrokenError, FullError

FORMAT: Final = 2
NAME: Final = "sessions.db"
LARGEST_PAGES: Final = 1 << 18  # of 4 KiB each: one gibibyte
BUSY_SECONDS: Final = 10.0

TABLES: Final = """
CREATE TABLE records(
    key BLOB, revision INTEGER, owner TEXT, record BLOB, PRIMARY KEY(key, revision)) WITHOUT ROWID;
CREATE TABLE takeovers(owner TEXT, key BLOB, PRIMARY KEY(owner, key)) WITHOUT ROWID;
"""


def prepare(folder: Path) -> bool:
    """Create or check the database, and return whether a damaged one was removed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = _opened(folder)
        connection.close()
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise InputError(f"cannot keep sessions ({error}): give another folder, {folder}") from None
        _remove(folder)
        _opened(folder).close()
        return True
    except OSError as error:
        raise InputError(f"cannot keep sessions ({error.strerror}): give another folder, {folder}") from None
    return False


class SessionFile:
    """Open session file of an owner, for one thread; methods raise sqlite3.Error or OSError."""

    def __init__(self, folder: Path, owner: str) -> None:
        with ExitStack() as undoing:
            self.owner = Owner(folder, owner)
            undoing.callback(self.owner.end)
            undoing.callback(self.owner.forget, [owner])
            self._connection = _opened(folder)
            undoing.callback(self._connection.close)
            self._try_out()
            undoing.pop_all()

    def _try_out(self) -> None:
        """Write and remove a large row, to find out whether the disk takes writes."""
        with self.transaction():
            self.run("INSERT INTO takeovers VALUES (?, zeroblob(65536))", self.owner.name)
        with self.transaction():
            self.run("DELETE FROM takeovers WHERE owner = ?", self.owner.name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as a transaction, durable at its end."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.run("ROLLBACK")
            raise

    def run(self, statement: str, *values: Any) -> list[Any]:
        """Run a statement, and return the rows that it finds."""
        return self._connection.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the database; its owner is dead then."""
        self._connection.close()
        self.owner.end()


def _opened(folder: Path) -> sqlite3.Connection:
    """Return a connection to the database of a folder, created if missing."""
    path = folder / NAME
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, BUSY_SECONDS, isolation_level=None)
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    execute = connection.execute
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = FULL")
    execute(f"PRAGMA max_page_count = {LARGEST_PAGES}")
    [found] = execute("PRAGMA user_version").fetchone()
    if found == 0:
        execute("BEGIN IMMEDIATE")
        if execute("PRAGMA user_version").fetchone() == (0,):
            for statement in TABLES.split(";")[:-1]:
                execute(statement)
            execute(f"PRAGMA user_version = {FORMAT}")
        execute("COMMIT")
    elif found != FORMAT:
        what = f"the sessions were written in format {found}, and this treewhile writes {FORMAT}"
        raise InputError(f"{what}: remove them or give another folder, {path}")


def _remove(folder: Path) -> None:
    for path in folder.glob(f"{NAME}*"):
        path.unlink()


# --- owners -------------------------------------------------------------------------------------------------

PREFIX: Final = "owner-"


class Owner:
    """New owner with a name that nobody else has, alive until `end`."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self._folder = name, folder
        self._file = os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def end(self) -> None:
        """Release the lock, which says that this owner is alive."""
        os.close(self._file)

    def disown(self) -> None:
        """Let nobody get the sessions of this owner. This needs no disk space."""
        os.utime(self._file, (0, 0))
        os.fsync(self._file)

    def beat(self) -> None:
        """Set the time of the file, which says after a crash when this owner last ran."""
        os.utime(self._file)

    def is_whole(self, owner: str) -> bool:
        """Return whether the sessions of an owner are complete."""
        with suppress(FileNotFoundError):
            return self._path(owner).stat().st_mtime > 0
        return False

    def silences(self) -> Mapping[str, float]:
        """Return for how many seconds each owner has been dead, 0 for the living."""
        found = {}
        for path in self._folder.glob(f"{PREFIX}*"):
            with suppress(FileNotFoundError), open(path, "rb") as file:
                seen = os.fstat(file.fileno()).st_mtime
                found[path.name.removeprefix(PREFIX)] = time.time() - seen if _is_free(file.fileno()) else 0.0
        return found

    def forget(self, owners: Iterable[str]) -> None:
        """Remove the files of other owners."""
        for owner in owners:
            self._path(owner).unlink(missing_ok=True)

    def _path(self, owner: str) -> Path:
        return self._folder / f"{PREFIX}{owner}"


def _is_free(file: int) -> bool:
    """Return whether nobody holds the lock of a file."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --- thread -------------------------------------------------------------------------------------------------

CLOSED: Final = "the session file is closed"

T = TypeVar("T")


class Call(NamedTuple):
    """Function to call in the thread, and its result to come."""

    function: Callable[[], Any]
    is_write: bool
    result: asyncio.Future[Any]


class SessionThread:
    """Thread that alone uses the file of a folder, so that the event loop never waits for the disk.

    Changes that arrive during a transaction go together into the next one: many sessions share one fsync.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: SessionFile | None = None
        self._calls: list[Call] = []
        self._groups: SimpleQueue[tuple[list[Call], asyncio.AbstractEventLoop] | None] = SimpleQueue()
        self._is_busy = self._is_over = False
        Thread(target=self._run, name="sessions", daemon=True).start()

    # --- on the loop ----------------------------------------------------------------------------------------

    async def open(self, owner: str) -> None:
        """Open the file for an owner, and close it before if it is open."""
        await self._called(lambda: self._open(owner), False)

    async def read(self, function: Callable[[SessionFile], T]) -> T:
        """Return the result of a function that changes nothing."""
        return await self._called(lambda: function(self._opened), False)

    async def write(self, function: Callable[[SessionFile], T]) -> T:
        """Return the result of a function that changes rows, once the changes are durable."""
        return await self._called(lambda: function(self._opened), True)

    async def close(self) -> None:
        """Close the file."""
        await self._called(self._close, False)

    async def end(self) -> None:
        """Close the file for good."""
        if not self._is_over:
            await self.close()
            self._is_over = True
            self._groups.put(None)

    async def _called(self, function: Callable[[], T], is_write: bool) -> T:
        if self._is_over:
            raise AwayError(CLOSED)
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.append(Call(function, is_write, result))
        if not self._is_busy:
            self._call_all()
        return await result

    def _call_all(self) -> None:
        """Let the thread do all that waits, if anything does."""
        self._is_busy = bool(self._calls)
        if self._calls:
            calls, self._calls = self._calls, []
            self._groups.put((calls, asyncio.get_running_loop()))

    def _take_outcomes(self, outcomes: Sequence[tuple[Call, Any]]) -> None:
        for call, outcome in outcomes:
            if call.result.done():
                continue
            if isinstance(outcome, Exception):
                call.result.set_exception(outcome)
            else:
                call.result.set_result(outcome)
        self._call_all()

    # --- in the thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        while group := self._groups.get():
            calls, loop = group
            outcomes = self._outcomes(calls)
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._take_outcomes, outcomes)

    def _outcomes(self, calls: Sequence[Call]) -> list[tuple[Call, Any]]:
        """Do all writes in one transaction, and then each read; return results and errors."""
        writes = [call for call in calls if call.is_write]
        done: list[tuple[Call, Any]] = []
        if writes:
            try:
                with self._opened.transaction():
                    done = [(call, call.function()) for call in writes]
            except Exception as error:
                done = [(call, _explained(error, FullError)) for call in writes]
        for call in calls:
            if not call.is_write:
                try:
                    done.append((call, call.function()))
                except Exception as error:
                    done.append((call, _explained(error, AwayError)))
        return done

    @property
    def _opened(self) -> SessionFile:
        if self._file is None:
            raise AwayError(CLOSED)
        return self._file

    def _open(self, owner: str) -> None:
        self._close()
        self._file = SessionFile(self._folder, owner)

    def _close(self) -> None:
        file, self._file = self._file, None
        if file:
            file.close()


def _explained(error: Exception, temporary: type[AwayError]) -> Exception:
    if isinstance(error, sqlite3.OperationalError | OSError):
        return temporary(f"the session file does not take changes ({error})")
    if isinstance(error, sqlite3.Error):
        return BrokenError(f"the session file is damaged ({error})")
    return error
