"""Over real sockets: how a conversation begins, what is answered, and why it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from math import ceil
from statistics import median
from typing import Any
from weakref import ref

import msgspec
import pytest
from waiting import PATIENCE, until
from websockets.exceptions import ConnectionClosed, InvalidStatus

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions import document_parses
from treewhile.incremental.sessions.jobs import Attach, Rank
from treewhile.oracles.interrupts import Interrupt
from treewhile.server.connections import outlet, sockets
from treewhile.server.connections.connection import MOST_UNANSWERED
from treewhile.server.connections.pacing import LONGEST_PAUSE
from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.work.engines import Engine, Engines
from treewhile.server.work.served_models import ServedModels

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

LIMITS = Limits()
WORDS = ["the", "old", "dog", "sees", "the", "cat"]


# --- the beginning ------------------------------------------------------------------------------------------


async def test_hello_is_answered_by_welcome(start: StartServer, dial: Dial) -> None:
    server = await start()
    wire = await dial(server)
    await wire.say("hello", heartbeat=20)
    welcome = await wire.next()
    assert welcome["type"] == "welcome"
    assert (welcome["resumed"], welcome["epoch"], welcome["documents"]) == (False, 1, [])
    assert (welcome["heartbeat"], welcome["model"], welcome["models"]) == (20, "tiny", ["tiny"])
    assert welcome["language"] == "xx"
    assert len(welcome["session"]) >= 22  # 128 bits
    assert welcome["limits"]["message_bytes"] == LIMITS.message_bytes


async def test_welcome_says_whether_edges_may_cross(
    start: StartServer, dial: Dial, engines: Mapping[str, Engine]
) -> None:
    crossing = Engine("crossing", engines["tiny"].model.with_trees("mh4"))
    server = await start(served={**engines, "crossing": crossing})
    for model, told in (("tiny", None), ("crossing", "mh4")):
        wire = await dial(server)
        await wire.say("hello", model=model)
        assert (await wire.until("welcome", model=model)).get("trees") == told


async def test_hello_after_the_first_message_is_an_error(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start())
    await wire.open()
    await wire.say("hello")
    assert (await wire.until("error"))["code"] == "illegal"
    await wire.say("ping", number=1)
    await wire.until("pong", number=1)


async def test_a_model_that_is_not_there_is_an_error_and_hello_can_be_said_again(
    start: StartServer, dial: Dial
) -> None:
    wire = await dial(await start())
    await wire.say("hello", model="xx")
    assert (await wire.until("error"))["message"] == "there is no model 'xx': name one of tiny"
    await wire.say("hello", model="tiny")
    await wire.until("welcome", model="tiny")


async def test_heartbeats_have_bounds(start: StartServer, dial: Dial) -> None:
    server = await start()
    for wanted, agreed in ((0.001, 1.0), (3600, 300.0), (None, None)):
        wire = await dial(server)
        await wire.say("hello", heartbeat=wanted)
        assert (await wire.next())["heartbeat"] == agreed


async def test_who_edits_a_long_document_quickly_waits_and_has_few_edits_done_at_a_time(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, at_once = Attach.run, list[int]()
    is_held, goes_on = threading.Event(), threading.Event()

    def held_if_pasted(job: Attach, interrupt: Interrupt | None = None) -> object:
        at_once.append(len(job.edits))
        if job.rank is Rank.PASTED:
            is_held.set()
            goes_on.wait(60)
        return run(job, interrupt)

    wire, edits = await dial(await start()), 100
    text = "the dog barks.\n\n" * 2000
    await wire.say("open", document="d", version=0, text=text, options={"levels": ["L0"]})
    while (await wire.next()).get("count") != 2000:
        """Not all of it is cut into sentences."""
    monkeypatch.setattr(Attach, "run", held_if_pasted)
    await wire.say("edit", document="d", version=1, start=0, end=0, text=text)
    await until(is_held.is_set)
    for version in range(2, edits + 1):
        await wire.say("edit", document="d", version=version, start=0, end=0, text="a ")
    await asyncio.sleep(2 * LONGEST_PAUSE)
    goes_on.set()
    answered = [0]
    while answered[-1] < edits:
        answered += (await wire.next()).get("answers", [])[-1:]
    assert answered == sorted(answered)
    assert sum(at_once) >= edits
    assert max(at_once) <= 2


@pytest.mark.parametrize("name", ["treewhile.v1+json", "treewhile.v1+msgpack"])
async def test_both_subprotocols_say_the_same(start: StartServer, dial: Dial, name: str) -> None:
    coding: Any = msgspec.json if name.endswith("json") else msgspec.msgpack
    wire = await dial(await start(), subprotocols=[name])
    assert wire.socket.subprotocol == name
    opening = {"type": "open", "document": "d", "version": 0, "words": WORDS, "options": {"levels": ["L0"]}}
    encoded = coding.encode(opening)
    await wire.socket.send(encoded.decode() if coding is msgspec.json else encoded)
    kinds = [coding.decode(await wire.socket.recv())["type"] for _ in range(2)]
    assert kinds == ["sentences", "analysis"]


async def test_unknown_subprotocols_are_as_none(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(), subprotocols=["chat"])
    assert wire.socket.subprotocol is None
    await wire.say("ping", number=3)
    await wire.until("pong")


async def test_a_client_with_utf16_positions_edits_behind_an_emoji(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start())
    await wire.say("hello", positions="utf16")
    await wire.say("open", document="d", version=0, text="🎉 dog")
    await wire.say("edit", document="d", version=1, start=3, end=6, text="cat")
    await wire.answered(1)
    await wire.say("ask_analyses", document="d")
    analysis = await wire.until("analysis", version=1)
    assert [word["form"] for word in analysis["words"]] == ["🎉", "cat"]


# --- what is answered ---------------------------------------------------------------------------------------


async def test_all_levels_follow_and_next_steps_on_request(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start())
    await wire.open(*WORDS, levels=["L0", "L1"], streams=["analyses", "steps"])
    kinds, missing = set[str | None](), {"analysis", "next_steps", "settled"}
    while not missing <= kinds:
        message = await wire.next()
        assert message["type"] != "error"
        kinds |= {message["type"], message.get("stage")}


async def test_errors_of_one_document_leave_all_else_alone(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start())
    await wire.open("dog")
    await wire.say("append", document="other", version=1, words=["x"])
    error = await wire.until("error")
    assert (error["code"], error["document"], error["version"]) == ("unknown_document", "other", 1)
    await wire.say("append", document="d", version=0, words=["barks"])
    assert (await wire.until("error"))["code"] == "old_version"
    await wire.say("append", document="d", version=1, words="barks")
    assert (await wire.until("error"))["code"] == "bad_event"
    await wire.say("append", document="d", version=1, words=["barks"])
    await wire.answered(1)


async def test_documents_and_characters_of_a_session_are_bounded(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(replace(LIMITS, documents=2, characters=100)))
    await wire.open(document="a")
    await wire.open(document="b")
    await wire.open(document="c")
    assert "2 documents are open" in (await wire.until("error", code="too_much"))["message"]
    await wire.say("append", document="a", version=1, words=["x"] * 13)
    assert "100 characters" in (await wire.until("error", code="too_much"))["message"]
    await wire.say("append", document="a", version=1, words=["x"] * 12)
    await wire.answered(1)
    await wire.say("revoke", document="a", version=2, count=12)
    await wire.say("append", document="b", version=1, words=["x"] * 12)
    await wire.answered(2)
    await wire.say("close", document="a")
    await wire.until("closed")
    await wire.open(document="c")
    await wire.answered(0)


async def test_characters_are_bounded_however_a_client_counts_them(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(replace(LIMITS, characters=100)))
    await wire.say("hello", positions="utf16")
    await wire.say("open", document="d", version=0, text="🎉" * 50, options={"levels": ["L0"]})
    await wire.answered(0)
    await wire.say("edit", document="d", version=1, start=0, end=98, text="x" * 50)
    await wire.answered(1)
    await wire.say("edit", document="d", version=2, start=0, end=0, text="x" * 49)
    assert "100 characters" in (await wire.until("error", code="too_much"))["message"]
    await wire.say("edit", document="d", version=3, start=0, end=50, text="")
    await wire.answered(3)


async def test_documents_that_are_lost_make_room(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_parses, "MOST_SENTENCES", 2)
    wire = await dial(await start(replace(LIMITS, documents=1, characters=50)))
    for version in range(3):
        await wire.say("open", document="d", version=version, text="a dog\n\nb cat\n\nbarks")
        assert "would have 3 sentences" in (await wire.until("error", code="too_much"))["message"]
        assert (await wire.until("closed"))["answers"] == [version]
    await wire.open("dog")
    await wire.answered(0)


async def test_while_a_socket_takes_nothing_no_more_is_read(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start(replace(LIMITS, burst=10**6))
    wire = await dial(server)
    await wire.open("dog")
    await wire.answered(0)
    taken, held = 0, asyncio.Event()
    receive, send = HostedSession.receive, GuardedSocket.send

    def counting(session: HostedSession, event: Any) -> None:
        nonlocal taken
        taken += 1
        receive(session, event)

    async def late(socket: GuardedSocket, frame: Any, **options: Any) -> None:
        await held.wait()
        await send(socket, frame, **options)

    monkeypatch.setattr(HostedSession, "receive", counting)
    monkeypatch.setattr(GuardedSocket, "send", late)
    monkeypatch.setattr(GuardedSocket, "send_at_once", lambda *_: 0)
    for number in range(500):
        await wire.say("append", document="none", version=number, words=["dog"])
    await asyncio.sleep(0.3)
    taken_meanwhile = taken
    held.set()
    assert taken_meanwhile <= 2 * MOST_UNANSWERED
    await wire.until("error", version=499)


# --- haste --------------------------------------------------------------------------------------------------


async def test_messages_beyond_the_rate_wait_and_each_is_answered(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(replace(LIMITS, messages_a_second=100, burst=5)))
    before = time.monotonic()
    for number in range(55):
        await wire.say("ping", number=number)
    assert [(await wire.next())["number"] for _ in range(55)] == [*range(55)]
    assert time.monotonic() - before > 0.4


@pytest.mark.slow
async def test_a_client_that_never_waits_is_slowed_down_and_disturbs_nobody(
    start: StartServer, dial: Dial
) -> None:
    server = await start(replace(LIMITS, messages_a_second=5000))
    typist, hasty = await dial(server), await dial(server)
    await typist.open()
    sending = asyncio.create_task(say_fast(hasty, 20_000))
    answering = asyncio.create_task(hasty.answered(20_000))
    most_unread, waits = 0, list[float]()
    while not answering.done():
        before = time.thread_time()
        await typist.say("append", document="d", version=len(waits) + 1, words=["dog"])
        await typist.answered(len(waits) + 1)
        waits.append(time.thread_time() - before)
        most_unread = max(most_unread, *(one.socket.unread_bytes for one in server.entrance.connections))
        await asyncio.sleep(0.02)
    await sending
    await answering
    assert 0 < most_unread < 1 << 19
    assert len(waits) > 20
    assert median(waits) < 0.05  # seconds that the thread of the server and two clients has worked meanwhile


async def say_fast(wire: Any, count: int) -> None:
    """Sends a number of changes, and waits only for the socket."""
    await wire.open()
    for version in range(1, count + 1):
        if version % 20:
            await wire.say("append", document="d", version=version, words=["dog"])
        else:
            await wire.say("finish", document="d", version=version)


@pytest.mark.slow
async def test_nobody_is_found_silent_while_what_they_say_is_not_read(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "PING_SECONDS", 0.2)
    monkeypatch.setattr(sockets, "MESSAGE_SECONDS", 0.5)
    wire = await dial(await start(replace(LIMITS, messages_a_second=10, burst=1)))
    await wire.say("hello", heartbeat=1)
    for number in range(35):  # for three seconds; none of them is read in one piece
        await wire.socket.send(json.dumps({"type": "ping", "number": number}) + " " * 50_000)
    assert (await wire.until("pong", number=34))["type"] == "pong"


async def test_a_client_that_closes_has_all_taken_that_it_said_before(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, messages_a_second=100, burst=5))
    wire = await dial(server)
    token = await wire.hello()
    await wire.open()
    for version in range(1, 31):
        await wire.say("append", document="d", version=version, words=["dog"])
    await wire.socket.close()
    await until(lambda: not server.entrance.connections)
    again = await dial(server)
    await again.say("hello", resume=token)
    assert held(await again.next()) == {"d": 30}


# --- why it ends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", ["{", "", b"{}", '{"type": "ping", "number": 1'])
async def test_a_frame_that_cannot_be_read_ends_the_connection_with_a_reason(
    start: StartServer, dial: Dial, frame: str | bytes
) -> None:
    wire = await dial(await start())
    await wire.socket.send(frame)
    assert (await wire.next())["code"] == "bad_event"
    goodbye = await wire.next()
    assert (goodbye["type"], goodbye["code"], goodbye["temporary"]) == ("goodbye", 4400, False)
    assert await wire.close_code() == 4400


@pytest.mark.parametrize("length", [1001, 300_000])
async def test_a_message_that_is_too_long_ends_the_connection_with_a_goodbye(
    start: StartServer, dial: Dial, length: int
) -> None:
    wire = await dial(await start(replace(LIMITS, message_bytes=1000)))
    await wire.socket.send("x" * length)
    goodbye = await wire.next()
    assert (goodbye["type"], goodbye["code"], goodbye["temporary"]) == ("goodbye", 1009, False)
    assert await wire.close_code() == 1009


async def test_who_speaks_in_time_may_be_silent_afterwards(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, first_message_seconds=0.5))
    wire = await dial(server)
    await wire.open()
    await wire.answered(0)
    assert await (await dial(server)).close_code() == 4408  # so much time has passed
    await wire.say("ping", number=1)
    assert (await wire.until("pong"))["number"] == 1


@pytest.mark.slow
async def test_patience_begins_again_with_every_frame(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(replace(LIMITS, first_message_seconds=0.5)))
    heard = time.monotonic()
    with suppress(ConnectionClosed):
        for _ in range(8):
            await asyncio.sleep(0.1)
            before = time.monotonic()
            await wire.say("nonsense")
            if (await wire.next())["type"] == "goodbye":
                break  # where this machine stood still for so long
            heard = before
    assert await wire.close_code() == 4408
    assert time.monotonic() - heard > 0.5


@pytest.mark.slow
async def test_missing_heartbeats_end_the_connection(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start())
    before = time.monotonic()
    await wire.say("hello", heartbeat=1)
    await wire.until("welcome")
    assert await wire.close_code() == 4001
    assert time.monotonic() - before > 1.5


async def test_a_ping_without_an_answer_ends_the_connection_and_keeps_the_session(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "PING_SECONDS", 0.2)
    server = await start()
    mute = await dial(server)
    token = await mute.hello()
    await mute.open("dog")
    await mute.answered(0)
    mute.socket.protocol.recv_frame = lambda frame: None  # it answers nothing any more
    live = await dial(server)
    await until(lambda: len(server.entrance.connections) == 1)
    await live.say("hello", resume=token)
    welcome = await live.next()
    assert (welcome["resumed"], held(welcome)) == (True, {"d": 0})
    await asyncio.sleep(0.5)
    await live.say("append", document="d", version=1, words=["barks"])
    await live.answered(1)


@pytest.mark.slow
async def test_who_does_not_read_is_closed_and_nothing_piles_up(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "GOODBYE_SECONDS", 0.2)
    limits = replace(LIMITS, slow_reader_seconds=0.2, messages_a_second=1e6)
    server = await start(limits)
    narrow = socket.create_connection(("127.0.0.1", server.port))
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire = await dial(server, sock=narrow, max_queue=(1, 0), close_timeout=0.2)
    await wire.open(*WORDS * 60)
    served = await until(lambda: next(iter(server.entrance.connections), None))
    while not served.is_closing:
        await wire.say("ask_analyses", document="d")
        await asyncio.sleep(0.001)
    assert served.outlet.unsaid < 10
    assert await wire.close_code() in (4008, 1006)


async def test_a_client_that_vanishes_leaves_no_trace_but_its_session(start: StartServer, dial: Dial) -> None:
    server = await start()
    wire = await dial(server)
    await wire.open(*WORDS)
    await wire.until("analysis")
    wire.socket.transport.abort()
    await until(lambda: not server.entrance.connections)
    assert len(server.host.store) == 1
    assert server.log  # what it has to say is tested with the logs


# --- who may come in ----------------------------------------------------------------------------------------


async def test_pages_of_other_origins_are_refused_with_a_code(start: StartServer, dial: Dial) -> None:
    server = await start(origins=["https://pages.example"])
    own = f"http://127.0.0.1:{server.port}"
    secure = own.replace("http", "https")
    pages = {"http://evil.example": False, "https://pages.example": True, own: True, secure: False, "": False}
    for origin, may in pages.items():
        wire = await dial(server, origin=origin)
        if may:
            await wire.say("ping", number=1)
            await wire.until("pong")
        else:
            assert await wire.close_code() == 4403


async def test_the_token_comes_in_the_header_or_in_hello(start: StartServer, dial: Dial) -> None:
    server = await start(token="sésame")
    header = await dial(server, additional_headers={"Authorization": "Bearer wrong"})
    assert await header.close_code() == 4401
    hello = await dial(server)
    await hello.say("hello", token="sésame")
    await hello.until("welcome")
    wrong = await dial(server)
    await wrong.say("hello", token="open")
    assert await wrong.close_code() == 4401
    without = await dial(server)
    await without.open()
    assert await without.close_code() == 4401


async def test_a_token_in_the_header_needs_no_hello(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(token="abc"), additional_headers={"Authorization": "bearer abc"})
    await wire.open()
    assert (await wire.answered(0))["version"] == 0


async def test_headers_that_come_twice_open_no_door(start: StartServer, dial: Dial) -> None:
    twice = [("Authorization", "Bearer abc"), ("Authorization", "Bearer abc")]
    wire = await dial(await start(token="abc"), additional_headers=twice)
    assert await wire.close_code() == 4401
    pages = [("Origin", "https://a.example"), ("Origin", "https://a.example")]
    with pytest.raises(InvalidStatus, match="400"):
        await dial(await start(origins=["https://a.example"]), additional_headers=pages)


async def test_a_late_token_is_too_late(start: StartServer, dial: Dial) -> None:
    wire = await dial(await start(replace(LIMITS, token_seconds=0.05), token="abc"))
    assert await wire.close_code() == 4408


async def test_more_connections_than_allowed_are_told_when_to_come_back(
    start: StartServer, dial: Dial
) -> None:
    server = await start(replace(LIMITS, connections=1))
    first = await dial(server)
    await first.say("ping", number=1)
    await first.until("pong")
    second = await dial(server)
    goodbye = await second.next()
    assert (goodbye["code"], goodbye["temporary"]) == (1013, True)
    assert 0 < goodbye["retry_after"] < 10
    assert f"come back in {ceil(goodbye['retry_after'])} s" in goodbye["reason"]
    assert await second.close_code() == 1013
    assert second.socket.close_reason == goodbye["reason"]
    await first.socket.close()
    await until(lambda: not server.entrance.connections)
    third = await dial(server)
    await third.say("ping", number=1)
    await third.until("pong")


async def test_who_connects_before_the_models_are_loaded_is_greeted_when_they_are(
    start: StartServer, dial: Dial, engines: Mapping[str, Engine]
) -> None:
    server = await start(served=Engines(ServedModels(["tiny"])))
    wire = await dial(server)
    await wire.say("hello")
    await wire.open("dog")
    await asyncio.sleep(0.05)
    server.preparations.use(engines)
    assert (await wire.next())["type"] == "welcome"
    await wire.answered(0)


async def test_how_fast_the_server_is_is_told_as_it_changes(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = [True]
    monkeypatch.setattr("treewhile.server.connections.host.are_kernels_plain", lambda: bool(slow))
    server = await start()
    wire, silent = await dial(server), await dial(server)
    await wire.say("hello")
    told = await wire.until("readiness")
    assert (told["levels"], told["share"] < 1) == (["L0", "L1", "L2"], True)
    assert told["waits_for"]
    slow.clear()
    told = await wire.until("readiness")
    assert (told["share"], told["waits_for"]) == (1, "")
    await silent.say("hello")
    assert (await silent.next())["type"] == "welcome"
    await silent.say("ping", number=1)
    assert (await silent.next())["type"] == "pong"


async def test_a_server_that_ends_before_it_is_ready_owes_nothing(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, drain_seconds=2 * PATIENCE), served={})
    wire = await dial(server)
    await wire.open("dog")
    async with asyncio.timeout(PATIENCE):
        await server.drain()
    assert await wire.close_code() == 1012


async def test_under_overload_new_clients_are_refused_and_old_ones_served(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()
    old = await dial(server)
    await old.open()
    await old.answered(0)
    monkeypatch.setattr(type(server.host.threads), "refuses", lambda threads: True)
    greeting, opening = await dial(server), await dial(server)
    await greeting.say("hello")
    await opening.open()
    assert [await new.close_code() for new in (greeting, opening)] == [1013, 1013]
    await old.say("append", document="d", version=1, words=["dog"])
    await old.answered(1)


async def test_under_overload_those_who_have_a_session_come_back_to_it(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()
    first = await dial(server)
    token = await first.hello()
    await first.open()
    await first.answered(0)
    monkeypatch.setattr(type(server.host.threads), "refuses", lambda threads: True)
    second = await dial(server)
    await second.say("hello", resume=token)
    assert (await second.until("welcome"))["resumed"] is True
    lost = await dial(server)
    await lost.say("hello", resume="of another server")
    assert await lost.close_code() == 1013


# --- coming back --------------------------------------------------------------------------------------------


async def test_a_session_is_resumed_with_its_versions_and_all_analyses_in_full(
    start: StartServer, dial: Dial
) -> None:
    server = await start()
    first = await dial(server)
    token = await first.hello()
    await first.open(*WORDS, levels=["L0", "L1"])
    await first.reached("settled")
    await first.say("append", document="d", version=5, words=["barks"])
    await first.answered(5)
    first.socket.transport.abort()
    second = await dial(server)
    await second.say("hello", resume=token)
    welcome = await second.next()
    assert (welcome["resumed"], welcome["epoch"], welcome["session"]) == (True, 2, token)
    assert held(welcome) == {"d": 5}
    assert welcome["documents"][0]["sentences"] == 1
    analysis = await second.until("analysis")
    assert [word["form"] for word in analysis["words"]] == [*WORDS, "barks"]
    await second.say("append", document="d", version=6, words=["."])
    await second.answered(6)


async def test_what_came_while_nobody_read_is_analysed_when_somebody_does(
    start: StartServer, dial: Dial
) -> None:
    server = await start()
    first = await dial(server)
    token = await first.hello()
    await first.open()
    await first.answered(0)
    await first.say("append", document="d", version=1, words=WORDS)
    await until(lambda: next(iter(server.entrance.connections)).held == {"d": 1})
    first.socket.transport.abort()
    second = await dial(server)
    await second.say("hello", resume=token)
    assert held(await second.next()) == {"d": 1}
    assert len((await second.until("analysis"))["words"]) == len(WORDS)


async def test_a_second_connection_takes_a_session_over(start: StartServer, dial: Dial) -> None:
    server = await start()
    first = await dial(server)
    token = await first.hello()
    await first.open("dog")
    await first.answered(0)  # else the server might read what comes on the other socket before it
    second = await dial(server)
    await second.say("hello", resume=token)
    assert (await second.next())["resumed"] is True
    assert await first.close_code() == 4409
    await second.say("append", document="d", version=1, words=["barks"])
    await second.answered(1)
    assert len(server.host.store) == 1


async def test_a_session_that_is_gone_is_not_resumed_in_part(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, resume_seconds=0.0))
    first = await dial(server)
    token = await first.hello()
    await first.open("dog")
    await first.answered(0)
    await first.socket.close()
    await until(lambda: len(server.host.store) == 0)
    second = await dial(server)
    await second.say("hello", resume=token)
    welcome = await second.next()
    assert (welcome["resumed"], welcome["documents"]) == (False, [])
    assert welcome["session"] != token


@pytest.fixture
def no_collections() -> Iterator[None]:
    """Cycles of objects stay."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collections")
async def test_a_session_that_is_gone_waits_for_no_collection(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, resume_seconds=0.0))
    wire = await dial(server)
    token = await wire.hello()
    await wire.open(*(8 * WORDS), levels=["L0", "L1"])  # more than the loop takes itself
    await wire.reached("settled")
    held = ref(await server.host.store.find(token))
    await wire.socket.close()
    await until(lambda: len(server.host.store) == 0)
    await until(lambda: held() is None)


# --- faults -------------------------------------------------------------------------------------------------


class Stuck:
    """A search that finds nothing until it is interrupted."""

    def __init__(self) -> None:
        self.began = threading.Event()

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        self.began.set()
        while not interrupt.is_set:
            time.sleep(0.0005)
        return SearchResult(request.previous or request.rescored.analysis, 0.0, is_settled=False)


@pytest.mark.parametrize("threads", [1, 2])
async def test_a_search_that_never_ends_holds_up_nobody(
    start: StartServer, dial: Dial, model: Model, threads: int
) -> None:
    engine = Engine("stuck", model)
    engine.searcher = searcher = Stuck()
    server = await start(served={"stuck": engine}, threads=threads)
    one, other = await dial(server), await dial(server)
    for wire in (one, other):
        await wire.open(*WORDS, levels=["L0", "L1", "L2"])
        await wire.until("analysis", version=0)
    await until(searcher.began.is_set)
    for version, word in enumerate(WORDS, 1):
        for wire in (one, other):
            await wire.say("append", document="d", version=version, words=[word])
            assert (await wire.answered(version))["stage"] in ("initial", "improved")


async def test_who_types_alone_has_the_best_parse_with_the_first_analysis(
    start: StartServer, dial: Dial
) -> None:
    wire, version, levels = await dial(await start()), 0, list[list[str]]()
    await wire.open(levels=["L0", "L1"])
    while ["L0", "L1"] not in levels:  # a machine that stalls counts as load
        await wire.say("append", document="d", version=version + 1, words=["dog"])
        levels.append((await wire.answered(version + 1))["levels"])
        await wire.say("revoke", document="d", version=version + 2, count=1)
        assert (await wire.answered(version + 2))["answers"] == [version + 2]
        version += 2


async def test_time_limits_end_a_search(start: StartServer, dial: Dial, model: Model) -> None:
    engine = Engine("stuck", model)
    engine.searcher = Stuck()
    wire = await dial(await start(served={"stuck": engine}))
    await wire.open("dog", levels=["L0", "L1", "L2"], time_limit=0.05)
    while not (message := await wire.next()).get("cut_short"):
        assert message.get("stage") not in ("settled", "final")


async def test_a_broken_session_ends_alone(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()
    bad, good = await dial(server), await dial(server)
    for wire in (bad, good):
        await wire.open()
        await wire.answered(0)
    receive = HostedSession.receive

    def breaking(session: HostedSession, event: Any) -> None:
        if getattr(event, "words", None) == ["break"]:
            raise AssertionError("an invariant is broken")
        receive(session, event)

    monkeypatch.setattr(HostedSession, "receive", breaking)
    await bad.say("append", document="d", version=1, words=["break"])
    assert await bad.close_code() == 1011
    await good.say("append", document="d", version=1, words=["dog"])
    await good.answered(1)
    assert len(server.host.store) == 1


# --- the end ------------------------------------------------------------------------------------------------


async def test_draining_says_what_is_owed_then_goodbye(start: StartServer, dial: Dial) -> None:
    server = await start()
    wires = [await dial(server) for _ in range(3)]
    for wire in wires:
        await wire.open()
        await wire.answered(0)
        await wire.say("append", document="d", version=1, words=WORDS)
    await until(lambda: all(one.held == {"d": 1} for one in server.entrance.connections))
    draining = asyncio.create_task(server.drain())
    for wire in wires:
        await wire.answered(1)
        goodbye = await wire.until("goodbye")
        assert (goodbye["code"], goodbye["temporary"]) == (1012, True)
        assert await wire.close_code() == 1012
    await draining
    with pytest.raises(OSError, match=r"refused|failed"):
        await dial(server)


@pytest.mark.slow
async def test_draining_waits_for_nobody_for_long(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, drain_seconds=0.1))
    wire = await dial(server)
    await wire.say("open", document="d", version=0, text="", options={"levels": ["L0"]})
    await wire.answered(0)
    await wire.say("edit", document="d", version=1, start=0, end=0, text="\n\n".join(["dog cat"] * 9000))
    await until(lambda: all(one.held == {"d": 1} for one in server.entrance.connections))
    await server.drain()
    told = 0
    with suppress(ConnectionClosed):
        while await wire.until("analysis"):
            told += 1
    assert told < 9000
    assert wire.socket.close_code == 1012


def held(welcome: dict[str, Any]) -> dict[str, int]:
    """The documents of a session with their versions."""
    return {one["document"]: one["version"] for one in welcome["documents"]}
