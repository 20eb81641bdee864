"""One contract of all places that keep sessions: a folder, NATS and Redis, with servers in this process."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept_sessions import WORDS, held, hello, typed
from waiting import until

from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.stores.places import new_shelf

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]
Place = Path | str


@pytest.mark.slow
async def test_another_server_goes_on_with_a_session(start: StartServer, dial: Dial, place: Place) -> None:
    one, other = await start(sessions=place), await start(sessions=place)
    first, second = await dial(one), await dial(other)
    token = await typed(first)
    welcome = await hello(second, token)
    assert (welcome["resumed"], welcome["epoch"], welcome["session"]) == (True, 2, token)
    assert held(welcome) == {"d": 1}
    assert [word["form"] for word in (await second.until("analysis"))["words"]] == [*WORDS, "cat"]
    await second.say("append", document="d", version=2, words=["barks"])
    await second.answered(2)
    assert await first.close_code() == 4409
    third = await dial(one)
    welcome = await hello(third, token)
    assert (welcome["epoch"], held(welcome)) == (3, {"d": 2})


async def test_the_same_server_goes_on_without_reading(
    start: StartServer, dial: Dial, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostedSession, "replay", lambda *_: pytest.fail("it was read from the store"))
    server = await start(sessions=place)
    first, second = await dial(server), await dial(server)
    token = await typed(first)
    welcome = await hello(second, token)
    assert (welcome["resumed"], welcome["epoch"]) == (True, 2)
    assert held(welcome) == {"d": 1}
    assert await first.close_code() == 4409
    await second.say("append", document="d", version=2, words=["barks"])
    await second.answered(2)


@pytest.mark.slow
async def test_a_session_goes_to_and_fro_however_long_it_is(
    start: StartServer, dial: Dial, place: Place
) -> None:
    servers = [await start(sessions=place), await start(sessions=place)]
    wire = await dial(servers[0])
    token, version = await typed(wire), 1
    for turn in range(1, 5):
        for _ in range(40):
            version += 1
            await wire.say("append", document="d", version=version, words=["dog"])
            await wire.answered(version)
        wire = await dial(servers[turn % 2])
        welcome = await hello(wire, token)
        assert (welcome["epoch"], held(welcome)) == (turn + 1, {"d": version})


@pytest.mark.slow
async def test_a_server_that_ends_in_order_leaves_its_sessions(
    start: StartServer, dial: Dial, place: Place
) -> None:
    one = await start(sessions=place)
    wire = await dial(one)
    token = await typed(wire)
    await one.drain()
    assert await wire.close_code() == 1012
    welcome = await hello(await dial(await start(sessions=place)), token)
    assert (welcome["resumed"], held(welcome)) == (True, {"d": 1})


async def test_text_gold_and_steps_by_hand_are_resumed(start: StartServer, dial: Dial, place: Place) -> None:
    first = await dial(await start(sessions=place))
    token = (await hello(first))["session"]
    await first.say("open", document="d", version=0, text="🎉 dog barks", positions="utf16")
    await first.say("edit", document="d", version=1, start=3, end=6, text="cat")
    await first.answered(1)
    await first.say("gold", document="d", version=1, sentence=0, heads=[3, 3, 0])
    await first.until("next_steps", reference="gold")
    await first.say("undo", document="d", version=1, sentence=0)
    told = await first.until("next_steps", by_hand=True)
    second = await dial(await start(sessions=place))
    assert (await hello(second, token))["resumed"] is True
    assert [word["form"] for word in (await second.until("analysis"))["words"]] == ["🎉", "cat", "barks"]
    await second.say("ask_steps", document="d", version=1, sentence=0)
    again = await second.until("next_steps")
    for steps in (again, told):
        del steps["entries_filled"]  # as many as were not known before, which depends on what was told first
    assert again == told


@pytest.mark.slow
@pytest.mark.usefixtures("patient_shelves")
async def test_what_is_over_is_gone_from_the_store(start: StartServer, dial: Dial, place: Place) -> None:
    server = await start(replace(Limits(), resume_seconds=0.0), sessions=place)
    other = await start(sessions=place)
    wire = await dial(server)
    token = await typed(wire)
    await wire.socket.close()
    await until(lambda: len(server.host.store) == 0)
    await gone(place)
    welcome = await hello(await dial(other), token)
    assert welcome["documents"] == []
    assert welcome["session"] != token


@pytest.mark.slow
async def test_sessions_of_a_model_that_is_gone_are_not_resumed(
    start: StartServer, dial: Dial, place: Place, engines: Any
) -> None:
    token = await typed(await dial(await start(sessions=place)))
    other = await start(served={"another": engines["tiny"]}, sessions=place)
    assert (await hello(await dial(other), token))["resumed"] is False


async def test_one_of_many_who_come_at_once_has_the_session(
    start: StartServer, dial: Dial, place: Place
) -> None:
    servers = [await start(sessions=place) for _ in range(3)]
    token = await typed(await dial(servers[0]))
    wires = [await dial(server) for server in servers[1:]]
    welcomes = await asyncio.gather(*(hello(wire, token) for wire in wires), return_exceptions=True)
    epochs = [welcome["epoch"] if isinstance(welcome, dict) else 0 for welcome in welcomes]
    assert max(epochs) == 3
    wire = wires[epochs.index(3)]
    await wire.say("append", document="d", version=2, words=["barks"])
    await wire.answered(2)


@pytest.mark.slow
async def test_no_word_that_is_typed_stands_in_the_log(start: StartServer, dial: Dial, place: Place) -> None:
    log = io.StringIO()
    one, other = await start(sessions=place, log=log), await start(sessions=place, log=log)
    first = await dial(one)
    token = await typed(first)
    await hello(await dial(other), token)
    assert await first.close_code() == 4409
    assert "sees" not in log.getvalue()
    assert token not in log.getvalue()


async def gone(place: Place) -> None:
    """Until nothing is kept there."""
    shelf = new_shelf(place)
    await shelf.open("nobody")
    while await shelf.keys():
        await asyncio.sleep(0.02)
    await shelf.close()
