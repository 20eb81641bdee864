"""Other owners on the same shelf: sessions are taken over from them, and removed when they are dead.

Each session has one owner at a time. A new owner adds a record to the row of the session; later writes of the
former owner are then refused, and so never acknowledged. An owner is dead when it has shown no life for as
long as sessions wait for their clients; another owner then removes its sessions.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Final

import msgspec

from treewhile.oracles.errors import InputError
from treewhile.server.logs import Log
from treewhile.server.stores.patient_shelf import PatientShelf
from treewhile.server.stores.records import Record, encoded, joined
from treewhile.server.stores.row_writer import RowWriter
from treewhile.server.stores.session_store import NotFoundYetError
from treewhile.server.stores.shelves import Addition, AwayError, BrokenError, FullError, Row

LOOK_SECONDS: Final = 0.25  # between checks for sessions that others have taken
BEAT_SECONDS: Final = 5.0
BEAT_LOOKS: Final = round(BEAT_SECONDS / LOOK_SECONDS)
FEWEST_BEATS: Final = 3  # missed by an owner before it is dead
FIND_SECONDS: Final = 5.0  # longest wait of a client for its session while the shelf does not answer

OWN: Final = Record("", 0, "", 0, True, [])  # in place of that of a session which this owner already has


class Neighbours:
    """Other owners of sessions, as one owner sees them; `seconds` is how long sessions wait for clients."""

    def __init__(self, shelf: PatientShelf, rows: RowWriter, seconds: float, log: Log) -> None:
        self._shelf, self._rows, self._seconds, self._log = shelf, rows, seconds, log
        self._news: list[tuple[str, bytes]] = []  # losers and keys of sessions taken over
        self._birth = ""  # of the shelf

    # --- taking over ----------------------------------------------------------------------------------------

    async def take(self, key: bytes) -> Record | None:
        """Make this owner that of a session, and return its record, if the session exists."""
        try:
            async with asyncio.timeout(FIND_SECONDS):
                return await self._shelf.insisting(partial(self._take_now, key))
        except BrokenError:
            return None
        except TimeoutError:
            return self._found_here(key)

    async def _take_now(self, key: bytes) -> Record | None:
        try:
            if self._rows.has(key) and await self._rows.confirm(key):
                return OWN
            while (row := await self._shelf.read(key)).records:
                try:
                    before = joined(row.records)
                except InputError as error:
                    self._log.error("a session cannot be read", error=str(error))
                    return None
                if await self._has_taken_over(key, row, before):
                    return before
        except FullError as error:  # writing may take long, and reading has not found another owner
            self._shelf.note_trouble(error)
            return self._found_here(key)
        return None

    def _found_here(self, key: bytes) -> Record:
        """Return OWN for a session of this owner; if another one has taken it, the next write is refused."""
        if self._rows.has(key):
            return OWN
        raise NotFoundYetError

    async def _has_taken_over(self, key: bytes, row: Row, before: Record) -> bool:
        """Write a record of the new owner, and return whether no other owner was faster."""
        record = msgspec.structs.replace(before, owner=self._shelf.owner, epoch=before.epoch + 1)
        addition = Addition(key, encoded(record), row.revision, True)
        [revision] = await self._shelf.shelf.add([addition], self._shelf.patience)
        if revision is None:
            return False
        self._rows.begin(key, revision, record)
        self._news.append((before.owner, key))
        return True

    # --- looking --------------------------------------------------------------------------------------------

    async def keep_looking(self) -> None:
        """Look at the other owners now and then, until the server ends."""
        for turn in count():
            with suppress(AwayError):
                await self._shelf.attempt(partial(self._look, turn % BEAT_LOOKS == 0))
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._shelf.ending.wait()
                    return

    async def _look(self, is_beat: bool) -> None:
        await self._tell()
        self._rows.doubt(await self._shelf.shelf.told(self._shelf.owner))
        if is_beat:
            await self._look_for_losses()
            await self._bury()

    async def _tell(self) -> None:
        """Tell former owners which sessions were taken; owners that miss this find out on writing."""
        news, self._news = self._news, []
        await asyncio.gather(*(self._shelf.shelf.tell(owner, key) for owner, key in news))

    async def _look_for_losses(self) -> None:
        """Write all sessions again, even idle ones, if the shelf has lost its data."""
        birth, before = await self._shelf.shelf.birth(), self._birth
        self._birth = birth
        if before not in ("", birth):
            what = "the store has lost what it had; the sessions of this server are written again"
            self._log.warning(what, sessions=self._rows.doubt_all())

    async def _bury(self) -> None:
        """Show life, and remove the dead if this is the first of the living."""
        shelf, longest = self._shelf.shelf, max(self._seconds, FEWEST_BEATS * BEAT_SECONDS)
        await shelf.beat(self._shelf.owner)
        silences = await shelf.silences()
        dead = {owner for owner, seconds in silences.items() if seconds >= longest}
        if dead and self._shelf.owner == min(silences.keys() - dead, default=""):
            await shelf.forget(dead)
