"""Statements on the session database, a file that processes share.

Keys are hashes, so that nobody can resume a session by reading the file. This module starts no thread.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from treewhile.server.stores.owners import Owner
from treewhile.server.stores.session_file import opened
from treewhile.server.stores.shelves import Addition, Row

LAST: Final = """
WITH asked(key) AS (VALUES {})
SELECT key, (SELECT max(revision) FROM records WHERE records.key = asked.key) FROM asked
"""
OWNED: Final = """
SELECT key FROM (SELECT key, owner, max(revision) FROM records GROUP BY key) WHERE owner = ?
"""


class SessionDatabase:
    """Database of a folder, for one thread of one owner; methods raise sqlite3.Error or OSError.

    Revisions begin at a random number, so that none is given again after its row was removed.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self._connection = opened(folder)
        self.owner = Owner(folder, owner)
        self._revision = secrets.randbelow(1 << 48)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as a transaction, durable at its end."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._run("ROLLBACK")
            raise

    def try_out(self) -> None:
        """Write and remove a large row, to find out whether the disk takes writes."""
        with self.transaction():
            self._run("INSERT INTO takeovers VALUES (?, zeroblob(65536))", self.owner.name)
        with self.transaction():
            self._run("DELETE FROM takeovers WHERE owner = ?", self.owner.name)

    def close(self) -> None:
        """Close the database; this owner is dead then."""
        self._connection.close()
        self.owner.end()

    # --- within a transaction -------------------------------------------------------------------------------

    def add(self, additions: Sequence[Addition]) -> list[int | None]:
        """Add records with few statements, since each one releases the interpreter lock for a while."""
        last = dict(self._all(LAST.format(_marks(len(additions), 1)), *(one.key for one in additions)))
        done: list[int | None] = []
        values: list[Any] = []
        for key, record, after, _ in additions:
            if (last[key] or 0) != after:
                done.append(None)
                continue
            self._revision = last[key] = max(self._revision, after) + 1
            done.append(self._revision)
            values += (key, self._revision, self.owner.name, record)
        begun = [
            one.key for one, at in zip(additions, done, strict=True) if at and one.after and one.is_whole
        ]
        if begun:
            self._run(f"DELETE FROM records WHERE key IN (VALUES {_marks(len(begun), 1)})", *begun)
        if values:
            self._run(f"INSERT INTO records VALUES {_marks(len(values) // 4, 4)}", *values)
        return done

    def remove(self, key: bytes, after: int) -> None:
        if self._all("SELECT max(revision) FROM records WHERE key = ?", key) == [(after,)]:
            self._run("DELETE FROM records WHERE key = ?", key)

    def forget(self, owners: Iterable[str]) -> None:
        for owner in owners:
            self._run(f"DELETE FROM records WHERE key IN ({OWNED})", owner)
            self._run("DELETE FROM takeovers WHERE owner = ?", owner)

    def tell(self, owner: str, key: bytes) -> None:
        self._run("INSERT OR IGNORE INTO takeovers VALUES (?, ?)", owner, key)

    def forget_told(self, owner: str) -> list[bytes]:
        """Return the keys that `told` returns, which then returns none of them any more."""
        told = self.told(owner)
        self._run("DELETE FROM takeovers WHERE owner = ?", owner)
        return told

    # --- without a transaction ------------------------------------------------------------------------------

    def read(self, key: bytes) -> Row:
        """Return the row of a key, without its records if those of their owner are incomplete."""
        found = self._all("SELECT revision, owner, record FROM records WHERE key = ? ORDER BY revision", key)
        if not found:
            return Row(0, [])
        revision, owner, _ = found[-1]
        return Row(revision, [record for _, _, record in found] if self.owner.is_whole(owner) else [])

    def keys(self) -> list[bytes]:
        return [key for [key] in self._all("SELECT DISTINCT key FROM records")]

    def told(self, owner: str) -> list[bytes]:
        return [key for [key] in self._all("SELECT key FROM takeovers WHERE owner = ?", owner)]

    def _all(self, statement: str, *values: Any) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)


def _marks(rows: int, width: int) -> str:
    return ",".join([f"({','.join('?' * width)})"] * rows)
