"""Virtual typists at servers of this process, and the figures of their work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from treewhile.server.limits import Limits
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.own_servers import Use
from treewhile.server.load.typing_reports import percentiles, report
from treewhile.server.load.typing_schedules import Stroke, strokes_of
from treewhile.server.load.typists import Replay, Typed, echo_line, parser_line, replay
from treewhile.server.process.server import Server
from treewhile.server.protocol.frames import ENCODINGS

StartServer = Callable[..., Awaitable[Server]]


def schedules(
    count: int, style: str = "typing", seconds: float = 1.0, wpm: float = 600
) -> list[list[Stroke]]:
    sources = [Random(number) for number in range(count)]
    return [strokes_of(style, invented_words(source), wpm, seconds, source) for source in sources]


@pytest.mark.parametrize("style", ["typing", "paste", "backspacing", "edits"])
async def test_every_stroke_is_answered_and_the_last_words_settle(start: StartServer, style: str) -> None:
    server = await start()
    typed = schedules(3, style)
    told = await replay(partial(parser_line, f"ws://127.0.0.1:{server.port}/"), typed)
    assert (told.connected, told.broken, len(told.typed)) == (3, 0, sum(map(len, typed)))
    for one in told.typed:
        assert one.sent is not None
        assert one.answered is not None
        assert one.due <= one.sent <= one.answered
        assert one.settled is None or one.settled >= one.answered
    assert all(one.settled for one in told.typed if one.next_due is None and one.brings_words)


async def test_who_is_refused_is_counted(start: StartServer) -> None:
    server = await start(limits=replace(Limits(), connections=2))
    told = await replay(partial(parser_line, f"ws://127.0.0.1:{server.port}/"), schedules(4))
    assert (told.connected, dict(told.refused)) == (2, {"1013": 2})
    assert all(one.answered for one in told.typed)


async def test_nobody_there_is_no_disaster() -> None:
    told = await replay(partial(parser_line, "ws://127.0.0.1:1/"), schedules(2))
    assert (told.connected, dict(told.refused), told.typed) == (0, {"unreachable": 2}, [])


async def test_a_server_that_stops_is_late_for_all_that_was_due_meanwhile() -> None:
    stop, begin = 0.3, time.perf_counter()

    async def echo(socket: ServerConnection) -> None:
        async for number, frame in _numbered(socket):
            if number == 3:
                await asyncio.sleep(stop)
            await socket.send(frame)

    protocols = [Subprotocol(name) for name in ENCODINGS]
    strokes = [Stroke(0.02 * number, 0, 0, "a ") for number in range(12)]
    async with serve(echo, "127.0.0.1", 0, subprotocols=protocols) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        told = await replay(partial(echo_line, f"ws://127.0.0.1:{port}/"), [strokes])
    waited = [one.answered - one.due for one in told.typed if one.answered is not None]
    assert len(waited) == 12
    assert [wait > stop - 0.02 * (number - 3) - 0.005 for number, wait in enumerate(waited)][3:] == [True] * 9
    assert time.perf_counter() - begin < 5
    figures = report(told, None, None, 0.0)
    assert figures["deadline_misses"] >= 8
    assert (figures["lost"], figures["settled_before_next_word"], figures["server"]) == (0, None, None)


async def _numbered(socket: ServerConnection):  # type: ignore[no-untyped-def]
    number = 0
    async for frame in socket:
        yield number, frame
        number += 1


# --- figures ------------------------------------------------------------------------------------------------


def typed(due: float, answered: float | None, settled: float | None, next_due: float | None) -> Typed:
    return Typed(due, next_due, True, due, answered, settled)


def test_figures_count_what_they_say() -> None:
    told = Replay(
        [
            typed(0.0, 0.25, 0.5, 1.0),
            typed(1.0, 2.5, None, 2.0),
            Typed(2.0, 3.0, False, 2.0, 2.5, None),
            typed(3.0, 3.5, 4.5, 4.0),
            typed(4.0, None, None, None),
        ],
        analyses=20,
        connected=2,
        begin=0.0,
        end=5.0,
    )
    figures = report(told, Use(1.0, 0), Use(2.0, 2**20), 0.5)
    assert (figures["strokes"], figures["words"], figures["lost"], figures["deadline_misses"]) == (5, 4, 1, 1)
    assert figures["word_to_first_analysis_ms"]["p50"] == 500
    assert figures["word_to_first_analysis_ms"]["max"] == 1500
    assert figures["word_to_settled_ms"]["max"] == 1500
    assert figures["settled_before_next_word"] == pytest.approx(1 / 3, abs=1e-4)
    assert (figures["analyses_a_second"], figures["load_cpu_share"]) == (4, 0.1)
    assert figures["server"] == {"cpu_share": 0.2, "memory_mib": 1.0, "memory_kib_a_typist": 512.0}


def test_percentiles_are_exact_in_milliseconds() -> None:
    assert percentiles([number / 1000 for number in range(101)]) == {
        "p50": 50,
        "p90": 90,
        "p99": 99,
        "max": 100,
    }
    assert percentiles([]) is None
