"""Virtual typists, each with a socket: they type by their schedules, whether the server keeps up or not.

All times are counted from when a stroke was due, so that a server, or a load, that is late with one stroke is
late with the next ones, too, and nothing is left out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_socket
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from treewhile.incremental.sessions.messages import AnalysisMessage, Edit, SentencesMessage
from treewhile.server.client.client import connect
from treewhile.server.client.documents import Document
from treewhile.server.errors import DisconnectedError
from treewhile.server.load.typing_schedules import Stroke
from treewhile.server.protocol.frames import MSGPACK

AT_ONCE: Final = 32  # typists who connect at a time
GRACE: Final = 10.0  # seconds after the last stroke for what is still to come
SOON: Final = 0.2  # seconds between the last connection and the first stroke
SETTLED: Final = ("settled", "final")
DOCUMENT: Final = "page"


@dataclass(slots=True)
class Typed:
    """A stroke and what became of it, in seconds of one clock; None for what never came."""

    due: float
    next_due: float | None
    brings_words: bool
    sent: float | None = None
    answered: float | None = None
    settled: float | None = None


class News(NamedTuple):
    """Up to which version all is answered, and which one has settled, if one has."""

    answered: int
    settled: int | None = None
    is_analysis: bool = False


class Line(Protocol):
    """Where a typist types."""

    settles: bool  # whether words settle there

    @property
    def next_version(self) -> int:
        """That of the next stroke."""

    async def type(self, stroke: Stroke) -> None:
        """Sends a stroke."""

    def news(self) -> AsyncIterator[News]:
        """What comes back."""


Dial: TypeAlias = Callable[[], AbstractAsyncContextManager[Line]]


# --- lines --------------------------------------------------------------------------------------------------


class ParserLine:
    """A document of a treewhile server."""

    settles = True

    def __init__(self, document: Document) -> None:
        self._document = document
        self._places: dict[int, int] = {}  # where each version was made, those that may still settle

    @property
    def next_version(self) -> int:
        return self._document.version + 1

    async def type(self, stroke: Stroke) -> None:
        self._places[self.next_version] = stroke.start
        await self._document.edit(stroke.start, stroke.end, stroke.text)

    async def news(self) -> AsyncIterator[News]:
        async for message in self._document.messages():
            if isinstance(message, AnalysisMessage):
                yield News(self._document.answered, self._settled_by(message), True)
            elif isinstance(message, SentencesMessage):
                yield News(self._document.answered)

    def _settled_by(self, analysis: AnalysisMessage) -> int | None:
        """The version, if this is the analysis of the sentence in which it was made."""
        place = self._places.get(analysis.version)
        if place is None or analysis.stage not in SETTLED or analysis.sentence != self._sentence_at(place):
            return None
        self._places = {version: one for version, one in self._places.items() if version > analysis.version}
        return analysis.version

    def _sentence_at(self, place: int) -> int:
        sentences = enumerate(self._document.sentences)
        return max((at for at, one in sentences if one is not None and one.start <= place), default=0)


class EchoLine:
    """A socket that says everything again."""

    settles = False

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self.next_version = socket, 1

    async def type(self, stroke: Stroke) -> None:
        event = Edit(DOCUMENT, self.next_version, stroke.start, stroke.end, stroke.text)
        self.next_version += 1
        await self._socket.send(msgspec.msgpack.encode(event))

    async def news(self) -> AsyncIterator[News]:
        with suppress(ConnectionClosed):
            while True:
                echoed = MSGPACK.decode(await self._socket.recv())
                assert isinstance(echoed, Edit)
                yield News(echoed.version)


@asynccontextmanager
async def parser_line(url: str, token: str | None = None) -> AsyncIterator[ParserLine]:
    async with connect(url, token) as client:
        yield ParserLine(await client.open(DOCUMENT, text=""))


@asynccontextmanager
async def echo_line(url: str) -> AsyncIterator[EchoLine]:
    protocols = [Subprotocol(MSGPACK.name)]
    async with connect_socket(url, subprotocols=protocols, compression=None, proxy=None) as socket:
        yield EchoLine(socket)


# --- typists ------------------------------------------------------------------------------------------------


@dataclass
class Replay:
    """What became of all strokes, and how typing went."""

    typed: list[Typed] = field(default_factory=list)
    analyses: int = 0
    connected: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # connections, by their codes
    broken: int = 0  # connections that were lost on the way, and did not come back
    begin: float = 0.0
    end: float = 0.0


class _Start:
    """Opens when all typists are connected, or refused."""

    def __init__(self, expected: int) -> None:
        self._missing, self._all = expected, asyncio.Event()
        self.at = 0.0

    def arrive(self) -> None:
        self._missing -= 1
        if not self._missing:
            self.at = perf_counter() + SOON
            self._all.set()

    async def wait(self) -> float:
        await self._all.wait()
        return self.at


async def replay(dial: Dial, schedules: Sequence[Sequence[Stroke]]) -> Replay:
    """All typists at work, one for each list of strokes."""
    told, start, turn = Replay(), _Start(len(schedules)), asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        for strokes in schedules:
            group.create_task(_typist(dial, strokes, start, turn, told))
    told.begin = start.at
    return told


async def _typist(
    dial: Dial, strokes: Sequence[Stroke], start: _Start, turn: asyncio.Semaphore, told: Replay
) -> None:
    async with AsyncExitStack() as lines:
        async with turn:
            try:
                line = await lines.enter_async_context(dial())
            except (DisconnectedError, OSError) as error:
                told.refused[str(getattr(error, "code", None) or "unreachable")] += 1
                return
            finally:
                start.arrive()
        told.connected += 1
        try:
            await _Typing(line, strokes, await start.wait(), told).run()
        except (DisconnectedError, ConnectionClosed):
            told.broken += 1
        told.end = perf_counter()


class _Typing:
    """One typist at a line, from the first stroke to the last answer."""

    def __init__(self, line: Line, strokes: Sequence[Stroke], start: float, told: Replay) -> None:
        self._line, self._strokes, self._told = line, strokes, told
        times = [start + stroke.at for stroke in strokes]
        self._typed = [
            Typed(due, following, stroke.brings_words)
            for stroke, due, following in zip(strokes, times, [*times[1:], None], strict=False)
        ]
        self._unanswered: dict[int, Typed] = {}  # by their versions
        self._unsettled: dict[int, Typed] = {}
        told.typed += self._typed

    async def run(self) -> None:
        reading = asyncio.create_task(self._read())
        try:
            for stroke, typed in zip(self._strokes, self._typed, strict=True):
                await asyncio.sleep(max(0.0, typed.due - perf_counter()))
                await self._type(stroke, typed)
            if self._typed:
                await asyncio.wait_for(reading, GRACE)
        except TimeoutError:
            pass  # what has not come by now counts as lost
        finally:
            reading.cancel()

    async def _type(self, stroke: Stroke, typed: Typed) -> None:
        version = self._line.next_version
        self._unanswered[version] = typed
        # what is overtaken need not settle
        self._unsettled = {version: typed} if self._line.settles and typed.brings_words else {}
        typed.sent = perf_counter()
        await self._line.type(stroke)

    async def _read(self) -> None:
        """Notes what comes, until the last stroke has all that it can have."""
        async for news in self._line.news():
            now = perf_counter()
            self._told.analyses += news.is_analysis
            for version in [one for one in self._unanswered if one <= news.answered]:
                self._unanswered.pop(version).answered = now
            if news.settled in self._unsettled:
                self._unsettled.pop(news.settled).settled = now
            is_all_typed = self._typed[-1].sent is not None
            if is_all_typed and not self._unanswered and not self._unsettled:
                return
