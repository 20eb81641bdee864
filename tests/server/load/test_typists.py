"""Virtual typists at servers of this process, and the figures of their work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from waiting import PATIENCE, until
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from treewhile.server.limits import Limits
from treewhile.server.load import typists
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.measurements import percentiles, report
from treewhile.server.load.typing_schedules import Stroke, strokes_of
from treewhile.server.load.typists import Crowd, Replay, Typed, crowd
from treewhile.server.process.own_servers import Use
from treewhile.server.process.server import Server
from treewhile.server.protocol.frames import ENCODINGS

StartServer = Callable[..., Awaitable[Server]]
PROTOCOLS = [Subprotocol(name) for name in ENCODINGS]


def schedules(count: int, style: str = "words", seconds: float = 1.0, wpm: float = 600) -> list[list[Stroke]]:
    sources = [Random(number) for number in range(count)]
    return [strokes_of(style, invented_words(source), wpm, seconds, source) for source in sources]


@pytest.fixture(autouse=True)
def long_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typists, "GRACE", PATIENCE)


async def replay(port: int, typed: Sequence[Sequence[Stroke]]) -> Replay:
    async with crowd(f"ws://127.0.0.1:{port}/", typed) as people:
        return await people.type()


@pytest.mark.slow
@pytest.mark.parametrize("style", ["letters", "words"])
async def test_every_stroke_is_answered_and_the_last_words_settle(start: StartServer, style: str) -> None:
    server = await start()
    typed = schedules(3, style)
    told = await replay(server.port, typed)
    assert (told.connected, told.broken, len(told.typed)) == (3, 0, sum(map(len, typed)))
    assert 0 < told.edits <= len(told.typed)
    for one in told.typed:
        assert one.sent is not None
        assert one.answered is not None
        assert one.due <= one.sent <= one.answered
        assert one.improved is None or one.improved >= one.answered
        assert one.settled is None or (one.improved is not None and one.settled >= one.improved)
    last = [one for one in told.typed if one.ended != "nothing" and one.next_word_due is None]
    assert len(last) == 3
    assert all(one.settled for one in last)


def answer_to(event: Mapping[str, Any]) -> bytes:
    """Return a welcome, or an answer without analyses."""
    if event["type"] == "hello":
        return msgspec.msgpack.encode({"type": "welcome", "session": "s"})
    return msgspec.msgpack.encode({"type": "echo", "answers": [event["version"]]})


@pytest.mark.slow
async def test_a_server_gets_the_text_that_was_typed() -> None:
    (typed,) = schedules(1, "letters", seconds=2)
    got = ""

    async def answer(socket: ServerConnection) -> None:
        nonlocal got
        async for frame in socket:
            event = msgspec.msgpack.decode(frame)
            if event["type"] == "edit":
                got = got[: event["start"]] + event["text"] + got[event["end"] :]
            await socket.send(answer_to(event))

    async with serve(answer, "127.0.0.1", 0, subprotocols=PROTOCOLS) as server:
        told = await replay(next(iter(server.sockets)).getsockname()[1], [typed])
    assert all(one.answered for one in told.typed)
    text = ""
    for stroke in typed:
        text = text[: stroke.start] + stroke.text + text[stroke.end :]
    assert got == text


@pytest.mark.slow
async def test_who_is_refused_is_counted(start: StartServer) -> None:
    server = await start(limits=replace(Limits(), connections=2))
    told = await replay(server.port, schedules(4))
    assert (told.connected, dict(told.refused)) == (2, {"1013": 2})
    assert all(one.answered for one in told.typed)


class Hours:
    """The clock of typists, which a test turns on: when something happens, they have typed what it wants."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def turn_on(self, people: Crowd, seconds: float) -> None:
        """Until all that is due by then is typed."""
        await until(lambda: people.told.typed)  # they have begun
        self.now += seconds
        await until(lambda: all(one.sent is not None for one in people.told.typed if one.due <= self.now))


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    hours = Hours()
    monkeypatch.setattr(typists, "perf_counter", hours)
    return hours


@pytest.mark.slow
async def test_who_loses_the_wire_comes_back_and_nothing_is_lost(
    start: StartServer, cable: Any, hours: Hours
) -> None:
    line, url = await cable(await start())
    async with crowd(url, schedules(2, "letters", seconds=2)) as people:
        typing = asyncio.create_task(people.type())
        for cuts in (1, 2):
            await hours.turn_on(people, 0.6)
            line.cut()
            await hours.turn_on(people, 0.3)
            await until(lambda: people.told.came_back == 2 * cuts)  # noqa: B023
        await hours.turn_on(people, 10)
        told = await typing
    assert (told.came_back, told.broken) == (4, 0)
    assert all(one.answered for one in told.typed)


@pytest.mark.slow
async def test_who_comes_to_a_server_that_knows_nothing_opens_the_text_again(
    start: StartServer, cable: Any, hours: Hours
) -> None:
    second = await start()
    line, url = await cable(await start())
    async with crowd(url, schedules(1, "letters", seconds=2)) as people:
        typing = asyncio.create_task(people.type())
        await hours.turn_on(people, 1)
        line.port = second.port
        line.cut()
        await hours.turn_on(people, 0.3)
        await until(lambda: people.told.came_back)
        await hours.turn_on(people, 10)
        told = await typing
    assert (told.came_back, told.broken) == (1, 0)
    assert all(one.answered for one in told.typed)
    assert told.typed[-1].settled or told.typed[-1].ended == "nothing"


@pytest.mark.slow
async def test_whose_server_never_comes_back_is_counted(hours: Hours) -> None:
    async def hang_up(socket: ServerConnection) -> None:
        for _ in range(2):  # a hello, and the document
            await socket.send(answer_to(msgspec.msgpack.decode(await socket.recv())))
        await socket.recv()

    async with serve(hang_up, "127.0.0.1", 0, subprotocols=PROTOCOLS) as server:
        url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/"
        async with crowd(url, schedules(2)) as people:
            typing = asyncio.create_task(people.type())
            await hours.turn_on(people, 2)
            server.close()
            await server.wait_closed()
            await hours.turn_on(people, PATIENCE)
            await typing
    assert people.told.broken == 2
    assert not any(one.answered for one in people.told.typed)


async def test_nobody_there_is_no_disaster() -> None:
    told = await replay(1, schedules(2))
    assert (told.connected, dict(told.refused), told.typed) == (0, {"unreachable": 2}, [])


@pytest.mark.slow
async def test_a_server_that_stops_is_late_for_all_that_was_due_meanwhile() -> None:
    end = 0.0

    async def stop_and_answer(socket: ServerConnection) -> None:
        nonlocal end
        async for frame in socket:
            event = msgspec.msgpack.decode(frame)
            if event["type"] == "edit" and not end:
                await asyncio.sleep(1)
                end = time.perf_counter()
            await socket.send(answer_to(event))

    strokes = [Stroke(0.02 * number, 0, 0, "a ") for number in range(40)]
    async with serve(stop_and_answer, "127.0.0.1", 0, subprotocols=PROTOCOLS) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        told = await replay(port, [strokes])
    assert told.edits < 40
    assert all(one.due < end and one.answered is not None and one.answered >= end for one in told.typed)
    figures = report(told, None, None, None, 0.0)
    assert figures["deadline_misses"] >= len(strokes) - 1
    assert (figures["lost"], figures["settled_before_next_word"], figures["server"]) == (0, None, None)


# --- what counts as better ----------------------------------------------------------------------------------

OPENED, FIRST, SECOND = 1, 2, 3  # versions
SENTENCES = [Stroke(0.0, 0, 0, "dog. "), Stroke(1.0, 5, 5, "cat ")]


def sentences(version: int, *answers: int, added: int = 0) -> dict[str, Any]:
    return {"type": "sentences", "version": version, "answers": [*answers], "first": 0, "added": added}


def analysis(version: int, stage: str, *answers: int, sentence: int = 0, start: int = 0) -> dict[str, Any]:
    place = {"sentence": sentence, "start": start, "stage": stage}
    return {"type": "analysis", "version": version, "answers": [*answers], **place}


Tell = Callable[[Mapping[int, Sequence[dict[str, Any]]]], Awaitable[Sequence[Typed]]]


@pytest.fixture
def told_by(hours: Hours) -> Tell:
    """What becomes of the two sentences at a server that says this after these versions.

    The second one is typed when all has come that is said of the first.
    """

    async def told(answers: Mapping[int, Sequence[dict[str, Any]]]) -> Sequence[Typed]:
        answers = {**answers, OPENED: [sentences(OPENED, OPENED)]}
        said: dict[int, int] = {}  # bytes, until the end of the answers to a version

        async def speak(socket: ServerConnection) -> None:
            count = 0
            async for frame in socket:
                event = msgspec.msgpack.decode(frame)
                welcome = {"type": "welcome", "session": "s", "documents": [], "resumed": False}
                for message in [welcome] if event["type"] == "hello" else answers[event["version"]]:
                    encoded = msgspec.msgpack.encode(message)
                    count += len(encoded)
                    await socket.send(encoded)
                said[event.get("version", 0)] = count

        async with serve(speak, "127.0.0.1", 0, subprotocols=PROTOCOLS) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with crowd(f"ws://127.0.0.1:{port}/", [SENTENCES]) as people:
                typing = asyncio.create_task(people.type())
                await hours.turn_on(people, 0.5)
                await until(lambda: people.told.bytes_received == said.get(FIRST))
                await hours.turn_on(people, 1)
                return (await typing).typed

    return told


@pytest.mark.slow
async def test_a_word_is_improved_and_settled_by_analyses_of_its_own_sentence_and_version(
    told_by: Tell,
) -> None:
    dog, cat = await told_by(
        {
            FIRST: [
                analysis(OPENED, "settled"),  # of an older text
                analysis(FIRST, "initial", FIRST),
                analysis(FIRST, "settled", sentence=1, start=9),
                analysis(FIRST, "improved"),
            ],
            SECOND: [
                analysis(SECOND, "settled"),  # of the sentence before
                analysis(SECOND, "initial", SECOND, sentence=1, start=5),
                analysis(SECOND, "settled", sentence=1, start=5),
            ],
        }
    )
    assert (dog.improved is not None, dog.settled) == (True, None)
    assert cat.improved == cat.settled is not None


@pytest.mark.slow
async def test_what_stood_before_counts_where_an_answer_brings_no_analysis(told_by: Tell) -> None:
    dog, cat = await told_by(
        {
            FIRST: [sentences(FIRST, added=1), analysis(FIRST, "improved"), sentences(FIRST, FIRST)],
            SECOND: [sentences(SECOND, SECOND), analysis(SECOND, "settled")],
        }
    )
    assert dog.answered is not None
    assert dog.improved is not None
    assert dog.settled is None
    assert cat.improved is not None
    assert cat.answered is not None
    assert cat.settled is not None
    assert cat.answered <= cat.settled


# --- figures ------------------------------------------------------------------------------------------------


def word(due: float, answered: float | None, settled: float | None, next_due: float | None) -> Typed:
    return Typed(due, next_due, "word", next_due, due, answered, answered, settled)


def test_figures_count_what_they_say() -> None:
    told = Replay(
        [
            word(0.0, 0.25, 0.5, 1.0),
            replace(word(1.0, 2.5, None, 2.0), next_word_due=3.0),
            Typed(2.0, 3.0, "nothing", None, 2.0, 2.5),
            replace(word(3.0, 3.5, 4.5, 4.0), ended="sentence"),
            replace(word(4.0, 4.25, 4.5, 6.0), ended="sentence"),
            word(6.0, None, None, None),
        ],
        analyses=20,
        edits=6,
        connected=2,
        begin=0.0,
        end=5.0,
    )
    figures = report(told, Use(1.0, 0), Use(2.0, 2**20), 2**20, 0.5)
    assert (figures["strokes"], figures["words"], figures["lost"], figures["deadline_misses"]) == (6, 5, 1, 1)
    assert figures["stroke_to_first_analysis_ms"]["p50"] == 500
    assert figures["stroke_to_first_analysis_ms"]["max"] == 1500
    assert figures["word_to_settled_ms"]["max"] == 1500
    assert (figures["improved_before_next_word"], figures["settled_before_next_word"]) == (1, 0.5)
    assert figures["sentences_improved_in_300_ms"] == 0.5
    assert (figures["analyses_a_second"], figures["load_cpu_share"]) == (4, 0.1)
    assert figures["server"] == {
        "cpu_share": 0.2,
        "cpu_ms_a_stroke": 166.667,
        "cpu_ms_a_word": 200.0,
        "memory_mib": 1.0,
        "memory_kib_a_typist": 512.0,
    }


def test_percentiles_are_exact_in_milliseconds() -> None:
    assert percentiles([number / 1000 for number in range(101)]) == {
        "p50": 50,
        "p90": 90,
        "p99": 99,
        "max": 100,
    }
    assert percentiles([]) is None
