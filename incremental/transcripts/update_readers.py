"""Readers of updates, each at its own speed: one that is slow has those of a turn as one."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from weakref import WeakSet

from treewhile.incremental.transcripts.updates import Update, joined_updates

MOST_WAITING: Final = 100  # updates that wait for a reader, of as many turns; of more, the oldest go


class UpdateReader:
    """The updates as they come, for one reader, as an asynchronous iterator."""

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
        """Keeps an update until it is read, together with the last one that waits if that is of its turn."""
        if self._waiting and self._waiting[-1].turn == update.turn:
            update = joined_updates(self._waiting.pop(), update)
        self._waiting.append(update)
        self._news.set()

    def end(self, error: Exception | None) -> None:
        """Nothing more comes, once all that waits is read; an error is raised then."""
        self._has_ended, self._error = True, error
        self._news.set()


class UpdateReaders:
    """All readers of one listener; one that nobody holds any longer is forgotten."""

    def __init__(self) -> None:
        self._readers = WeakSet[UpdateReader]()
        self._end: tuple[Exception | None] | None = None

    def new(self) -> UpdateReader:
        """A reader of what comes from now on."""
        reader = UpdateReader()
        self._readers.add(reader)
        if self._end:
            reader.end(*self._end)
        return reader

    def tell(self, update: Update) -> None:
        """Gives an update to each reader."""
        for reader in self._readers:
            reader.take(update)

    def end(self, error: Exception | None = None) -> None:
        """Tells all readers, also those to come, that nothing more comes, and why."""
        self._end = (error,)
        for reader in self._readers:
            reader.end(error)
