"""Interface of shelves: a shelf is a key-value store with a row of records for each key.

To add a record, one names the revision of the last record of the row; the shelf refuses if the row has a
newer one. So of two owners that believe to have a session, only one can write.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final, NamedTuple

from treewhile.oracles.errors import InputError
from treewhile.server.errors import ServiceError
from treewhile.server.stores.records import owner_of

LONGEST_ROW: Final = 60  # records; a whole record replaces all earlier ones


class AwayError(ServiceError):
    """Error of a shelf that does not answer, or not in time; the operation may have been done."""


class SlowError(AwayError):
    """Error of a shelf that has not answered in time."""


class FullError(AwayError):
    """Error of a shelf that can be read but takes no records at present."""


class BrokenError(AwayError):
    """Error of a shelf that cannot keep its records: the sessions of this owner have to be given up."""


class Bounds(NamedTuple):
    """Bounds of a shelf."""

    record: int  # bytes
    behind: float  # changes that may wait for the shelf before the sessions of their owner are given up


class Addition(NamedTuple):
    """Record to add to a row."""

    key: bytes
    record: bytes
    after: int  # revision of the last record of the row; 0 for none
    is_whole: bool  # true if the records before it are not needed


class Row(NamedTuple):
    """Records of a key, at least those since the last whole one, with the revision of the last."""

    revision: int
    records: Sequence[bytes]


class Shelf(ABC):
    """Key-value store of records; all methods raise AwayError if it does not answer."""

    bounds: Bounds

    @abstractmethod
    async def open(self, owner: str) -> None:
        """Connect and check the format of the records; raise InputError if it is another one."""

    @abstractmethod
    async def birth(self) -> str:
        """Return a random name, which stays until the shelf loses its data; create one if it is missing."""

    @abstractmethod
    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        """Add records in one round trip; return their revisions, None for rows with another last record."""

    @abstractmethod
    async def read(self, key: bytes, seconds: float) -> Row:
        """Return the row of a key; its revision is 0 if there are no records."""

    @abstractmethod
    async def remove(self, key: bytes, after: int) -> None:
        """Remove a row, unless its last revision has changed."""

    @abstractmethod
    async def keys(self) -> list[bytes]:
        """Return the keys of all rows."""

    @abstractmethod
    async def beat(self, owner: str) -> None:
        """Note that an owner is alive."""

    @abstractmethod
    async def silences(self) -> Mapping[str, float]:
        """Return for how many seconds each owner has shown no life."""

    @abstractmethod
    async def forget(self, owners: Collection[str]) -> None:
        """Remove the sessions of dead owners, and then the owners."""

    @abstractmethod
    async def tell(self, owner: str, key: bytes) -> None:
        """Tell an owner that another one has taken a row; the message may be lost."""

    @abstractmethod
    async def told(self, owner: str) -> list[bytes]:
        """Return the keys that an owner has been told since the last call."""

    @abstractmethod
    async def give_up(self) -> None:
        """Close the connection, and let nobody have the sessions of this owner, which are not complete."""

    @abstractmethod
    async def close(self) -> None:
        """Close the connection."""


# --- shelves on other machines ------------------------------------------------------------------------------

FORMAT: Final = b"1"  # of all records on a shelf
MESSAGE_LIMIT: Final = (1 << 20) - 8192  # bytes: that of NATS, less headers
READ_SECONDS: Final = 2.0


class Lives:
    """Last observed heartbeats of all owners.

    No decision depends on the clock of another machine: an owner has been silent for as long as its counter
    of heartbeats has not changed on the clock of the observer.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}  # last beat of each owner, first seen at a time

    def silences(self, beats: Mapping[str, int], now: float) -> dict[str, float]:
        """Note the heartbeats of all owners at a time, and return for how long each has not changed."""
        self._seen = {
            owner: seen if (seen := self._seen.get(owner)) and seen[0] == beat else (beat, now)
            for owner, beat in beats.items()
        }
        return {owner: now - since for owner, (_, since) in self._seen.items()}


class RemoteShelf(Shelf):
    """Shelf on other machines; changes wait for it as long as it takes."""

    bounds = Bounds(record=MESSAGE_LIMIT, behind=float("inf"))

    def __init__(self) -> None:
        self._lives = Lives()

    @abstractmethod
    async def _beats(self) -> Mapping[str, int]:
        """Return a number for each owner, which grows with its heartbeats."""

    @abstractmethod
    async def _forget_beats(self, owner: str) -> None:
        """Remove the heartbeats of an owner."""

    async def silences(self) -> Mapping[str, float]:
        return self._lives.silences(await self._beats(), monotonic())

    async def forget(self, owners: Collection[str]) -> None:
        for key in await self.keys():
            row = await self.read(key, READ_SECONDS)
            if row.records and owner_of(row.records[-1]) in owners:
                await self.remove(key, row.revision)
        for owner in owners:
            await self._forget_beats(owner)

    async def give_up(self) -> None:
        await self.close()


@asynccontextmanager
async def answering(
    machine: str, explained: Callable[[Exception], Exception], seconds: float
) -> AsyncIterator[None]:
    """Limit the time of the block, and translate errors of the machine."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise SlowError(f"{machine} does not answer in time") from None
    except Exception as error:
        raise explained(error) from None


def check_format(found: bytes) -> None:
    """Raise InputError if the records of a shelf have another format."""
    if found != FORMAT:
        what = f"the sessions were written in format {found.decode(errors='replace'):.20}"
        raise InputError(f"{what}, and this treewhile writes {FORMAT.decode()}: give another --sessions")
