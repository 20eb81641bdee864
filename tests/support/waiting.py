"""How tests wait for what has to come, on a machine that may be slow or stand still for seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 60.0  # seconds; what takes longer hangs

T = TypeVar("T")


async def until(holds: Callable[[], T]) -> T:
    """What it gives once that is something."""
    async with asyncio.timeout(PATIENCE):
        while not (found := holds()):
            await asyncio.sleep(0.005)
    return found
