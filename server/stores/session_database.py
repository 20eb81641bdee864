"""Statements on the session database, a file that processes share; each session has one owner.

Keys are hashes, so that nobody can resume a session by reading the file. This module reads no clock and
starts no thread.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from treewhile.incremental.sessions.messages import AnyEvent, Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.records import decoded, encoded, folded
from treewhile.server.stores.owners import Owner
from treewhile.server.stores.session_file import opened
from treewhile.server.stores.takeovers import Taken

FOLD_AFTER: Final = 256  # changes
MOST_EVENTS: Final = 5000  # of a session that folding does not shorten
PARAMETERS: Final = 30_000  # of one statement
SWEPT_AT_ONCE: Final = 1000


class Written(NamedTuple):
    """Successive changes of a session, with the numbers of the first and the last one."""

    key: bytes
    first: int
    number: int
    model: str
    epoch: int
    events: Sequence[Event]


class SessionDatabase:
    """Database of a folder, for one thread of one owner; methods raise sqlite3.Error or OSError."""

    def __init__(self, folder: Path) -> None:
        self._connection = opened(folder)
        self.owner = Owner(folder)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as a transaction, durable at its end."""
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
        """Close the database and let other owners take the sessions."""
        self._connection.close()
        self.owner.end()

    # --- within a transaction -------------------------------------------------------------------------------

    def write(self, written: Sequence[Written]) -> set[bytes]:
        """Write changes of own or new sessions, and return the keys of sessions that others own."""
        owners = self._owners([one.key for one in written])
        mine = [
            one
            for one in written
            if owners.get(one.key, self.owner.name if one.first == 1 else "") == self.owner.name
        ]
        new = [one for one in mine if one.key not in owners]
        self._insert("sessions", [(one.key, self.owner.name, one.epoch, one.model, None) for one in new])
        self._insert("changes", [(one.key, one.number, encoded(one.events)) for one in mine])
        return {one.key for one in written} - {one.key for one in mine}

    def fold(self, key: bytes) -> bool:
        """Shorten the stored changes of a session, and return whether they are short enough now."""
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
        """Become the owner of a session, if it exists and was left after `oldest`."""
        rows = self._all("SELECT owner, epoch, model, left_at FROM sessions WHERE key = ?", key)
        if not rows:
            return None
        owner, epoch, model, left_at = rows[0]
        events = None if owner == self.owner.name else self._whole_events(key)
        if self.owner.ended_at(owner, left_at) < oldest or events == []:
            self.delete([key])
            return None
        self._run(
            "UPDATE sessions SET owner = ?, epoch = ?, left_at = NULL WHERE key = ?",
            self.owner.name,
            epoch + 1,
            key,
        )
        [[number]] = self._all("SELECT ifnull(max(number), 0) FROM changes WHERE key = ?", key)
        if events is not None:
            self._run("INSERT OR IGNORE INTO takeovers VALUES (?, ?)", owner, key)
        return Taken(epoch, model, number, events)

    def owner_of(self, key: bytes) -> str | None:
        """Return the owner of a session, or None if it does not exist; needs no transaction."""
        return self._owners([key]).get(key)

    def leave(self, keys: Iterable[bytes], now: float) -> None:
        """Note when these sessions lost their last connection."""
        for key in keys:
            self._run(
                "UPDATE sessions SET left_at = ? WHERE key = ? AND owner = ?", now, key, self.owner.name
            )

    def leave_all(self, now: float) -> None:
        self._run("UPDATE sessions SET left_at = ? WHERE owner = ? AND left_at IS NULL", now, self.owner.name)

    def delete(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            self._run("DELETE FROM changes WHERE key = ?", key)
            self._run("DELETE FROM sessions WHERE key = ?", key)

    def delete_own(self, keys: Iterable[bytes]) -> None:
        """Delete those of the sessions that this owner still has."""
        found = self._owners([*keys])
        self.delete(key for key, owner in found.items() if owner == self.owner.name)

    def sweep(self, oldest: float, most: int) -> None:
        """Remove sessions left before `oldest`, the oldest of more than `most` left ones, and dead owners."""
        for [owner] in self._all("SELECT DISTINCT owner FROM sessions WHERE left_at IS NULL"):
            left_at = self.owner.ended_at(owner, None)
            if left_at < float("inf"):
                self._run(
                    "UPDATE sessions SET left_at = ? WHERE owner = ? AND left_at IS NULL", left_at, owner
                )
        late = "SELECT key FROM sessions WHERE left_at < ? ORDER BY left_at LIMIT ?"
        self.delete(key for [key] in self._all(late, oldest, SWEPT_AT_ONCE))
        excess = "SELECT key FROM sessions WHERE left_at IS NOT NULL ORDER BY left_at DESC LIMIT ? OFFSET ?"
        self.delete(key for [key] in self._all(excess, SWEPT_AT_ONCE, most))
        self.owner.remove_dead({owner for [owner] in self._all("SELECT DISTINCT owner FROM sessions")})
        takeovers = "DELETE FROM takeovers WHERE owner NOT IN (SELECT value FROM json_each(?))"
        self._run(takeovers, json.dumps(self.owner.all_names()))

    def lost(self) -> list[bytes]:
        """Return the sessions that others have taken since the last call."""
        keys = self.losses()
        if keys:
            self._run("DELETE FROM takeovers WHERE owner = ?", self.owner.name)
        return keys

    def losses(self) -> list[bytes]:
        """Return the result that `lost` would have; needs no transaction."""
        return [key for [key] in self._all("SELECT key FROM takeovers WHERE owner = ?", self.owner.name)]

    def has_lost(self) -> bool:
        """Return whether `lost` would return any session; needs no transaction."""
        return bool(self._all("SELECT 1 FROM takeovers WHERE owner = ? LIMIT 1", self.owner.name))

    def try_out(self) -> None:
        """Write a large dummy row, to find out whether the disk takes writes."""
        self._run("INSERT INTO takeovers VALUES (?, zeroblob(65536))", self.owner.name)

    # --- rows -----------------------------------------------------------------------------------------------

    def _events(self, key: bytes) -> list[AnyEvent]:
        rows = self._all("SELECT events FROM changes WHERE key = ? ORDER BY number", key)
        return [event for [blob] in rows for event in decoded(blob)]

    def _whole_events(self, key: bytes) -> list[Event]:
        """Return the folded events of a session, or none if any is damaged."""
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
        """Insert rows with few statements, since each one releases the interpreter lock for a while."""
        width = len(rows[0]) if rows else 1
        for some in _parts(rows, PARAMETERS // width):
            marks = ",".join([f"({','.join('?' * width)})"] * len(some))
            self._run(f"INSERT INTO {table} VALUES {marks}", *(value for row in some for value in row))

    def _all(self, statement: str, *values: Any) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)


def _parts(items: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), most):
        yield items[start : start + most]
