"""Session for asyncio: events and messages on the loop, jobs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.sessions.messages import AnyMessage
from treewhile.incremental.sessions.session import Session

T = TypeVar("T")


def on_loop(call: Callable[[], object]) -> Callable[[], object]:
    """Return a function that schedules a call on the running loop, from any thread, until the loop ends.

    Without a running loop, the call is made directly in the calling thread.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return call

    def call_loop() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(call)

    return call_loop


async def read_as_it_comes(
    take: Callable[[], Sequence[T]], has_ended: Callable[[], bool], news: asyncio.Event
) -> AsyncIterator[T]:
    """Yield all results of `take`, until the end; `news` is set when there may be some."""
    while True:
        news.clear()
        is_over = has_ended()  # before the last take
        found = take()
        for one in found:
            yield one
        if is_over and not found:
            return
        if not found:
            await news.wait()


class AsyncSession:
    """Session that runs beside an event loop, within an asynchronous context.

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
        self._threaded = ThreadedSession(self._session, self._threads, on_news=on_loop(self._news.set))
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._threaded.close)
        self._news.set()

    def receive(self, event: object) -> None:
        """Process an event, or a mapping that is one, without waiting: see `ThreadedSession.receive`."""
        self._threaded.receive(event)

    def messages(self) -> AsyncIterator[AnyMessage]:
        """Return an iterator over the messages as they come, until the context ends; each is read once."""
        threaded = self._threaded
        return read_as_it_comes(threaded.take_messages, lambda: threaded.is_closed, self._news)
