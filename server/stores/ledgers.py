"""Bookkeeping of stored and unstored events of a session on a shelf, without a clock and without I/O."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.records import folded
from treewhile.server.stores.records import Record
from treewhile.server.stores.shelves import LONGEST_ROW, Bounds

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
