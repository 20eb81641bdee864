"""A session for asyncio: events and messages on the loop, jobs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.sessions.messages import AnyMessage
from treewhile.incremental.sessions.session import Session


class AsyncSession:
    """A session at work beside an event loop, for the time of an asynchronous context.

        async with AsyncSession(Session(load_model())) as session:
            session.receive(Open("letter", 0, text="Peter drives a red"))
            async for message in session.messages():
                ...

    It is to be used on one loop; `threads` is that of `ThreadedSession`. Nothing piles up where nobody reads
    for a while: a message is made when it is read, from the newest analysis.
    """

    def __init__(self, session: Session, threads: int = 1) -> None:
        self._session, self._threads = session, threads
        self._news = asyncio.Event()

    async def __aenter__(self) -> AsyncSession:
        self._loop = asyncio.get_running_loop()
        self._threaded = ThreadedSession(self._session, self._threads, on_news=self._call_loop)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._threaded.close)
        self._news.set()

    def receive(self, event: object) -> None:
        """Takes an event, or a mapping that is one: see `ThreadedSession.receive`. It returns at once."""
        self._threaded.receive(event)

    async def messages(self) -> AsyncIterator[AnyMessage]:
        """The messages as they come, until the context ends; each is read once."""
        while True:
            self._news.clear()
            is_over = self._threaded.is_closed  # before it is read for the last time
            messages = self._threaded.take_messages()
            for message in messages:
                yield message
            if is_over and not messages:
                return
            if not messages:
                await self._news.wait()

    def _call_loop(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._news.set)
