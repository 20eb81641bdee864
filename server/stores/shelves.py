"""What a shared store asks of a machine that keeps records for it.

A shelf has a row of records for each key. Whoever adds one names the one that was the last before it, and is
refused if there is another one by now: of two who believe that a session is theirs, one can write.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, Protocol

from treewhile.oracles.errors import InputError
from treewhile.server.errors import ServiceError

FORMAT: Final = b"1"  # of all that stands on a shelf
LONGEST_ROW: Final = 60  # records; a whole one takes the place of those before it
LARGEST_RECORD: Final = (1 << 20) - 8192  # bytes: what NATS takes in a message, less its headers


class AwayError(ServiceError):
    """A shelf does not answer, or not in time: what was asked of it may have been done."""


class SlowError(AwayError):
    """A shelf has not answered in time."""


class Addition(NamedTuple):
    """A record that is to be added to a row."""

    key: bytes
    record: bytes
    after: int  # the revision of the last record; 0 for none
    is_whole: bool  # whether nobody needs the records before it


class Row(NamedTuple):
    """The records of a key, at least from the last whole one on, and the revision of the last."""

    revision: int
    records: Sequence[bytes]


class Shelf(Protocol):
    """All methods raise an AwayError where there is no answer."""

    async def open(self, owner: str) -> None:
        """Connects, and checks whose records these are; an InputError if they are of another format."""

    async def birth(self) -> str:
        """A name that the shelf has until it loses all it has; one that is gone is made anew."""

    async def add(self, additions: Sequence[Addition], seconds: float) -> list[int | None]:
        """The revisions of the new records, none where another one was the last; all in one journey."""

    async def read(self, key: bytes, seconds: float) -> Row:
        """What there is of a key; revision 0 if nothing."""

    async def remove(self, key: bytes, after: int) -> None:
        """Removes a row, unless another record is the last one by now."""

    async def keys(self) -> list[bytes]:
        """All that have rows."""

    async def beat(self, owner: str) -> None:
        """Shows that an owner lives."""

    async def beats(self) -> Mapping[str, int]:
        """All owners, each with a number that grows with its beats."""

    async def forget(self, owner: str) -> None:
        """An owner is dead, and its rows are gone."""

    async def tell(self, owner: str, key: bytes) -> None:
        """Lets an owner know that another one has its row now; this may be lost."""

    async def told(self, owner: str) -> list[bytes]:
        """What an owner has been told since it last asked."""

    async def close(self) -> None:
        """Nothing is asked of it any more."""


@asynccontextmanager
async def answering(
    machine: str, explained: Callable[[Exception], Exception], seconds: float
) -> AsyncIterator[None]:
    """A block in which a machine has to answer; its errors become what they mean here."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise SlowError(f"{machine} does not answer in time") from None
    except Exception as error:
        raise explained(error) from None


def check_format(found: bytes) -> None:
    """InputError if what stands on a shelf is of another format."""
    if found != FORMAT:
        what = f"the sessions were written in format {found.decode(errors='replace'):.20}"
        raise InputError(f"{what}, and this treewhile writes {FORMAT.decode()}: give another --sessions")
