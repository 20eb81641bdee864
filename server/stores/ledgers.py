"""What of a session stands on a shelf, and what is still to be written; no clock, no I/O."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import Event
from treewhile.oracles.errors import InputError
from treewhile.server.hosted.records import folded
from treewhile.server.stores.shared_records import Record
from treewhile.server.stores.shelves import LARGEST_RECORD, LONGEST_ROW

MOST_EVENTS: Final = 5000  # of a session that cannot be folded


class Ledger:
    """The ledger of a session. As long as its revision is None, nobody knows what its last record is.

    number     of the last event that has come
    stored     of the last event that is on the shelf
    revision   of the last record there
    epoch      that the shelf has been told
    connections   that are just coming, and of which it is to be told with the next record
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self.number = self.stored = self.epoch = self.connections = 0
        self.revision: int | None = 0
        self._events: list[Event] = []  # from the last whole record on
        self._rows, self._bytes = LONGEST_ROW, 0  # since then; a full row asks for a whole record

    def begin(self, revision: int, record: Record) -> None:
        """A whole record has just been written."""
        self.number, self.epoch, self._events = record.number, record.epoch, [*record.events]
        self.stand(revision, record, 0)

    def take(self, number: int, event: Event) -> None:
        """An event has come."""
        self.number = number
        self._events.append(event)

    def record(self, owner: str, epoch: int) -> Record | None:
        """What is to be written now; None if that is too long to be kept."""
        if self._rows < LONGEST_ROW and self._bytes < LARGEST_RECORD:
            new = self._events[len(self._events) - (self.number - self.stored) :]
            return Record(owner, epoch, self.model, self.number, False, new)
        try:
            self._events = folded(self._events)
        except InputError:
            return None
        if len(self._events) > MOST_EVENTS:
            return None
        return Record(owner, epoch, self.model, self.number, True, [*self._events])

    def stand(self, revision: int, record: Record, size: int) -> None:
        """A record is on the shelf."""
        self.revision, self.stored, self.epoch = revision, record.number, record.epoch
        self._rows = 0 if record.is_whole else self._rows + 1
        self._bytes = 0 if record.is_whole else self._bytes + size

    def doubt(self) -> None:
        """Nobody knows whether the last record is on the shelf; the next one is whole."""
        self.revision, self._rows = None, LONGEST_ROW

    def settle(self, revision: int, last: Record | None) -> None:
        """What stands on the shelf is known again, and no one else has written it."""
        self.revision = revision
        self.stored = min(last.number, self.number) if last else 0
