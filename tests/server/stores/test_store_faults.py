"""Stores that are gone, full or slow, and servers that stand still: nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import io
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cables import Cable
from kept_sessions import WORDS, held, hello, typed
from store_servers import Store, nats, redis
from waiting import PATIENCE, until

from treewhile.incremental.sessions.messages import Append, Gold, Open
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.stores import nats_shelf, neighbours, patient_shelf, redis_shelf
from treewhile.server.stores.places import new_shelf
from treewhile.server.stores.records import key_of
from treewhile.server.stores.row_writer import MOST_EVENTS, Ledger
from treewhile.server.stores.shelves import LONGEST_ROW, Addition, Lives, RemoteShelf

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]


def behind(server: Server) -> float | None:
    """How many sessions wait for the store, as Prometheus is told."""
    return server.metrics.registry.get_sample_value("treewhile_sessions_behind")


async def analysed_unanswered(wire: Any, version: int) -> None:
    """A version is analysed, and not acknowledged."""
    said = await wire.next()
    while (said["type"], said.get("version")) not in (("analysis", version), ("delta", version)):
        assert version not in said.get("answers", [])
        said = await wire.next()
    assert version not in said.get("answers", [])


# --- the store ----------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_while_the_store_is_gone_analyses_go_out_and_answers_wait(
    start: StartServer, dial: Dial, store: Store
) -> None:
    log = io.StringIO()
    server = await start(sessions=store.address, log=log)
    wire = await dial(server)
    token = await typed(wire)
    store.kill()
    for version in (2, 3):
        await wire.say("append", document="d", version=version, words=["old"])
    await analysed_unanswered(wire, 3)
    await until(lambda: "acknowledged when the store has them" in log.getvalue())
    assert behind(server) == 1
    store.start()
    await wire.answered(3)
    assert behind(server) == 0
    await until(lambda: "the store answers again" in log.getvalue())
    assert held(await hello(await dial(await start(sessions=store.address)), token)) == {"d": 3}


@pytest.mark.slow
async def test_a_store_that_stands_still_is_one_line_in_the_log(
    start: StartServer, dial: Dial, store: Store
) -> None:
    log = io.StringIO()
    wire = await dial(await start(sessions=store.address, log=log))
    await typed(wire)
    before = len(log.getvalue())
    store.servers[0].stop()
    await wire.say("append", document="d", version=2, words=["old"])
    await analysed_unanswered(wire, 2)
    await until(lambda: "does not answer" in log.getvalue()[before:])
    store.servers[0].go_on()
    await wire.answered(2)
    told, *_ = log.getvalue()[before:].partition("the store answers again")
    assert told.count("does not answer in time") == 1


@pytest.mark.slow
async def test_a_store_that_is_slow_for_ever_acknowledges_all_the_same(
    start: StartServer, dial: Dial, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cable = Cable()
    cable.port = store.servers[0].port
    async with await asyncio.start_server(cable.carry, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        place = f"{store.address.partition(':')[0]}://127.0.0.1:{port}"
        wire = await dial(await start(sessions=place))
        token = await typed(wire)
        monkeypatch.setattr(patient_shelf, "SHORTEST_WAIT", 0.1)
        for shelf in (nats_shelf, redis_shelf):
            monkeypatch.setattr(shelf, "ANSWER_SECONDS", 0.1)
        cable.delay = 0.3
        for version in (2, 3):
            await wire.say("append", document="d", version=version, words=["old"])
            await wire.answered(version)
        cable.cut()
    assert held(await hello(await dial(await start(sessions=store.address)), token)) == {"d": 3}


@pytest.mark.slow
async def test_a_client_whose_session_cannot_be_looked_for_is_asked_to_come_again(
    start: StartServer, dial: Dial, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "FIND_SECONDS", 0.3)
    one, other = await start(sessions=store.address), await start(sessions=store.address)
    wire = await dial(one)
    token = await typed(wire)
    store.kill()
    elsewhere = await dial(other)
    await elsewhere.say("hello", resume=token)
    said = await elsewhere.next()
    assert said["code"] == 1013
    assert said["reason"].startswith("the store of the sessions does not answer; come back")
    here = await dial(one)
    assert held(await hello(here, token)) == {"d": 1}, "its own server has it"
    await here.say("append", document="d", version=2, words=["old"])
    await analysed_unanswered(here, 2)
    store.start()
    await here.answered(2)
    assert held(await hello(await dial(other), token)) == {"d": 2}


async def test_a_store_that_has_lost_everything_gets_it_again(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    forgetful = redis(tmp_path, "--appendonly", "no")
    wire = await dial(await start(sessions=forgetful.address))
    token = await typed(wire)
    forgetful.kill()
    forgetful.start()
    await wire.say("append", document="d", version=2, words=["old"])
    await wire.answered(2)
    assert held(await hello(await dial(await start(sessions=forgetful.address)), token)) == {"d": 2}
    forgetful.kill()


@pytest.mark.slow
async def test_a_store_that_has_lost_everything_gets_what_nobody_types_in_again(
    start: StartServer, dial: Dial, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "BEAT_LOOKS", 1)
    log = io.StringIO()
    server = await start(sessions=store.address, log=log)
    token = await typed(await dial(server))
    shelf = new_shelf(store.address)
    await shelf.open("nobody")
    while not await shelf.silences():  # before which it looks at the store
        await asyncio.sleep(0.02)
    await shelf.close()
    store.kill()
    for lost in (*tmp_path.rglob("jetstream"), *tmp_path.rglob("appendonlydir")):
        shutil.rmtree(lost)
    store.start()
    await until(lambda: "sessions of this server are written again" in log.getvalue() and not behind(server))
    assert held(await hello(await dial(await start(sessions=store.address)), token)) == {"d": 1}


async def test_a_full_store_acknowledges_nothing_until_there_is_room(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    full = redis(tmp_path, "--maxmemory-policy", "noeviction")
    log = io.StringIO()
    server = await start(sessions=full.address, log=log)
    wire = await dial(server)
    token = await typed(wire)
    async with asyncio.timeout(PATIENCE):
        await set_redis(full, "maxmemory", "1")
        await wire.say("append", document="d", version=2, words=["old"])
        await analysed_unanswered(wire, 2)
        await until(lambda: "Redis is full: give it more memory" in log.getvalue())
        await set_redis(full, "maxmemory", "0")
        await wire.answered(2)
    assert held(await hello(await dial(await start(sessions=full.address)), token)) == {"d": 2}
    full.kill()


async def test_a_full_bucket_is_said_to_be(start: StartServer, dial: Dial, tmp_path: Path) -> None:
    store = nats(tmp_path, max_file_store="1100MB")
    log = io.StringIO()
    wire = await dial(await start(sessions=store.address, log=log))
    await typed(wire)
    await limit_bucket(store, 1)
    await wire.say("append", document="d", version=2, words=["old"])
    await analysed_unanswered(wire, 2)
    await until(lambda: "NATS refuses: maximum bytes exceeded" in log.getvalue())
    await limit_bucket(store, 1 << 20)
    await wire.answered(2)
    store.kill()


async def set_redis(store: Store, name: str, value: str) -> None:
    from redis.asyncio import Redis

    client = Redis.from_url(store.address)
    await client.config_set(name, value)
    await client.aclose()


async def limit_bucket(store: Store, size: int) -> None:
    import nats as library

    client = await library.connect(store.address)
    stream = client.jetstream()
    config = (await stream.stream_info("KV_treewhile")).config
    await stream.update_stream(config, max_bytes=size)
    await client.close()


@pytest.mark.usefixtures("patient_shelves")
async def test_a_record_that_cannot_be_read_costs_its_session_alone(
    start: StartServer, dial: Dial, place: Path | str
) -> None:
    log = io.StringIO()
    server = await start(sessions=place, log=log)
    hurt, well = await dial(server), await dial(server)
    token = await typed(hurt)
    await typed(well)
    shelf = new_shelf(place)
    await shelf.open("nobody")
    row = await shelf.read(key_of(token), PATIENCE)
    await shelf.add([Addition(key_of(token), b"of another version", row.revision, True)], PATIENCE)
    await shelf.close()
    await hurt.say("append", document="d", version=2, words=["old"])
    assert await hurt.close_code() == 4409
    await well.say("append", document="d", version=2, words=["old"])
    await well.answered(2)
    assert "a session cannot be read" in log.getvalue()
    welcome = await hello(await dial(server), token)
    assert (welcome["resumed"], held(welcome)) == (False, {})


@pytest.mark.usefixtures("patient_shelves")
async def test_a_session_that_is_too_long_for_a_record_goes_on_in_memory(
    start: StartServer, dial: Dial, place: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start(sessions=place)
    wire = await dial(server)
    token = await typed(wire)
    kind = type(new_shelf(place))
    monkeypatch.setattr(kind, "bounds", kind.bounds._replace(record=100))
    await wire.say("append", document="d", version=2, words=["old"] * 100)
    await wire.answered(2)
    assert held(await hello(await dial(server), token)) == {"d": 2}
    other = await start(sessions=place)
    shelf = new_shelf(place)
    await shelf.open("nobody")
    while await shelf.keys():
        await asyncio.sleep(0.02)
    await shelf.close()
    assert (await hello(await dial(other), token))["resumed"] is False


# --- owners -------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_of_two_servers_who_believe_that_a_session_is_theirs_one_can_write(
    start: StartServer, dial: Dial, place: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = io.StringIO()
    one, other = await start(sessions=place, log=log), await start(sessions=place)
    monkeypatch.setattr(type(new_shelf(place)), "tell", say_nothing)
    first, second = await dial(one), await dial(other)
    token = await typed(first)
    assert held(await hello(second, token)) == {"d": 1}
    await second.say("append", document="d", version=2, words=["mine"])
    await second.answered(2)
    await first.say("append", document="d", version=2, words=["yours"])
    assert await first.close_code() == 4409
    assert log.getvalue().count("another server has a session") == 1
    await second.say("append", document="d", version=3, words=["mine"])
    await second.answered(3)
    third = await dial(await start(sessions=place))
    assert held(await hello(third, token)) == {"d": 3}
    forms = [word["form"] for word in (await third.until("analysis"))["words"]]
    assert forms == [*WORDS, "cat", "mine", "mine"]


async def say_nothing(*_: object) -> None:
    """News may be lost."""


@pytest.mark.slow
@pytest.mark.usefixtures("patient_shelves")
async def test_sessions_of_dead_servers_are_removed_and_those_of_the_living_stay(
    start: StartServer, dial: Dial, place: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "BEAT_SECONDS", 0.25)
    monkeypatch.setattr(neighbours, "BEAT_LOOKS", 1)
    dead = await start(sessions=place)
    await typed(await dial(dead))
    await dead.close()
    living = await start(replace(Limits(), resume_seconds=0.5), sessions=place)
    wire = await dial(living)
    token = await typed(wire)
    shelf = new_shelf(place)
    await shelf.open("nobody")
    while len(await shelf.keys()) > 1 or len({*await shelf.silences()} - {"nobody"}) > 1:
        await asyncio.sleep(0.05)
    await shelf.close()
    assert held(await hello(await dial(await start(sessions=place)), token)) == {"d": 1}


def test_who_beats_lives_whatever_any_clock_says() -> None:
    lives = Lives()
    lives.silences({"one": 5, "two": 5}, now=0.0)
    assert lives.silences({"one": 6, "two": 5}, now=8.0) == {"one": 0.0, "two": 8.0}
    silences = lives.silences({"one": 6, "two": 4}, now=12.0)
    assert silences == {"one": 4.0, "two": 0.0}, "a store that has lost beats has other ones"


# --- what is written ----------------------------------------------------------------------------------------


def test_a_row_is_begun_anew_before_it_is_too_long() -> None:
    ledger = Ledger("tiny", RemoteShelf.bounds)
    ledger.take(1, Open("d", 0, words=["dog"]))
    wholes = []
    for version in range(1, 3 * LONGEST_ROW):
        record = ledger.record("me", 1)
        assert record
        wholes.append(record.is_whole)
        ledger.stand(version, record, 10)
        ledger.take(version + 1, Append("d", version, ["dog"]))
    assert wholes.count(True) == 3
    assert wholes[0]
    ledger.doubt()
    record = ledger.record("me", 1)
    assert record
    assert record.is_whole
    assert len(record.events) == 1


def test_a_session_that_cannot_be_folded_is_kept_up_to_a_bound() -> None:
    ledger = Ledger("tiny", RemoteShelf.bounds)
    ledger.take(1, Open("d", 0, words=["dog"]))
    for number in range(2, MOST_EVENTS + 3):
        ledger.take(number, Gold("d", 0, 0, [0]))
    assert ledger.record("me", 1) is None


@pytest.mark.slow
async def test_a_store_that_is_killed_has_what_was_acknowledged(
    start: StartServer, dial: Dial, store: Store
) -> None:
    one = await start(sessions=store.address)
    token = await typed(await dial(one))
    store.kill()
    await one.close()  # it cannot write anything again
    store.start()
    assert held(await hello(await dial(await start(sessions=store.address)), token)) == {"d": 1}
