"""Session file: an SQLite database with a write-ahead log, which survives kill -9 and power cuts.

    records    records of sessions by key and revision, each with the owner that wrote it
    takeovers  sessions that an owner has lost to another one since its last look

This module creates and opens the file; the statements are in `sqlite_shelf`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from treewhile.oracles.errors import InputError
from treewhile.server.stores.owners import Owner

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
