"""Sessions in a file that processes share: an SQLite database, whose journal bears kill -9 and power cuts.

    sessions   the key of each, who owns it, its epoch, its model, and since when nobody is connected
    changes    what has come, by session and number; folded where it has become long
    takeovers  sessions that an owner has lost to another one, until it has looked

An owner is one life of one process. It has a file beside the database, locked for as long as it lives: an
owner whose file is not locked is dead, and its sessions are for the next who asks. An owner that could not
write removes its file: its sessions are not whole, and nobody gets them. Keys are hashes, so whoever reads
the file can resume nothing. No clock is read here, and no thread started.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from treewhile.incremental.sessions.messages import AnyEvent, Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.records import decoded, encoded, folded

FORMAT: Final = 1
NAME: Final = "sessions.db"
LARGEST_PAGES: Final = 1 << 18  # of 4 KiB: a gibibyte
BUSY_SECONDS: Final = 10.0
FOLD_AFTER: Final = 256  # changes
MOST_EVENTS: Final = 5000  # of a session that cannot be folded
PARAMETERS: Final = 30_000  # of one statement
SWEPT_AT_ONCE: Final = 1000

TABLES: Final = """
CREATE TABLE sessions(
    key BLOB PRIMARY KEY, owner TEXT, epoch INTEGER, model TEXT, left_at REAL) WITHOUT ROWID;
CREATE INDEX by_owner ON sessions(owner);
CREATE INDEX by_time ON sessions(left_at) WHERE left_at IS NOT NULL;
CREATE TABLE changes(key BLOB, number INTEGER, events BLOB, PRIMARY KEY(key, number)) WITHOUT ROWID;
CREATE TABLE takeovers(owner TEXT, key BLOB, PRIMARY KEY(owner, key)) WITHOUT ROWID;
"""


def key_of(token: str) -> bytes:
    """Under what a session is found."""
    return sha256(token.encode()).digest()[:16]


class Taken(NamedTuple):
    """A session that now belongs to who asked; no events if it did already."""

    epoch: int  # how many connections it has had before
    model: str
    number: int  # of the last change
    events: Sequence[Event] | None


class Written(NamedTuple):
    """Changes of a session, with the numbers of the first and the last one."""

    key: bytes
    first: int
    number: int
    model: str
    epoch: int
    events: Sequence[Event]


class SessionDatabase:
    """The database of a folder, for one thread of one owner. What fails is a sqlite3.Error or an OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection = _opened(folder)
        self.owner, self._file = _new_owner(folder)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A block whose changes are durable at its end, all or none."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        try:
            yield
            execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Another one may have the sessions."""
        self._connection.close()
        os.close(self._file)

    def disown(self) -> None:
        """Nobody gets the sessions of this owner any more. This needs no room on the disk."""
        with suppress(FileNotFoundError):
            os.unlink(self._folder / self.owner)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    # --- within a transaction -------------------------------------------------------------------------------

    def write(self, written: Sequence[Written]) -> set[bytes]:
        """Writes changes of sessions that are one's own or new; gives the keys of those that are not."""
        owners = self._owners([one.key for one in written])
        mine = [
            one for one in written if owners.get(one.key, self.owner if one.first == 1 else "") == self.owner
        ]
        new = [one for one in mine if one.key not in owners]
        self._insert("sessions", [(one.key, self.owner, one.epoch, one.model, None) for one in new])
        self._insert("changes", [(one.key, one.number, encoded(one.events)) for one in mine])
        return {one.key for one in written} - {one.key for one in mine}

    def fold(self, key: bytes) -> bool:
        """Shortens what is written of a session; whether that is short enough to go on with."""
        try:
            events = folded(self._events(key))
        except InputError:
            return False
        if len(events) > MOST_EVENTS:
            return False
        [[number]] = self._all("SELECT max(number) FROM changes WHERE key = ?", key)
        self._run("DELETE FROM changes WHERE key = ?", key)
        self._insert("changes", [(key, number, encoded(events))])
        return True

    def take(self, key: bytes, oldest: float) -> Taken | None:
        """Makes a session one's own, if it is there and has been left after `oldest`."""
        rows = self._all("SELECT owner, epoch, model, left_at FROM sessions WHERE key = ?", key)
        if not rows:
            return None
        owner, epoch, model, left_at = rows[0]
        events = None if owner == self.owner else self._whole_events(key)
        if self._ended_at(owner, left_at) < oldest or events == []:
            self.delete([key])
            return None
        self._run(
            "UPDATE sessions SET owner = ?, epoch = ?, left_at = NULL WHERE key = ?",
            self.owner,
            epoch + 1,
            key,
        )
        [[number]] = self._all("SELECT ifnull(max(number), 0) FROM changes WHERE key = ?", key)
        if events is not None:
            self._run("INSERT OR IGNORE INTO takeovers VALUES (?, ?)", owner, key)
        return Taken(epoch, model, number, events)

    def leave(self, keys: Iterable[bytes], now: float) -> None:
        """Nobody is connected to these sessions any more."""
        for key in keys:
            self._run("UPDATE sessions SET left_at = ? WHERE key = ? AND owner = ?", now, key, self.owner)

    def leave_all(self, now: float) -> None:
        self._run("UPDATE sessions SET left_at = ? WHERE owner = ? AND left_at IS NULL", now, self.owner)

    def delete(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            self._run("DELETE FROM changes WHERE key = ?", key)
            self._run("DELETE FROM sessions WHERE key = ?", key)

    def delete_own(self, keys: Iterable[bytes]) -> None:
        """Deletes sessions that are still one's own."""
        found = self._owners([*keys])
        self.delete(key for key, owner in found.items() if owner == self.owner)

    def sweep(self, oldest: float, most: int) -> None:
        """Removes sessions left before `oldest`, those left first of more than `most`, and dead owners."""
        for [owner] in self._all("SELECT DISTINCT owner FROM sessions WHERE left_at IS NULL"):
            left_at = self._ended_at(owner, None)
            if left_at < float("inf"):
                self._run(
                    "UPDATE sessions SET left_at = ? WHERE owner = ? AND left_at IS NULL", left_at, owner
                )
        late = "SELECT key FROM sessions WHERE left_at < ? ORDER BY left_at LIMIT ?"
        self.delete(key for [key] in self._all(late, oldest, SWEPT_AT_ONCE))
        excess = "SELECT key FROM sessions WHERE left_at IS NOT NULL ORDER BY left_at DESC LIMIT ? OFFSET ?"
        self.delete(key for [key] in self._all(excess, SWEPT_AT_ONCE, most))
        self._forget_dead_owners()

    def lost(self) -> list[bytes]:
        """Sessions that others have taken."""
        keys = [key for [key] in self._all("SELECT key FROM takeovers WHERE owner = ?", self.owner)]
        if keys:
            self._run("DELETE FROM takeovers WHERE owner = ?", self.owner)
        return keys

    def has_lost(self) -> bool:
        """Whether `lost` would give any; needs no transaction."""
        return bool(self._all("SELECT 1 FROM takeovers WHERE owner = ? LIMIT 1", self.owner))

    def try_out(self) -> None:
        """Writes something that nobody needs."""
        self._run("INSERT INTO takeovers VALUES (?, zeroblob(65536))", self.owner)

    # --- owners ---------------------------------------------------------------------------------------------

    def show_life(self) -> None:
        """Notes when this owner was alive last, for what is left to do after its death."""
        os.utime(self._file)

    def _ended_at(self, owner: str, left_at: float | None) -> float:
        """When a session was left: inf while its owner serves it, -inf where it is not whole."""
        if owner == self.owner:
            return float("inf") if left_at is None else left_at
        try:
            with open(self._folder / owner, "rb") as file:
                is_dead = _locked(file.fileno())
                seen = os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return float("-inf")
        if left_at is not None:
            return left_at
        return seen if is_dead else float("inf")

    def _forget_dead_owners(self) -> None:
        known = {owner for [owner] in self._all("SELECT DISTINCT owner FROM sessions")}
        for path in self._folder.glob("owner-*"):
            if path.name not in known and path.name != self.owner:
                _remove_dead(path)
        self._run(
            "DELETE FROM takeovers WHERE owner NOT IN (SELECT value FROM json_each(?))", _listed(self._folder)
        )

    # --- rows -----------------------------------------------------------------------------------------------

    def _events(self, key: bytes) -> list[AnyEvent]:
        rows = self._all("SELECT events FROM changes WHERE key = ? ORDER BY number", key)
        return [event for [blob] in rows for event in decoded(blob)]

    def _whole_events(self, key: bytes) -> list[Event]:
        """None at all where any of them is damaged."""
        try:
            return folded(self._events(key))
        except InputError:
            return []

    def _owners(self, keys: Sequence[bytes]) -> Mapping[bytes, str]:
        found: dict[bytes, str] = {}
        for some in _parts(keys, PARAMETERS):
            marks = ",".join("?" * len(some))
            found.update(self._all(f"SELECT key, owner FROM sessions WHERE key IN ({marks})", *some))
        return found

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """In one statement, since each one gives up the interpreter's lock and waits for it again."""
        width = len(rows[0]) if rows else 1
        for some in _parts(rows, PARAMETERS // width):
            marks = ",".join([f"({','.join('?' * width)})"] * len(some))
            self._run(f"INSERT INTO {table} VALUES {marks}", *(value for row in some for value in row))

    def _all(self, statement: str, *values: Any) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)


def prepare(folder: Path) -> bool:
    """Makes the database, or looks whether it can be used; whether a damaged one was removed."""
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


def _opened(folder: Path) -> sqlite3.Connection:
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


def _new_owner(folder: Path) -> tuple[str, int]:
    """A name that nobody had, and its file, locked."""
    while True:
        name = f"owner-{secrets.token_hex(8)}"
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if (folder / name).exists():  # nobody has taken it for dead before it was locked
            return name, file
        os.close(file)


def _locked(file: int) -> bool:
    """Whether nobody else has locked it; now it is."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_dead(path: Path) -> None:
    with suppress(FileNotFoundError), open(path, "rb") as file:
        if _locked(file.fileno()):
            path.unlink()


def _listed(folder: Path) -> str:
    return json.dumps([path.name for path in folder.glob("owner-*")])


def _parts(items: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), most):
        yield items[start : start + most]
