"""A listener on a server: the same analyses as anywhere, also where the server goes away in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from time import monotonic

import pytest
from cables import Cable
from recognizers import Replay, parsed_at_once, sentence_of

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.transcripts.hypotheses import Hypothesis
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles.errors import InputError
from treewhile.server.client import DisconnectedError, RemoteListener
from treewhile.server.process.server import Server
from treewhile.server.work.engines import Engine

StartServer = Callable[..., Awaitable[Server]]
LayCable = Callable[[Server], Awaitable[tuple[Cable, str]]]
PATIENCE = 30.0


@pytest.fixture
def served(engines: Mapping[str, Engine]) -> Model:
    return engines["tiny"].model


async def end_of_turn(updates: AsyncIterator[Update], replay: Replay) -> Update:
    async with asyncio.timeout(PATIENCE):
        async for update in updates:
            replay.take(update)
            if update.is_over:
                return update
    raise AssertionError("the updates have ended")


def check(update: Update, text: str, model: Model) -> None:
    assert update.text == text
    assert [sentence_of(reading.analysis) for reading in update.readings] == parsed_at_once(model, text)


async def test_turns_are_heard_over_a_socket(start: StartServer, served: Model) -> None:
    server, replay = await start(), Replay()
    async with RemoteListener(server.address.replace("http", "ws", 1)) as listener:
        updates = listener.updates()
        for text in ("the old dog barks", "it cannot sleep ."):
            for length in range(1, len(text)):
                listener.hear(Hypothesis(text[:length]))
                if length % 7 == 0:
                    await asyncio.sleep(0.01)
            listener.hear(Hypothesis(text, is_final=True))
            listener.end_turn()
            check(await end_of_turn(updates, replay), text, served)
        assert listener.state == "present"
    assert {unit.turn for unit in replay.committed} == {0, 1}


async def test_a_server_that_goes_away_is_spoken_to_when_it_is_back(
    start: StartServer, served: Model, cable: LayCable
) -> None:
    first, replay = await start(), Replay()
    line, url = await cable(first)
    async with RemoteListener(url) as listener:
        updates = listener.updates()
        listener.hear(Hypothesis("the old"))
        first_update = await anext(updates)
        replay.take(first_update)
        assert listener.is_current(first_update)
        line.port = 1  # where nobody is
        line.cut()
        while listener.state != "away":
            await asyncio.sleep(0.01)
        listener.hear(Hypothesis("the old dog", is_final=True))
        listener.end_turn()
        listener.hear(Hypothesis("it cannot", is_final=True))
        assert listener.state == "away"
        assert not listener.is_current(first_update)
        second = await start()  # which knows nothing
        line.port = second.port
        check(await end_of_turn(updates, replay), "the old dog", served)
        listener.hear(Hypothesis("bark", is_final=True))
        listener.end_turn()
        check(await end_of_turn(updates, replay), "it cannot bark", served)


async def test_a_conversation_begins_before_the_server_does(
    start: StartServer, served: Model, cable: LayCable
) -> None:
    server = await start()
    line, url = await cable(server)
    line.port = 1
    async with RemoteListener(url) as listener:
        listener.hear(Hypothesis("the dog", is_final=True))
        listener.end_turn()
        while line.dials == 0:
            await asyncio.sleep(0.01)
        assert listener.state == "away"
        line.port = server.port
        check(await end_of_turn(listener.updates(), Replay()), "the dog", served)


async def test_updates_end_with_the_reason_where_there_is_no_point_in_coming_back(start: StartServer) -> None:
    server = await start()
    async with RemoteListener(server.address.replace("http", "ws", 1), model="xx") as listener:
        listener.hear(Hypothesis("the dog"))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(DisconnectedError):
                async for _ in listener.updates():
                    pass
        assert listener.state == "away"
        assert listener.hear(Hypothesis("the dog barks"))


async def test_documents_are_closed_on_the_server(start: StartServer) -> None:
    server = await start()
    async with RemoteListener(server.address.replace("http", "ws", 1)) as listener:
        updates, replay = listener.updates(), Replay()
        for turn in range(70):  # more than a session may have at a time
            listener.hear(Hypothesis("the dog", is_final=True))
            listener.end_turn()
            assert (await end_of_turn(updates, replay)).turn == turn


async def test_a_discarded_turn_leaves_nothing_here_nor_on_the_server(
    start: StartServer, served: Model
) -> None:
    server, replay = await start(), Replay()
    async with RemoteListener(server.address.replace("http", "ws", 1)) as listener:
        updates = listener.updates()
        listener.hear(Hypothesis("the old dog"))
        while not replay.words:
            replay.take(await anext(updates))
        listener.discard_turn()
        last = await end_of_turn(updates, replay)
        assert (last.turn, last.text, replay.words, replay.arcs) == (0, "", {}, {})
        listener.hear(Hypothesis("it barks", is_final=True))
        listener.end_turn()
        check(await end_of_turn(updates, replay), "it barks", served)


async def test_updates_of_a_server_that_was_away_say_how_late_they_are(
    start: StartServer, cable: LayCable
) -> None:
    line, url = await cable(await start())
    port, line.port = line.port, 1
    async with RemoteListener(url) as listener, asyncio.timeout(PATIENCE):
        listener.hear(Hypothesis("the dog", is_final=True))
        listener.end_turn()
        ended = monotonic()
        while line.dials < 2:
            await asyncio.sleep(0.01)
        away, line.port = monotonic() - ended, port
        assert (await end_of_turn(listener.updates(), Replay())).late >= away


@pytest.mark.parametrize("token", ["secret", "wrong"])
async def test_a_token_may_stand_in_the_address(start: StartServer, token: str) -> None:
    server = await start(token="secret")
    address = server.address.replace("http://", f"ws://any:{token}@", 1)
    async with RemoteListener(address) as listener, asyncio.timeout(PATIENCE):
        listener.hear(Hypothesis("the dog"))
        if token == "secret":
            assert (await anext(listener.updates())).text == "the dog"
        else:
            with pytest.raises(DisconnectedError, match="token"):
                await anext(listener.updates())


async def test_options_of_a_listener_are_checked_where_they_are_given() -> None:
    with pytest.raises(InputError, match="the option stability of a listener does not fit"):
        RemoteListener("ws://127.0.0.1:1", options=OptionChanges(stability=7))
