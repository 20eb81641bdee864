"""Readers of updates, each at its own speed: a slow one gets several updates of a turn merged."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from weakref import WeakSet

from treewhile.incremental.transcripts.updates import Update, joined_updates

MOST_WAITING: Final = 100  # updates that wait for a reader, one for each turn; the oldest are dropped


class UpdateReader:
    """Asynchronous iterator over updates for one reader."""

    def __init__(self) -> None:
        self._waiting = deque[Update](maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._has_ended = False
        self._error: Exception | None = None

    def __aiter__(self) -> UpdateReader:
        return self

    async def __anext__(self) -> Update:
        while not self._waiting and not self._has_ended:
            self._news.clear()
            await self._news.wait()
        if self._waiting:
            return self._waiting.popleft()
        raise self._error or StopAsyncIteration

    def take(self, update: Update) -> None:
        """Queue an update, merged with the last queued one if both are of the same turn."""
        if self._waiting and self._waiting[-1].turn == update.turn:
            update = joined_updates(self._waiting.pop(), update)
        self._waiting.append(update)
        self._news.set()

    def end(self, error: Exception | None) -> None:
        """End the iterator once all queued updates are read; an error is raised then."""
        self._has_ended, self._error = True, error
        self._news.set()


class UpdateReaders:
    """Readers of one listener; one that is no longer referenced is dropped."""

    def __init__(self) -> None:
        self._readers = WeakSet[UpdateReader]()
        self._end: tuple[Exception | None] | None = None

    def new(self) -> UpdateReader:
        """Return a reader of later updates."""
        reader = UpdateReader()
        self._readers.add(reader)
        if self._end:
            reader.end(*self._end)
        return reader

    def tell(self, update: Update) -> None:
        """Queue an update for each reader."""
        for reader in self._readers:
            reader.take(update)

    def end(self, error: Exception | None = None) -> None:
        """End all readers, also later ones, with an optional error."""
        self._end = (error,)
        for reader in self._readers:
            reader.end(error)
