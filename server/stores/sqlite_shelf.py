"""Shelf in an SQLite file on the local disk, which the processes of a machine share.

Keys are hashes, so that nobody can resume a session by reading the file. If the file is damaged, its owner
gives its sessions up, so that no client gets a part of a session.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from treewhile.server.stores.session_file import SessionFile, SessionThread
from treewhile.server.stores.shelves import Addition, Bounds, Row, Shelf

CHANGES_BEHIND: Final = 200_000  # about 60 MB: the typing of a hundred people in five minutes

LAST: Final = """
WITH asked(key) AS (VALUES {})
SELECT key, (SELECT max(revision) FROM records WHERE records.key = asked.key) FROM asked
"""
REMOVE: Final = "DELETE FROM records WHERE key = ? AND (SELECT max(revision) FROM records WHERE key = ?) = ?"
FORGET: Final = """
DELETE FROM records WHERE key IN
(SELECT key FROM (SELECT key, owner, max(revision) FROM records GROUP BY key) WHERE owner = ?)
"""


class SqliteShelf(Shelf):
    """Shelf in the session file of a folder, for one event loop.

    Revisions begin at a random number, so that none is given again after its row was removed.
    """

    bounds = Bounds(record=1 << 28, behind=CHANGES_BEHIND)

    def __init__(self, folder: Path) -> None:
        self._file = SessionThread(folder)
        self._revision = secrets.randbelow(1 << 48)

    async def open(self, owner: str) -> None:
        await self._file.open(owner)

    async def birth(self) -> str:
        return "file"  # whoever loses it is told by SQLite

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        return await self._file.write(lambda file: self._add(file, additions))

    async def read(self, key: bytes, seconds: float) -> Row:
        return await self._file.read(lambda file: _row(file, key))

    async def remove(self, key: bytes, after: int) -> None:
        await self._file.write(lambda file: file.run(REMOVE, key, key, after))

    async def keys(self) -> list[bytes]:
        found = await self._file.read(lambda file: file.run("SELECT DISTINCT key FROM records"))
        return [key for [key] in found]

    async def beat(self, owner: str) -> None:
        await self._file.read(lambda file: file.owner.beat())

    async def silences(self) -> Mapping[str, float]:
        return await self._file.read(lambda file: file.owner.silences())

    async def forget(self, owners: Collection[str]) -> None:
        await self._file.write(lambda file: _forget(file, owners))
        await self._file.read(lambda file: file.owner.forget(owners))

    async def tell(self, owner: str, key: bytes) -> None:
        add = "INSERT OR IGNORE INTO takeovers VALUES (?, ?)"
        await self._file.write(lambda file: file.run(add, owner, key))

    async def told(self, owner: str) -> list[bytes]:
        asked = "SELECT key FROM takeovers WHERE owner = ?"
        told = [key for [key] in await self._file.read(lambda file: file.run(asked, owner))]
        if told:
            await self._file.write(lambda file: _forget_told(file, owner, told))
        return told

    async def give_up(self) -> None:
        try:
            await self._file.read(lambda file: file.owner.disown())
        finally:
            await self._file.close()

    async def close(self) -> None:
        await self._file.end()

    def _add(self, file: SessionFile, additions: Sequence[Addition]) -> list[int | None]:
        """Add records with few statements, since each one releases the interpreter lock for a while."""
        last = dict(file.run(LAST.format(_marks(len(additions), 1)), *(one.key for one in additions)))
        done: list[int | None] = []
        begun: list[bytes] = []
        values: list[Any] = []
        for key, record, after, is_whole in additions:
            if (last[key] or 0) != after:
                done.append(None)
                continue
            self._revision = last[key] = max(self._revision, after) + 1
            done.append(self._revision)
            values += (key, self._revision, file.owner.name, record)
            if is_whole and after:
                begun.append(key)
        if begun:
            file.run(f"DELETE FROM records WHERE key IN (VALUES {_marks(len(begun), 1)})", *begun)
        if values:
            file.run(f"INSERT INTO records VALUES {_marks(len(values) // 4, 4)}", *values)
        return done


def _row(file: SessionFile, key: bytes) -> Row:
    """Return the row of a key, without its records if the sessions of their owner are incomplete."""
    asked = "SELECT revision, owner, record FROM records WHERE key = ? ORDER BY revision"
    found = file.run(asked, key)
    if not found:
        return Row(0, [])
    revision, owner, _ = found[-1]
    return Row(revision, [record for _, _, record in found] if file.owner.is_whole(owner) else [])


def _forget(file: SessionFile, owners: Collection[str]) -> None:
    for owner in owners:
        file.run(FORGET, owner)
        file.run("DELETE FROM takeovers WHERE owner = ?", owner)


def _forget_told(file: SessionFile, owner: str, keys: Sequence[bytes]) -> None:
    for key in keys:
        file.run("DELETE FROM takeovers WHERE owner = ? AND key = ?", owner, key)


def _marks(rows: int, width: int) -> str:
    return ",".join([f"({','.join('?' * width)})"] * rows)
