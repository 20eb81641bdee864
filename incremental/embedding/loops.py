"""Between threads and an event loop: calls that happen on it, and what is read there as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def on_loop(call: Callable[[], object]) -> Callable[[], object]:
    """A call from any thread that happens on the running loop, and not once that has ended.

    Where no loop runs, it happens in the thread that it comes from.
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
    """All that there is to take, until the end; `news` says when there may be something."""
    while True:
        news.clear()
        is_over = has_ended()  # before it is taken for the last time
        found = take()
        for one in found:
            yield one
        if is_over and not found:
            return
        if not found:
            await news.wait()
