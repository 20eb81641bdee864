"""What changes in a tree while its words are typed letter by letter, as a client of a session sees it.

Sentences of a treebank are typed at a steady speed, an edit a letter, on a simulated clock: all work is done
at once, and every message is looked at. Of each word that is typed behind others, with the white space behind
it, these are counted:

    changes   of the heads of earlier words, from one message to the next
    there and back   words in which an earlier word had one head, then another, then the first again
    boundaries       trees at white space that differ from those of the text typed word by word

Beside it, the same texts are typed by whole words, each with the white space behind it. With --server,
letters are typed in real time at a server, too; there "settled" is what stands when the next one is typed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from re import findall
from typing import Any, Final

import msgspec
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from treewhile.incremental import Model, load_model, read_sentences
from treewhile.incremental.constraints import searcher_for
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Close,
    ClosedMessage,
    DeltaMessage,
    Edit,
    ErrorMessage,
    Open,
    OptionChanges,
    SentencesMessage,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import InputError
from treewhile.server.process.own_servers import SERVE, own_server
from treewhile.server.protocol.frames import MSGPACK, Outgoing

LETTERS_A_WORD: Final = 5.0  # as typing speeds count them, the space included
TYPISTS: Final = 20

ENCODE: Final = msgspec.msgpack.Encoder().encode
DECODE: Final = msgspec.msgpack.Decoder(Outgoing).decode

Heads = list[Any]


@dataclass
class Counts:
    """Over all words that were typed behind others."""

    words: int = 0
    changes: int = 0
    settled_changes: int = 0
    there_and_back: int = 0
    settled_there_and_back: int = 0
    messages: int = 0
    trees: list[Heads] = field(default_factory=list)  # at white space

    @property
    def shown(self) -> list[str]:
        """As a row of the table."""
        n = self.words
        return [
            str(n),
            f"{self.changes / n:.2f}",
            f"{self.there_and_back / n:.1%}",
            f"{self.settled_changes / n:.2f}",
            f"{self.settled_there_and_back / n:.1%}",
            f"{self.messages / n:.1f}",
        ]

    def see_word(self, before: Heads, told: Sequence[Heads], settled: Sequence[Heads]) -> None:
        """A word has been typed: what was told of those before it, and what once all was done."""
        self.words += 1
        self.messages += len(told)
        changes, is_back = _changes(before, told)
        self.changes += changes
        self.there_and_back += is_back
        changes, is_back = _changes(before, settled)
        self.settled_changes += changes
        self.settled_there_and_back += is_back


def _changes(before: Heads, told: Sequence[Heads]) -> tuple[int, bool]:
    """How many heads of the first words have changed, and whether one has changed back."""
    changes, is_back = 0, False
    for word, head in enumerate(before):
        seen = [head, *(heads[word] for heads in told if word < len(heads))]
        runs = [seen[0], *(after for last, after in pairwise(seen) if after != last)]
        changes += len(runs) - 1
        is_back |= len(set(runs)) < len(runs)
    return changes, is_back


class Screen:
    """What a client shows of one document: the heads of its words, counted through."""

    def __init__(self) -> None:
        self._shown: list[AnalysisMessage | None] = []

    def read(self, message: object) -> Heads | None:
        """What stands after a message, if it is an analysis."""
        if isinstance(message, SentencesMessage):
            first = message.first
            self._shown[first : first + message.removed] = [None] * message.added
        elif isinstance(message, AnalysisMessage | DeltaMessage):
            base = self._shown[message.sentence]
            full = apply_delta(base, message) if isinstance(message, DeltaMessage) and base else message
            assert isinstance(full, AnalysisMessage)
            self._shown[message.sentence] = full
            return self.heads
        return None

    @property
    def heads(self) -> Heads:
        """Those of all sentences, so that it means nothing where one ends."""
        heads: Heads = []
        for analysis in filter(None, self._shown):
            first = len(heads)
            for view in analysis.words:
                head = view.head
                heads.append(first + head if isinstance(head, int) and head > 0 else head)
        return heads


class Seen:
    """What was told while a text is typed, word by word."""

    def __init__(self, counts: Counts) -> None:
        self._counts, self._before = counts, Heads()
        self.screen = Screen()
        self.told: list[Heads] = []
        self.settled: list[Heads] = []

    def read(self, message: object) -> None:
        heads = self.screen.read(message)
        if heads is not None:
            self.told.append(heads)

    def end_word(self) -> None:
        """The white space behind a word has been typed, and its answers have come."""
        if self._before:
            self._counts.see_word(self._before, self.told, self.settled)
        self._before, self.told, self.settled = self.screen.heads, [], []
        self._counts.trees.append(self._before)


def type_into(session: Session, name: str, pieces: Sequence[str], typing: Typing, counts: Counts) -> None:
    """Types the pieces of a text, of which some end in white space, into a new document."""
    seen, at = Seen(counts), 0
    session.receive(Open(name, 0, text="", options=typing.options))
    settle(session, seen)
    for version, piece in enumerate(pieces, 1):
        typing.now += typing.interval * len(piece)
        session.tick(typing.now)
        settle(session, seen)
        told = len(seen.told)
        session.receive(Edit(name, version, at, at, piece))
        at += len(piece)
        settle(session, seen)
        seen.settled += seen.told[told:][-1:]
        if piece[-1].isspace():
            seen.end_word()
    session.receive(Close(name))


@dataclass
class Typing:
    """How it is typed, and the simulated time."""

    interval: float
    options: OptionChanges
    now: float = 0.0


def settle(session: Session, seen: Seen) -> None:
    """Does all there is to do, and looks at every message."""
    while True:
        for message in session.messages_to_send():
            seen.read(message)
        jobs = session.jobs_to_run()
        if not jobs:
            return
        for job in jobs:
            session.job_done(job, job.run())
            for message in session.messages_to_send():
                seen.read(message)


def measured(model: Model, texts: Sequence[str], typing: Typing, by_words: bool) -> Counts:
    counts, session = Counts(), Session(model, searcher_for(model))
    for number, text in enumerate(texts):
        pieces = findall(r"\S+\s*", text + " ") if by_words else [*(text + " ")]
        type_into(session, str(number), pieces, typing, counts)
    return counts


# --- at a server ------------------------------------------------------------------------------------------


async def measured_at(url: str, texts: Sequence[str], typing: Typing) -> Counts:
    """The same in real time, by some typists at once, each with a socket; all letters at one speed."""
    counts, left = Counts(), [*enumerate(texts)]

    async def typist() -> None:
        async with connect(url, subprotocols=[Subprotocol(MSGPACK.name)], compression=None) as socket:
            while left:
                number, text = left.pop()
                await type_at(socket, str(number), text + " ", typing, counts)

    await asyncio.gather(*(typist() for _ in range(TYPISTS)))
    return counts


async def type_at(socket: ClientConnection, name: str, text: str, typing: Typing, counts: Counts) -> None:
    seen = Seen(counts)
    await socket.send(ENCODE(Open(name, 0, text="", options=typing.options)))
    reading = asyncio.create_task(read_all(socket, name, seen))
    for version, letter in enumerate(text, 1):
        await socket.send(ENCODE(Edit(name, version, version - 1, version - 1, letter)))
        await asyncio.sleep(typing.interval)
        seen.settled += seen.told[-1:]
        if letter.isspace():
            seen.end_word()
    await socket.send(ENCODE(Close(name)))
    await reading


async def read_all(socket: ClientConnection, name: str, seen: Seen) -> None:
    """Reads until the document is closed."""
    while True:
        message = DECODE(await socket.recv())
        if isinstance(message, ClosedMessage):
            return
        if isinstance(message, ErrorMessage):
            raise InputError(message.message)
        seen.read(message)


# --- the report -------------------------------------------------------------------------------------------


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--limit", type=int, default=150, help="how many sentences")
    parser.add_argument("--wpm", type=float, default=80)
    parser.add_argument("--stability", type=float, default=0)
    parser.add_argument("--server", action="store_true", help="in real time, at a server of its own, too")
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    texts = [
        *islice((one.tokens.metadata["text"] for one in read_sentences(arguments.source)), arguments.limit)
    ]
    interval = 60 / (arguments.wpm * LETTERS_A_WORD)
    typing = Typing(interval, OptionChanges(stability=arguments.stability))
    console.print(", ".join(machine().values()))
    console.print(f"{arguments.source.name}, {len(texts)} sentences, {arguments.wpm:g} words a minute")
    table = Table(
        "", "words", "changes a word", "there and back", "settled: changes", "there and back", "messages"
    )
    letters, words = (measured(model, texts, typing, by_words) for by_words in (False, True))
    table.add_row("letters", *letters.shown)
    table.add_row("words", *words.shown)
    if arguments.server:
        with own_server([*SERVE, "--model", arguments.model], say=console.print) as server:
            server.wait_for_search(console.print)
            counts = asyncio.run(measured_at(server.url, texts, typing))
        table.add_row(f"letters, {TYPISTS} at a server", *counts.shown)
    console.print(table)
    other = sum(one != two for one, two in zip(letters.trees, words.trees, strict=True))
    console.print(f"boundaries with another tree: {other} of {len(words.trees)}")


if __name__ == "__main__":
    main()
