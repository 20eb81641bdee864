"""The file of the sessions: an SQLite database, whose journal survives kill -9 and power cuts.

    sessions   the key of each, who owns it, its epoch, its model, and since when nobody is connected
    changes    what has come, by session and number; folded where it has become long
    takeovers  sessions that an owner has lost to another one, until it has looked

Whoever has opened it holds plain `sqlite3`: the statements stand in `session_database`.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from treewhile.oracles.errors import InputError

FORMAT: Final = 1
NAME: Final = "sessions.db"
LARGEST_PAGES: Final = 1 << 18  # of 4 KiB: a gibibyte
BUSY_SECONDS: Final = 10.0

TABLES: Final = """
CREATE TABLE sessions(
    key BLOB PRIMARY KEY, owner TEXT, epoch INTEGER, model TEXT, left_at REAL) WITHOUT ROWID;
CREATE INDEX by_owner ON sessions(owner);
CREATE INDEX by_time ON sessions(left_at) WHERE left_at IS NOT NULL;
CREATE TABLE changes(key BLOB, number INTEGER, events BLOB, PRIMARY KEY(key, number)) WITHOUT ROWID;
CREATE TABLE takeovers(owner TEXT, key BLOB, PRIMARY KEY(owner, key)) WITHOUT ROWID;
"""


def prepare(folder: Path) -> bool:
    """Makes the database, or checks that it can be used; says whether a damaged one was removed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = opened(folder)
        connection.close()
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise InputError(f"cannot keep sessions ({error}): give another folder, {folder}") from None
        _remove(folder)
        opened(folder).close()
        return True
    except OSError as error:
        raise InputError(f"cannot keep sessions ({error.strerror}): give another folder, {folder}") from None
    return False


def opened(folder: Path) -> sqlite3.Connection:
    """A connection to the file of a folder, which is made if there is none."""
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
