"""Interface of shelves: a shelf is a remote key-value store with a row of records for each key.

To add a record, one names the revision of the last record of the row; the shelf refuses if the row has a
newer one. So of two owners that believe to have a session, only one can write.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, Protocol

from treewhile.oracles.errors import InputError
from treewhile.server.errors import ServiceError

FORMAT: Final = b"1"  # of all records on a shelf
LONGEST_ROW: Final = 60  # records; a whole record replaces all earlier ones
LARGEST_RECORD: Final = (1 << 20) - 8192  # bytes: the message limit of NATS, less headers


class AwayError(ServiceError):
    """Error of a shelf that does not answer, or not in time; the operation may have been done."""


class SlowError(AwayError):
    """Error of a shelf that has not answered in time."""


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


class Shelf(Protocol):
    """Remote key-value store of records; all methods raise AwayError if it does not answer."""

    async def open(self, owner: str) -> None:
        """Connect and check the format of the records; raise InputError if it is another one."""

    async def birth(self) -> str:
        """Return a random name, which stays until the shelf loses its data; create one if it is missing."""

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        """Add records in one round trip; return their revisions, None for rows with another last record."""

    async def read(self, key: bytes, seconds: float) -> Row:
        """Return the row of a key; its revision is 0 if there are no records."""

    async def remove(self, key: bytes, after: int) -> None:
        """Remove a row, unless its last revision has changed."""

    async def keys(self) -> list[bytes]:
        """Return the keys of all rows."""

    async def beat(self, owner: str) -> None:
        """Send a heartbeat of an owner."""

    async def beats(self) -> Mapping[str, int]:
        """Return a number for each owner, which grows with its heartbeats."""

    async def forget(self, owner: str) -> None:
        """Forget a dead owner."""

    async def tell(self, owner: str, key: bytes) -> None:
        """Tell an owner that another one has taken a row; the message may be lost."""

    async def told(self, owner: str) -> list[bytes]:
        """Return the keys that an owner has been told since the last call."""

    async def close(self) -> None:
        """Close the connection."""


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
