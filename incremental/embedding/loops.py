"""Bridges between threads and an event loop: calls on the loop, and asynchronous reading."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

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
