"""Whether the steps that a server advises are right while a sentence grows: judged by whole gold trees.

A server of its own is started, and words of treebank sentences go there one by one. After each word but the
last, all is left to settle; then what is advised is judged from the same configuration by the gold tree of
the whole sentence, of which the server knows nothing:

    advised    all that is advised is optimal
    by tree    the same for what the best analysis says, without probabilities
    waiting    whether waiting is optimal: who always waited would be right so often
    acts       of the places where waiting is not optimal, where all that is advised is
    rebuilt    whether the parser had just taken its steps anew, along the best analysis

At rest is the configuration that the parser comes to after each word. On the way are those that it goes
through from one word to the next, found by taking its steps back; with risk 1, where the parser never waits
for certainty, "parser" is how often the step was optimal that it took from there.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from measuring import Spread, machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.sessions.messages import AnalysisMessage, OptionChanges, StepsMessage, Stream
from treewhile.oracles import Configuration, optimal_steps
from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.process.own_servers import SERVE, OwnServer, own_server

LENGTHS: Final = range(4, 31)  # words
REST: Final = 0.08  # seconds in which nothing more was said
PATIENCE: Final = 60.0
AT_ONCE: Final = 4  # documents
TURNS: Final = 3
STREAMS: Final[dict[str, list[Stream]]] = {
    "analyses": ["analyses"],
    "analyses and steps": ["analyses", "steps"],
    "analyses, steps and plans": ["analyses", "steps", "plan"],
}
COLUMNS: Final = ("advised", "by tree", "waiting", "acts", "parser", "rebuilt")

Place: TypeAlias = tuple[tuple[int, ...], int]  # stack and front
START: Final[Place] = ((0,), 1)
Told: TypeAlias = AsyncIterator[tuple[StepsMessage, str | None]]
Walk: TypeAlias = Callable[[Client, str, Sequence[str], OptionChanges], Told]


class Tally:
    """How many judgements there were, and how many of them were good."""

    def __init__(self) -> None:
        self._good, self._all = Counter[str](), Counter[str]()

    def note(self, name: str, is_good: bool) -> None:
        self._good[name] += is_good
        self._all[name] += 1

    def judge(self, told: StepsMessage, gold: Sequence[int | None], taken: str | None = None) -> None:
        """Notes whether what was told of a configuration is right, and the step that was taken from it."""
        best = optimal_steps(Configuration(tuple(told.stack), told.front, len(gold)), gold).best
        is_right = {*told.optimal} <= {*best}
        self.note("advised", is_right)
        self.note("by tree", {*getattr(told, "best", told.optimal)} <= {*best})
        self.note("waiting", "shift" in best)
        self.note("rebuilt", told.rebuilt)
        if "shift" not in best:
            self.note("acts", is_right)
        if taken is not None:
            self.note("parser", taken in best)

    def shown(self) -> Iterator[str]:
        yield str(self._all["advised"])
        for name in COLUMNS:
            yield f"{self._good[name] / self._all[name]:.1%}" if self._all[name] else ""


async def at_rest(client: Client, name: str, words: Sequence[str], options: OptionChanges) -> Told:
    """What is told after every word but the last, and that nothing was done from there."""
    document = await client.open(name, words=[], options=options)
    for word in words[:-1]:
        version = await document.append(word)
        yield await _settled(document, version), None
    await document.close()


async def on_the_way(client: Client, name: str, words: Sequence[str], options: OptionChanges) -> Told:
    """What is told of every configuration, once its words have come, and the step that was taken there."""
    before = START
    for t in range(1, len(words)):
        document = await client.open(f"{name} {t}", words=words[:t], options=options)
        told = await _settled(document, 0)
        rest = _place(told)
        yield told, "shift"
        while _place(told) not in (before, START):  # which it goes back to where steps were taken anew
            await document.undo(0)
            after, told = told, await _settled(document, 0)
            yield told, _step_between(_place(told), _place(after))
        before = rest
        await document.close()


def _place(told: StepsMessage) -> Place:
    return tuple(told.stack), told.front


def _step_between(before: Place, after: Place) -> str:
    if after[1] > before[1]:
        return "shift"
    return "reduce_left" if after[0][-1] == before[0][-2] else "reduce_right"


async def _settled(document: Document, version: int) -> StepsMessage:
    """The last next steps of a version, once nothing more is said."""
    told: StepsMessage | None = None
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                message = await asyncio.wait_for(anext(document.messages()), REST if told else None)
            except TimeoutError:
                if told is None:
                    raise
                return told
            if isinstance(message, StepsMessage) and message.version == version:
                told = message


async def judged(url: str, sentences: Sequence[Sentence], walk: Walk, options: OptionChanges) -> Tally:
    """All that is told of the sentences, some of them at a time."""
    tally, waiting = Tally(), iter(enumerate(sentences))

    async def judge_some() -> None:
        async with connect(url) as client:
            for number, sentence in waiting:
                words = [word.form for word in sentence.words]
                async for told, taken in walk(client, f"{number}", words, options):
                    tally.judge(told, sentence.heads, taken)

    await asyncio.gather(*(judge_some() for _ in range(AT_ONCE)))
    return tally


async def typed(url: str, sentences: Sequence[Sentence], options: OptionChanges) -> int:
    """Says the words one by one, each once the one before is settled; how many there were."""
    words = 0
    async with connect(url) as client:
        for number, sentence in enumerate(sentences):
            document = await client.open(f"{number}", words=[], options=options)
            for word in sentence.words:
                version = await document.append(word.form)
                await _analysed(document, version)
                words += 1
            await document.close()
    return words


async def _analysed(document: Document, version: int) -> None:
    """Waits until nothing improves the analysis of a version."""
    async with asyncio.timeout(PATIENCE):
        async for message in document.messages():
            is_told = isinstance(message, AnalysisMessage) and message.version == version
            if is_told and message.stage in ("settled", "final"):
                return


def costs(server: OwnServer, sentences: Sequence[Sentence]) -> Table:
    """The processor time that words take without steps and with them, in turns."""
    found: dict[str, list[float]] = {name: [] for name in STREAMS}
    for _ in range(TURNS):
        for name, streams in STREAMS.items():
            before = server.use()
            options = OptionChanges(streams=[*streams], levels=["L0", "L1"])
            words = asyncio.run(typed(server.url, sentences, options))
            after = server.use()
            if before and after:
                found[name].append((after.cpu_seconds - before.cpu_seconds) / words)
    table = Table("streamed, levels 0 and 1", "processor time of the server for a word")
    for name, seconds in found.items():
        table.add_row(name, f"{Spread(tuple(seconds))}" if seconds else "not told here")
    return table


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--limit", type=int, default=100, help="how many sentences of 4 to 30 words")
    arguments = parser.parse_args()
    console = Console(width=110)
    fitting = (one for one in read_sentences(arguments.source) if len(one.words) in LENGTHS)
    sentences = [*islice(fitting, arguments.limit)]
    console.print(", ".join(machine().values()))
    table = Table(f"{arguments.model}, {len(sentences)} sentences", "configurations", *COLUMNS)
    with own_server([*SERVE, "--model", arguments.model], say=console.print) as server:
        server.wait_for_search(console.print)
        for name, walk, changes in ROWS:
            options = OptionChanges(streams=["analyses", "steps"], **changes)
            table.add_row(name, *asyncio.run(judged(server.url, sentences, walk, options)).shown())
        console.print(table)
        console.print(costs(server, sentences))


ROWS: Final[tuple[tuple[str, Walk, dict[str, Any]], ...]] = (
    ("at rest", at_rest, {}),
    ("on the way", on_the_way, {}),
    ("at rest, risk 1", at_rest, {"risk": 1}),
    ("on the way, risk 1", on_the_way, {"risk": 1}),
)

if __name__ == "__main__":
    main()
