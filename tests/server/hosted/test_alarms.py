from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest
from waiting import until

from treewhile.server.hosted.hosted_session import Alarm


class Bell:
    """When it has rung."""

    def __init__(self) -> None:
        self.rung: list[float] = []

    def ring(self) -> None:
        self.rung.append(perf_counter())


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many timers the running loop has made since the first question."""
    made: list[Any] = []

    def count() -> int:
        if not made:
            loop = asyncio.get_running_loop()
            call_later = loop.call_later
            made.append(None)
            monkeypatch.setattr(loop, "call_later", lambda *of: made.append(of) or call_later(*of))
        return len(made) - 1

    return count


async def test_an_alarm_that_is_put_off_rings_once_at_the_last_time_with_the_first_timer(
    timers: Callable[[], int],
) -> None:
    bell = Bell()
    alarm = Alarm(bell.ring)
    start = perf_counter()
    assert timers() == 0
    for more in range(50):
        alarm.set(start + 0.1 + more / 1000)
    assert timers() == 1
    await until(lambda: bell.rung)
    await asyncio.sleep(0.1)
    assert [rung >= start + 0.149 for rung in bell.rung] == [True]


async def test_an_alarm_rings_earlier_if_it_is_set_so() -> None:
    bell = Bell()
    alarm = Alarm(bell.ring)
    alarm.set(perf_counter() + 60)
    alarm.set(perf_counter() + 0.01)
    await until(lambda: bell.rung)
    alarm.set(perf_counter() - 1)
    await until(lambda: len(bell.rung) == 2)


async def test_an_alarm_that_is_not_wanted_any_more_does_not_ring() -> None:
    bell = Bell()
    alarm = Alarm(bell.ring)
    alarm.set(perf_counter() + 0.01)
    alarm.set(None)
    await asyncio.sleep(0.05)
    alarm.set(perf_counter() + 0.01)
    alarm.end()
    await asyncio.sleep(0.05)
    assert bell.rung == []


async def test_an_alarm_may_be_set_again_while_it_rings() -> None:
    rung: list[float] = []

    def ring() -> None:
        rung.append(perf_counter())
        if len(rung) < 3:
            alarm.set(rung[-1] + 0.01)

    alarm = Alarm(ring)
    alarm.set(perf_counter())
    await until(lambda: len(rung) == 3)
    assert rung[2] - rung[0] >= 0.018
