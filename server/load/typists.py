"""Virtual typists, each with a socket; they keep to their schedules even if the server falls behind.

All times count from the due time of a stroke, so that a delay of one stroke also counts for the strokes
behind it. While an edit is unanswered, typed text is gathered, as in treewhile's clients.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from operator import itemgetter
from random import uniform
from ssl import SSLCertVerificationError
from time import perf_counter
from typing import Any, Final, NamedTuple

import msgspec

from treewhile.incremental.sessions.messages import Change, Edit, Open
from treewhile.server.client.gathered_changes import GatheredChanges
from treewhile.server.errors import DisconnectedError
from treewhile.server.load.client_sockets import ClientSocket, open_socket
from treewhile.server.load.typing_schedules import Ended, Stroke
from treewhile.server.protocol.frames import Hello

AT_ONCE: Final = 32  # typists that connect at the same time
PATIENCE: Final = 30.0  # seconds until a document is open
PAUSE: Final = (0.05, 0.5)  # bounds in seconds before a typist tries to connect again
GRACE: Final = 10.0  # seconds after the last stroke for outstanding answers
SOON: Final = 0.2  # seconds between the last connection and the first stroke
LOOK_AGAIN: Final = 0.01  # seconds
IMPROVED: Final = ("improved", "settled", "final")
SETTLED: Final = ("settled", "final")
DOCUMENT: Final = "page"


class Heard(msgspec.Struct, gc=False):
    """Measured fields of messages of any kind; other fields are skipped undecoded."""

    type: str
    version: int | None = -1
    answers: list[int] = []
    sentence: int = 0
    stage: str = ""
    start: int = 0
    first: int = 0
    removed: int = 0
    added: int = 0
    units: int = 0
    session: str = ""
    resumed: bool = False
    documents: list[dict[str, Any]] = []


ENCODE: Final = msgspec.msgpack.Encoder().encode
DECODE: Final = msgspec.msgpack.Decoder(Heard).decode


@dataclass(slots=True)
class Typed:
    """Times of a stroke and of its answers, in seconds of one clock; None for an event that never came.

    `next_word_due` is the due time of the next end of a word, for strokes that end a word.
    """

    due: float
    next_due: float | None
    ended: Ended = "word"
    next_word_due: float | None = None
    sent: float | None = None
    answered: float | None = None
    improved: float | None = None
    settled: float | None = None


@dataclass
class Replay:
    """Record of all strokes and connections."""

    typed: list[Typed] = field(default_factory=list)
    analyses: int = 0
    edits: int = 0  # sent edits; a gathered one may have many strokes
    bytes_sent: int = 0
    bytes_received: int = 0
    connected: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # connections, by reason
    came_back: int = 0  # connections that were lost, and resumed or begun anew
    broken: int = 0  # connections that were lost for good
    begin: float = 0.0
    end: float = 0.0


class Word(NamedTuple):
    """Last word that has ended, as long as its sentence may still improve."""

    typed: Typed
    version: int
    place: int


class Typist:
    """Client that types at a server, and connects again after a lost connection."""

    def __init__(self, url: str, token: str | None, strokes: Sequence[Stroke], told: Replay) -> None:
        self._url, self._token, self._told = url, token, told
        self._strokes, self._typed = strokes, list[Typed]()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._socket: ClientSocket | None = None
        self._session: str | None = None
        self._done = 0  # number of strokes
        self._version = 0
        self._changes = GatheredChanges()
        self._unanswered = deque[tuple[int, Typed]]()  # by version
        self._word: Word | None = None
        self._sentences: list[tuple[float, str]] = []  # start and stage of each sentence
        self._returning: asyncio.Task[None] | None = None
        self._is_leaving = False

    async def come(self) -> None:
        """Connect, and open or resume the document."""
        self._socket = await open_socket(self._url, self._hear, self._lose)
        self._send(Hello(resume=self._session, token=self._token))
        async with asyncio.timeout(PATIENCE):
            await self._opened

    def begin(self, start: float) -> Iterator[tuple[float, Typist]]:
        """Plan the strokes from a start time on, and yield the time of each."""
        times = [start + stroke.at for stroke in self._strokes]
        self._typed = [
            Typed(due, following, stroke.ended)
            for stroke, due, following in zip(self._strokes, times, [*times[1:], None], strict=False)
        ]
        words = [typed for typed in self._typed if typed.ended != "nothing"]
        for typed, following in pairwise(words):
            typed.next_word_due = following.due
        self._told.typed += self._typed
        return ((due, self) for due in times)

    def type(self) -> None:
        """Make the next stroke."""
        stroke, typed = self._strokes[self._done], self._typed[self._done]
        self._done += 1
        self._version += 1
        typed.sent = perf_counter()
        self._unanswered.append((self._version, typed))
        if stroke.ended != "nothing":
            self._word = Word(typed, self._version, stroke.last_letter)
        self._change(self._changes.add(Edit(DOCUMENT, self._version, stroke.start, stroke.end, stroke.text)))

    @property
    def is_done(self) -> bool:
        """True if the answer to the last stroke is complete."""
        return self._is_leaving or not (self._unanswered or (self._word and self._sentences))

    def leave(self) -> None:
        self._is_leaving = True
        if self._returning:
            self._returning.cancel()
            self._told.broken += 1
        if self._socket:
            self._socket.close()

    def _change(self, changes: Sequence[Change]) -> None:
        self._told.edits += len(changes)
        for change in changes:
            self._send(change)

    def _send(self, event: Any) -> None:
        if self._socket:
            message = ENCODE(event)
            self._told.bytes_sent += len(message)
            self._socket.send(message)

    # --- losses ---------------------------------------------------------------------------------------------

    def _lose(self, code: int | None) -> None:
        self._socket, lost = None, DisconnectedError("the server sends this typist away", code)
        if not self._opened.done():
            self._opened.set_exception(lost)
            self._opened.exception()  # marks the exception as retrieved
        elif not (self._is_leaving or self._returning):
            self._returning = asyncio.create_task(self._return())

    async def _return(self) -> None:
        """Connect again and again, until the server accepts or the typist leaves."""
        while True:
            await asyncio.sleep(uniform(*PAUSE))
            self._opened = asyncio.get_running_loop().create_future()
            try:
                await self.come()
            except (DisconnectedError, OSError, TimeoutError):
                continue
            self._told.came_back += 1
            self._returning = None
            return

    def _go_on(self, welcome: Heard) -> None:
        """Resume the document of the session, or open the text anew if the server has lost it."""
        self._session, self._sentences = welcome.session, []
        held = {one["document"]: one["version"] for one in welcome.documents}
        if welcome.resumed and DOCUMENT in held:
            self._answer(held[DOCUMENT], perf_counter())
            self._change(self._changes.again())
        else:
            self._changes = GatheredChanges()
            self._version += 1
            self._send(Open(DOCUMENT, self._version, text=self._text))

    @property
    def _text(self) -> str:
        text = ""
        for stroke in self._strokes[: self._done]:
            text = text[: stroke.start] + stroke.text + text[stroke.end :]
        return text

    # --- messages of the server -----------------------------------------------------------------------------

    def _hear(self, frame: bytes) -> None:
        heard, now = DECODE(frame), perf_counter()
        self._told.bytes_received += len(frame)
        kind = heard.type
        if kind in ("analysis", "delta"):
            self._told.analyses += 1
            self._see(heard, now)
        elif kind == "sentences":
            gone = slice(heard.first, heard.first + heard.removed)
            self._sentences[gone] = [(inf, "")] * heard.added
        elif kind == "moved":
            self._move(heard)
        elif kind == "welcome":
            self._go_on(heard)
        if heard.answers:
            self._answer(max(heard.answers), now)

    def _answer(self, version: int, now: float) -> None:
        while self._unanswered and self._unanswered[0][0] <= version:
            self._unanswered.popleft()[1].answered = now
        self._changes.answer(version)
        self._change(self._changes.released())
        word = self._word
        if word and version >= word.version:  # the shown analysis may be the best already
            self._improve(
                word, self._sentences[self._sentence_at(word.place)][1] if self._sentences else "", now
            )
        if not self._opened.done():
            self._opened.set_result(None)

    def _see(self, heard: Heard, now: float) -> None:
        """Note an analysis, which may belong to the sentence of the last word."""
        missing = heard.sentence + 1 - len(self._sentences)
        self._sentences += [(inf, "")] * missing
        self._sentences[heard.sentence] = heard.start, heard.stage
        word = self._word
        is_of_word = word and heard.version is not None and heard.version >= word.version
        if word and is_of_word and self._sentence_at(word.place) == heard.sentence:
            self._improve(word, heard.stage, now)

    def _improve(self, word: Word, stage: str, now: float) -> None:
        if stage in IMPROVED and word.typed.improved is None:
            word.typed.improved = now
        if stage in SETTLED:
            word.typed.settled = now
            self._word = None

    def _move(self, heard: Heard) -> None:
        for number in range(heard.sentence, len(self._sentences)):
            start, stage = self._sentences[number]
            self._sentences[number] = start + heard.units, stage

    def _sentence_at(self, place: int) -> int:
        for number in range(len(self._sentences) - 1, 0, -1):
            if self._sentences[number][0] <= place:
                return number
        return 0


def _why(error: Exception) -> str:
    """Return the reason of a failed connection."""
    if isinstance(error, SSLCertVerificationError):
        return error.verify_message
    return str(getattr(error, "code", None) or "unreachable")


# --- crowd --------------------------------------------------------------------------------------------------


class Crowd:
    """Typists at one server."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url, self._token, self.told = url, token, Replay()
        self._typists: list[Typist] = []

    async def join(self, strokes: Sequence[Stroke]) -> None:
        """Connect one more typist."""
        typist = Typist(self._url, self._token, strokes, self.told)
        try:
            await typist.come()
        except (DisconnectedError, OSError, TimeoutError) as error:
            typist.leave()
            self.told.refused[_why(error)] += 1
        else:
            self.told.connected += 1
            self._typists.append(typist)

    async def type(self) -> Replay:
        """Make all strokes at their times, and wait for the answers."""
        start = self.told.begin = perf_counter() + SOON
        strokes = [stroke for typist in self._typists for stroke in typist.begin(start)]
        strokes.sort(key=itemgetter(0))
        gc.collect()
        gc.disable()  # a collection visits every stroke
        try:
            await self._make(strokes)
        finally:
            gc.enable()
        self.told.end = perf_counter()
        return self.told

    async def _make(self, strokes: Sequence[tuple[float, Typist]]) -> None:
        now = perf_counter()
        for due, typist in strokes:
            while due > now:  # all due strokes are sent together, before answers are read
                await asyncio.sleep(max(0.0, due - perf_counter()))
                now = perf_counter()
            typist.type()
        end = perf_counter() + GRACE  # later answers count as lost
        while perf_counter() < end and not all(typist.is_done for typist in self._typists):
            await asyncio.sleep(LOOK_AGAIN)

    def leave(self) -> None:
        for typist in self._typists:
            typist.leave()


@asynccontextmanager
async def crowd(
    url: str, schedules: Sequence[Sequence[Stroke]], token: str | None = None
) -> AsyncIterator[Crowd]:
    """Connect a typist for each list of strokes, until the block ends."""
    people, turn = Crowd(url, token), asyncio.Semaphore(AT_ONCE)

    async def join(strokes: Sequence[Stroke]) -> None:
        async with turn:
            await people.join(strokes)

    try:
        async with asyncio.TaskGroup() as group:
            for strokes in schedules:
                group.create_task(join(strokes))
        yield people
    finally:
        people.leave()
        await asyncio.sleep(0)
