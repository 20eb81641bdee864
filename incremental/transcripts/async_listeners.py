"""A listener for asyncio: hypotheses and updates on the loop, jobs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.listener import State
from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener
from treewhile.incremental.transcripts.updates import Update


class AsyncListener:
    """A `Listener` with a session of its own beside an event loop, for the time of an asynchronous context.

    async with AsyncListener(Session(load_model())) as listener:
        listener.hear(Hypothesis("peter drives"))
        async for update in listener.updates():
            ...
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._news = asyncio.Event()

    async def __aenter__(self) -> AsyncListener:
        self._loop = asyncio.get_running_loop()
        self._threaded = ThreadedListener(self._session, on_news=self._call_loop)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._threaded.close)
        self._news.set()

    @property
    def state(self) -> State:
        """Whether all that was heard has an analysis."""
        return self._threaded.state

    def is_current(self, update: Update) -> bool:
        """Whether an update is about all that was heard."""
        return self._threaded.is_current(update)

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Takes what a recognizer says, and returns at once: whether it is about the present turn."""
        return self._threaded.hear(hypothesis)

    def silence(self, at: float | None = None) -> None:
        """Nobody speaks since a time: what is interim is taken for final, and an update follows."""
        self._threaded.silence(at)

    def end_turn(self) -> None:
        """The speaker has finished; what is heard from now on belongs to the next turn."""
        self._threaded.end_turn()

    async def updates(self) -> AsyncIterator[Update]:
        """The updates as they come, until the context ends; each is read once."""
        while True:
            self._news.clear()
            is_over = self._threaded.is_closed  # before it is read for the last time
            updates = self._threaded.take_updates()
            for update in updates:
                yield update
            if is_over and not updates:
                return
            if not updates:
                await self._news.wait()

    def _call_loop(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._news.set)
