"""Real servers that have more to do than they can: what is answered, and that the rest comes in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from treewhile.incremental.sessions.jobs import Rank
from treewhile.server.process.server import Server
from treewhile.server.work.scheduling import BUDGET, PATIENCE, RecentShare, Schedule

WORDS = ["the", "old", "dog", "barks"]
CROWD = 12

Start = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]


@pytest.fixture
def loaded() -> Any:
    """What makes any server a loaded one, whose refinements have used up their budget, until it is undone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Schedule, "waited", lambda schedule, now, rank=Rank.ATTACH: 2 * PATIENCE)
        patch.setattr(RecentShare, "at", lambda share, now: BUDGET)
        yield patch


async def test_a_crowd_is_answered_under_load_and_refined_after_it(
    start: Start, dial: Dial, loaded: pytest.MonkeyPatch
) -> None:
    server = await start()
    wires = [await dial(server) for _ in range(CROWD)]
    for wire in wires:
        await wire.open(levels=["L0", "L1"])
    for version, word in enumerate(WORDS, 1):
        for wire in wires:
            await wire.say("append", document="d", version=version, words=[word])
        assert {(await wire.answered(version))["stage"] for wire in wires} == {"initial"}
    assert server.host.threads.lengths()["L1"] == CROWD
    loaded.undo()
    settled = await asyncio.gather(*(wire.reached("settled") for wire in wires))
    assert {(one["version"], *one["levels"]) for one in settled} == {(len(WORDS), "L0", "L1")}
    assert len({str(one["words"]) for one in settled}) == 1


async def test_once_half_of_a_crowd_has_left_the_others_are_refined(
    start: Start, dial: Dial, loaded: pytest.MonkeyPatch
) -> None:
    server = await start()
    wires = [await dial(server) for _ in range(CROWD)]
    for wire in wires:
        await wire.open(*WORDS, levels=["L0", "L1"])
        await wire.answered(0)
    for wire in wires[::2]:
        await wire.socket.close()
    loaded.undo()
    for wire in wires[1::2]:
        assert (await wire.reached("settled"))["levels"] == ["L0", "L1"]


async def test_a_sentence_that_ends_is_refined_before_words_of_others(
    start: Start, dial: Dial, loaded: pytest.MonkeyPatch
) -> None:
    server = await start()
    writer, ender = await dial(server), await dial(server)
    for wire in (writer, ender):
        await wire.open(*WORDS, levels=["L0", "L1"])
        await wire.answered(0)
    await ender.say("finish", document="d", version=1)
    await ender.answered(1)
    loaded.setattr(RecentShare, "at", lambda share, now: 0.9 * BUDGET)
    assert (await ender.reached("final"))["levels"] == ["L0", "L1"]
    assert server.host.threads.lengths()["L1"] == 1, "of the writer"
    loaded.undo()
    assert (await writer.reached("settled"))["levels"] == ["L0", "L1"]
