"""Base class of shelves on other machines, and their common format, errors and bounds.

Owners send heartbeats. No decision depends on the clock of another machine: an owner has been silent for as
long as its counter of heartbeats has not changed on the clock of the observer.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from treewhile.oracles.errors import InputError
from treewhile.server.stores.records import owner_of
from treewhile.server.stores.shelves import Bounds, Shelf, SlowError

FORMAT: Final = b"1"  # of all records on a shelf
MESSAGE_LIMIT: Final = (1 << 20) - 8192  # bytes: that of NATS, less headers
READ_SECONDS: Final = 2.0


class Lives:
    """Last observed heartbeats of all owners."""

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
