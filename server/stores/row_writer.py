"""Writing of the sessions of one owner to their rows on a shelf.

Events that arrive during a round trip to the shelf go together with the next one; typing never waits for the
shelf. While the shelf does not answer, or is full, sessions go on, and their changes are acknowledged once
the shelf has them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, Protocol

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.logs import Log
from treewhile.server.stores.patient_shelf import PatientShelf
from treewhile.server.stores.records import Record, decoded, encoded, folded
from treewhile.server.stores.shelves import LONGEST_ROW, Addition, AwayError, Bounds, BrokenError, Row

GROUP_SECONDS: Final = 0.004  # delay of a write for others to join; only acknowledgements wait
MOST_AT_ONCE: Final = 256  # sessions in one round trip
MOST_REMOVALS: Final = 100_000  # removals that wait for the shelf; others happen when this owner is dead

FOREIGN: Final = Record("", 0, "", 0, True, [])


class Sessions(Protocol):
    """Sessions of an owner, which hear how far they are stored.

    standstills   number of times that this process stood still
    """

    standstills: int

    def epoch_of(self, key: bytes) -> int | None:
        """Return the epoch of a session, or None if it is not restored yet."""

    def make_durable(self, key: bytes, number: int) -> None:
        """Note that all events up to a number are stored."""

    def trust(self, key: bytes, standstills: int) -> None:
        """Note that a session had this owner after so many standstills."""

    def lose(self, key: bytes) -> None:
        """Forget a session that another owner has taken over."""

    def stop(self, key: bytes) -> None:
        """Stop storing a session, which goes on in memory."""


class RowWriter:
    """Writer of the sessions of one owner."""

    def __init__(self, shelf: PatientShelf, sessions: Sessions, log: Log) -> None:
        self._shelf, self._sessions, self._log = shelf, sessions, log
        self._ledgers: dict[bytes, Ledger] = {}
        self._behind: dict[bytes, None] = {}  # keys of sessions to write, in order
        self._removals: dict[bytes, Ledger] = {}
        self._stirred, self._is_stirring, self._writing = asyncio.Event(), False, asyncio.Lock()

    # --- for the loop ---------------------------------------------------------------------------------------

    def write(self, key: bytes, number: int, event: Event, model: str) -> None:
        """Store an event under its number, soon."""
        if number == 1:
            self._ledgers[key] = Ledger(model, self._shelf.shelf.bounds)
        ledger = self._ledgers.get(key)
        if ledger is None:  # another owner took the session before it was restored here
            self._sessions.lose(key)
            return
        ledger.take(number, event)
        self._fall_behind(key)

    def delete(self, key: bytes) -> None:
        """Remove a session that has ended from the shelf, soon."""
        self._behind.pop(key, None)
        ledger = self._ledgers.pop(key, None)
        if ledger and len(self._removals) < MOST_REMOVALS:
            self._removals[key] = ledger
            self.stir()

    def leave(self, key: bytes) -> None:
        """Leave a session that was just taken over on the shelf, for whoever takes it next."""
        self._behind.pop(key, None)
        self._ledgers.pop(key, None)

    def begin(self, key: bytes, revision: int, record: Record) -> None:
        """Note a session that this owner has just taken over."""
        self._removals.pop(key, None)
        self._ledgers[key] = ledger = Ledger(record.model, self._shelf.shelf.bounds)
        ledger.begin(revision, record)

    def has(self, key: bytes) -> bool:
        """Return whether this owner has a session, as far as it knows."""
        return key in self._ledgers

    def doubt(self, keys: Iterable[bytes]) -> None:
        """Ask the shelf, soon, for the owners of these sessions, and write them again."""
        for key in keys:
            if key in self._ledgers:
                self._doubt(key, self._ledgers[key])

    def doubt_all(self) -> int:
        """Do the same for all sessions, and return their number."""
        self.doubt([*self._ledgers])
        return len(self._ledgers)

    def clear(self) -> None:
        """Forget all sessions."""
        for one in (self._ledgers, self._behind, self._removals):
            one.clear()

    # --- with the shelf -------------------------------------------------------------------------------------

    async def keep_writing(self) -> None:
        """Write until the server ends."""
        while not self._shelf.ending.is_set():
            await self._stirred.wait()
            self._stirred.clear()
            self._is_stirring = False
            with suppress(AwayError):
                await self._shelf.insisting(self.write_all)

    def stir(self) -> None:
        """Let the writer look, soon, whether there is anything to do."""
        if not self._is_stirring:
            self._is_stirring = True
            asyncio.get_running_loop().call_later(GROUP_SECONDS, self._stirred.set)

    async def confirm(self, key: bytes) -> bool:
        """Write to a session for a client that comes back, and return whether this owner still has it."""
        ledger = self._ledgers[key]
        ledger.doubt()
        ledger.connections = 1
        try:
            self._fall_behind(key)
            await self.write_all()
        finally:
            ledger.connections = 0
        return key in self._ledgers

    async def write_all(self) -> None:
        """Write until nothing is left to write; raise BrokenError if too much waits."""
        async with self._writing:
            try:
                while self._behind or self._removals:
                    keys = [*islice(self._behind, MOST_AT_ONCE)]
                    doubtful = [key for key in keys if self._ledgers[key].revision is None]
                    if doubtful:
                        await self._settle(doubtful)
                    await self._write_some(key for key in keys if key in self._ledgers)
                    if self._removals:
                        await self._remove_some()
            except AwayError as error:
                waiting = sum(self._ledgers[key].unstored for key in self._behind)
                if waiting > self._shelf.shelf.bounds.behind:
                    raise BrokenError(str(error)) from None
                raise

    async def _write_some(self, keys: Iterable[bytes]) -> None:
        written: list[tuple[bytes, Ledger, Record]] = []
        additions: list[Addition] = []
        for key in keys:
            self._behind.pop(key, None)
            ledger, epoch = self._ledgers[key], self._sessions.epoch_of(key)
            if epoch is None:
                continue
            record = ledger.record(self._shelf.owner, epoch + ledger.connections)
            blob = encoded(record) if record else b""
            if record is None or len(blob) > self._shelf.shelf.bounds.record:
                self.delete(key)
                self._sessions.stop(key)
                continue
            written.append((key, ledger, record))
            additions.append(Addition(key, blob, ledger.revision or 0, record.is_whole))
        standstills = self._sessions.standstills
        try:
            revisions = await self._shelf.shelf.add(additions, self._shelf.patience) if additions else []
        except BaseException:
            for key, ledger, _ in written:
                self._doubt(key, ledger)
            raise
        for (key, ledger, record), addition, revision in zip(written, additions, revisions, strict=True):
            if revision is None:
                self._doubt(key, ledger)
            else:
                ledger.stand(revision, record, len(addition.record))
                self._sessions.make_durable(key, record.number)
                self._sessions.trust(key, standstills)

    async def _settle(self, doubtful: Sequence[bytes]) -> None:
        """Read the last records of sessions whose last write may have failed."""
        standstills = self._sessions.standstills
        for key, last in zip(doubtful, await self._last_records(doubtful), strict=True):
            ledger = self._ledgers.get(key)
            if ledger is None:
                continue
            revision, record = last
            if record and record.owner != self._shelf.owner:
                self._give_way(key, ledger)
            else:
                ledger.settle(revision, record)
                self._sessions.make_durable(key, ledger.stored)
                self._sessions.trust(key, standstills)

    async def _last_records(self, keys: Iterable[bytes]) -> list[tuple[int, Record | None]]:
        rows = await asyncio.gather(*map(self._shelf.read, keys))
        return [(row.revision, self._last_of(row)) for row in rows]

    def _last_of(self, row: Row) -> Record | None:
        """Return the last record of a row; an unreadable record counts as another owner's."""
        try:
            return decoded(row.records[-1]) if row.records else None
        except InputError as error:
            self._log.error("a session cannot be read", error=str(error))
            return FOREIGN

    async def _remove_some(self) -> None:
        ended = dict(islice(self._removals.items(), MOST_AT_ONCE))
        last = dict(zip(ended, await self._last_records(ended), strict=True))
        await asyncio.gather(
            *(
                self._shelf.shelf.remove(key, revision)
                for key, (revision, record) in last.items()
                if record and record.owner == self._shelf.owner and key not in self._ledgers
            )
        )
        for key, ledger in ended.items():
            if self._removals.get(key) is ledger:
                del self._removals[key]

    def _fall_behind(self, key: bytes) -> None:
        self._behind[key] = None
        self.stir()

    def _doubt(self, key: bytes, ledger: Ledger) -> None:
        ledger.doubt()
        if self._ledgers.get(key) is ledger:
            self._fall_behind(key)

    def _give_way(self, key: bytes, ledger: Ledger) -> None:
        """Forget a session that another server has taken over."""
        self._behind.pop(key, None)
        self._ledgers.pop(key, None)
        if ledger.unstored > 0:
            what = "another server has a session: what came here since then is not acknowledged"
            self._log.warning(what, changes=ledger.unstored)
        self._sessions.lose(key)


# --- bookkeeping --------------------------------------------------------------------------------------------

MOST_EVENTS: Final = 5000  # of a session that folding does not shorten


class Ledger:
    """Ledger of one session. While `revision` is None, the last record on the shelf is unknown.

    number     number of the last event received
    stored     number of the last event on the shelf
    revision   revision of the last record on the shelf
    epoch      epoch in the last record on the shelf
    connections   connections that are being made, which the next record adds to the epoch
    """

    def __init__(self, model: str, bounds: Bounds) -> None:
        self.model, self._bounds = model, bounds
        self.number = self.stored = self.epoch = self.connections = 0
        self.revision: int | None = 0
        self._events: list[Event] = []  # since the last whole record
        self._rows, self._bytes = LONGEST_ROW, 0  # since the last whole record; a full row needs a new one

    def begin(self, revision: int, record: Record) -> None:
        """Note a whole record that was just written by this owner."""
        self.number, self.epoch, self._events = record.number, record.epoch, [*record.events]
        self.stand(revision, record, 0)

    def take(self, number: int, event: Event) -> None:
        """Note a received event."""
        self.number = number
        self._events.append(event)

    @property
    def unstored(self) -> int:
        """Number of events that are not on the shelf."""
        return self.number - self.stored

    def record(self, owner: str, epoch: int) -> Record | None:
        """Return the next record to write, or None if the session is too long to be stored."""
        if self._rows < LONGEST_ROW and self._bytes < self._bounds.record:
            new = self._events[len(self._events) - self.unstored :]
            return Record(owner, epoch, self.model, self.number, False, new)
        try:
            self._events = folded(self._events)
        except InputError:
            return None
        if len(self._events) > MOST_EVENTS:
            return None
        return Record(owner, epoch, self.model, self.number, True, [*self._events])

    def stand(self, revision: int, record: Record, size: int) -> None:
        """Note a record that is on the shelf."""
        self.revision, self.stored, self.epoch = revision, record.number, record.epoch
        self._rows = 0 if record.is_whole else self._rows + 1
        self._bytes = 0 if record.is_whole else self._bytes + size

    def doubt(self) -> None:
        """Note that the last record may or may not be on the shelf; the next record is whole."""
        self.revision, self._rows = None, LONGEST_ROW

    def settle(self, revision: int, last: Record | None) -> None:
        """Note the last record of the shelf, which this owner has written."""
        self.revision = revision
        self.stored = min(last.number, self.number) if last else 0
