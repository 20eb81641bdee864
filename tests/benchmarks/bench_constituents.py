"""How much longer a word takes where constituents are asked for, through the socket of a server.

Sentences as long as the treebank has them are said word by word to two documents of one server, of which one
has the stream "constituents", each word to both in turns, with levels L0 and L1. Times are from sending a
word to its first analysis and to the settled one, of words from the 36th to the 45th. The client and the
server share the machine, so figures are of both; differences are of the same word in both documents.

Beside that, the same is done in one process, without a socket, and the processor's time is counted: it says
the same on a machine that is busy with other things.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import Final, NamedTuple

import msgspec
import numpy as np
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import DocumentView, Session, load_model, read_sentences
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    Append,
    Open,
    OptionChanges,
    Stream,
)
from treewhile.server.client import Client, Document, connect
from treewhile.server.process.own_servers import SERVE, own_server

FIRST: Final = 36  # of the words that are timed, counted from 1
LAST: Final = 45
STREAMS: Final[dict[str, list[Stream]]] = {
    "without": ["analyses"],
    "with constituents": ["analyses", "constituents"],
}
PATIENCE: Final = 60.0  # seconds for an answer


class Times(NamedTuple):
    """Milliseconds from a word to what is said of it."""

    first: float
    settled: float


def texts(source: Path, count: int) -> Iterator[list[str]]:
    """The words of a treebank as sentences of the length that is measured."""
    words = chain.from_iterable([word.form for word in one.words] for one in read_sentences(source))
    for _ in range(count):
        yield [*islice(words, LAST)]


async def timed(document: Document, word: str) -> Times:
    """Says a word, and waits until it is settled."""
    start, first = perf_counter(), None
    version = await document.append(word)
    async with asyncio.timeout(PATIENCE):
        async for message in document.messages():
            if isinstance(message, AnalysisMessage) and message.version == version:
                now = 1000 * (perf_counter() - start)
                first = now if first is None else first
                if message.stage == "settled":
                    return Times(first, now)
    raise SystemExit("the server has closed the document")


async def measured(client: Client, sentences: Sequence[Sequence[str]]) -> dict[str, list[Times]]:
    """The times of the words that count, by what was asked for, in the same order."""
    found: dict[str, list[Times]] = {name: [] for name in STREAMS}
    order = random.Random(1)
    for number, words in enumerate(sentences):
        documents = {
            name: await client.open(
                f"{name} {number}", words=[], options=OptionChanges(levels=["L0", "L1"], streams=streams)
            )
            for name, streams in STREAMS.items()
        }
        for place, word in enumerate(words, 1):
            for name in order.sample([*documents], len(documents)):
                times = await timed(documents[name], word)
                if place >= FIRST:
                    found[name].append(times)
        for document in documents.values():
            await document.close()
    return found


def shown(found: dict[str, list[Times]], unit: str) -> Table:
    """Medians and 99th percentiles, and those of the differences."""
    table = Table(unit, "first, p50", "first, p99", "settled, p50", "settled, p99")
    without, with_them = (np.array(found[name]) for name in STREAMS)
    for name, times in [*zip(STREAMS, (without, with_them), strict=True), ("more", with_them - without)]:
        low, high = np.percentile(times, [50, 99], axis=0)
        table.add_row(name, *(f"{one:.2f}" for pair in zip(low, high, strict=True) for one in pair))
    return table


async def run(url: str, sentences: Sequence[Sequence[str]]) -> Table:
    async with connect(url) as client:
        if not client.welcome.constituents:
            raise SystemExit(f"the model {client.welcome.model} knows of no constituents: name another one")
        await measured(client, sentences[:2])  # until all is warm
        return shown(await measured(client, sentences), "milliseconds")


def worked(model: Model, sentences: Sequence[Sequence[str]]) -> dict[str, list[Times]]:
    """The processor's time in a session, messages and what a client makes of them included."""
    found: dict[str, list[Times]] = {name: [] for name in STREAMS}
    for words in sentences:
        documents = {name: Worked(model, streams) for name, streams in STREAMS.items()}
        for place, word in enumerate(words, 1):
            for name, document in documents.items():
                times = document.take(word)
                if place >= FIRST:
                    found[name].append(times)
    return found


class Worked:
    """A document of words in a session of its own."""

    def __init__(self, model: Model, streams: list[Stream]) -> None:
        self._session, self._view = Session(model), DocumentView("d")
        options = OptionChanges(levels=["L0", "L1"], streams=streams)
        self._version = 0
        self._session.receive(Open("d", 0, words=[], options=options))
        self._work()

    def take(self, word: str) -> Times:
        self._version += 1
        start = thread_time()
        self._session.receive(Append("d", self._version, [word]))
        return Times(*(1000 * (end - start) for end in self._work()))

    def _work(self) -> tuple[float, float]:
        """When the first job was done and told, and the last one."""
        ends = []
        while jobs := self._session.jobs_to_run():
            for job in jobs:
                self._session.job_done(job, job.run())
                for message in self._session.messages_to_send():
                    self._view.receive(msgspec.json.decode(msgspec.json.encode(message), type=AnyMessage))
                ends.append(thread_time())
        return ends[0], ends[-1]


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--limit", type=int, default=30, help="how many sentences")
    arguments = parser.parse_args()
    console = Console(width=110)
    sentences = [*texts(arguments.source, arguments.limit)]
    console.print(", ".join(machine().values()))
    model = load_model(arguments.model)
    worked(model, sentences[:2])  # until all is warm
    console.print(shown(worked(model, sentences), "processor's ms"))
    with own_server([*SERVE, "--model", arguments.model], say=console.print) as server:
        server.wait_for_search(console.print)
        console.print(asyncio.run(run(server.url, sentences)))


if __name__ == "__main__":
    main()
