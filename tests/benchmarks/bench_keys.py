"""What a key costs a session in process: one thread, everything is done at once, on a simulated clock.

Sentences of a treebank are typed letter by letter, each in a document of its own, with slips that are taken
back; by one person, and then by many, each with a session, whose keys come between each other's: so the
processor has to fetch again what it had at hand, as in a server. Of each key by its kind, processor time, the
median of some repeats:

    receive   the event, and whatever the session does with it at once
    L0        the jobs that attach words
    L1, L2    the jobs that refine; they are run to their end, each as soon as it is handed out. Many people
              have no L2, which waits for idle times
    session   all else: taking results, asking for jobs, making messages
    encode    the messages as msgpack
    loop      all of these but L1 and L2: what an event loop does, without sockets
    a word    all keys, for each word that the texts have

Beside it, counts a key: jobs, messages, bytes.
"""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any, Final, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import msgspec
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Model, load_model, read_sentences
from treewhile.incremental.constraints import searcher_for
from treewhile.incremental.search import Searcher
from treewhile.incremental.sessions.messages import Close, Edit, Open
from treewhile.incremental.sessions.session import Session
from treewhile.server.process.settings import keep_waits_short, leave_out_of_collections

INTERVAL: Final = 0.13  # seconds from key to key, 80 words a minute
SLIPS: Final = 0.04  # of letters, each with a backspace behind it
KINDS: Final = ("first letter", "inside a word", "backspace", "white space", "other")
IN_LOOP: Final = ("receive", "L0", "session", "encode")
PARTS: Final = (*IN_LOOP, "loop", "L1", "L2")
DONE: Final = object()
ENCODE: Final = msgspec.msgpack.Encoder().encode


class Key(NamedTuple):
    """One edit, by its kind."""

    kind: str
    start: int
    end: int
    text: str


def keys_of(text: str, source: random.Random) -> Iterator[Key]:
    """The keys that lead to a text, at its end."""
    before = " "
    for at, letter in enumerate(text):
        if letter.isalpha() and before.isalpha() and source.random() < SLIPS:
            yield Key("inside a word", at, at, source.choice("etaoinshr"))
            yield Key("backspace", at, at + 1, "")
        yield Key(kind_of(before, letter), at, at, letter)
        before = letter


def kind_of(before: str, letter: str) -> str:
    if letter.isspace():
        return "white space"
    if not letter.isalnum():
        return "other"
    return "inside a word" if before.isalnum() else "first letter"


class Costs:
    """What keys took, by their kinds."""

    def __init__(self) -> None:
        self.seconds: dict[str, dict[str, float]] = {kind: defaultdict(float) for kind in KINDS}
        self.counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}

    def of(self, kind: str, part: str) -> float:
        """In seconds."""
        seconds = self.seconds[kind]
        return sum(seconds[one] for one in IN_LOOP) if part == "loop" else seconds[part]

    def of_all(self, part: str) -> float:
        return sum(self.of(kind, part) for kind in KINDS)


class Person:
    """A session at the keys, which types texts one after the other."""

    def __init__(self, model: Model, searcher: Searcher | None, costs: Costs) -> None:
        self._session, self._costs = Session(model, searcher), costs
        self._now = self._since = 0.0
        self._part: dict[str, float] = defaultdict(float)

    def typing(self, name: str, keys: Sequence[Key]) -> Iterator[None]:
        """Types a text in a document of its own, and waits after each key."""
        self._key(Open(name, 0, text=""), Counter())
        for version, (kind, start, end, text) in enumerate(keys, 1):
            self._now += INTERVAL
            self._part.clear()
            counts, seconds = self._costs.counts[kind], self._costs.seconds[kind]
            counts["keys"] += 1
            self._key(Edit(name, version, start, end, text), counts)
            for part, more in self._part.items():
                seconds[part] += more
            yield
        self._key(Close(name), Counter())

    def _key(self, event: Any, counts: Counter[str]) -> None:
        session, self._since = self._session, thread_time()
        session.tick(self._now)
        session.receive_decoded(event)
        self._took("receive")
        self._say(counts)
        while jobs := session.jobs_to_run():
            for job in jobs:
                self._took("session")
                result = job.run()
                self._took(job.level)
                counts[job.level] += 1
                session.tick(self._now)
                session.job_done(job, result)
                self._took("session")
                self._say(counts)
        assert session.wake_at is None or session.wake_at > self._now
        self._took("session")

    def _say(self, counts: Counter[str]) -> None:
        session = self._session
        while session.has_messages and (messages := session.messages_to_send()):
            self._took("session")
            for message in messages:
                counts["bytes"] += len(ENCODE(message))
            counts["messages"] += len(messages)
            self._took("encode")

    def _took(self, part: str) -> None:
        now = thread_time()
        self._part[part] += now - self._since
        self._since = now


def measured(
    model: Model, searcher: Searcher | None, texts: Sequence[Sequence[Key]], people: int = 1
) -> Costs:
    """What texts cost that so many people type at the same time, in any order of keys."""
    costs, order = Costs(), random.Random(1)
    parts = [texts[number::people] for number in range(people)]
    typing = [typed_by(Person(model, searcher, costs), part) for part in parts if part]
    while typing:
        place = order.randrange(len(typing))
        if next(typing[place], DONE) is DONE:
            del typing[place]
    return costs


def typed_by(person: Person, texts: Sequence[Sequence[Key]]) -> Iterator[None]:
    """What one person types, key by key."""
    for number, keys in enumerate(texts):
        yield from person.typing(str(number), keys)


def texts_of(path: Path, limit: int) -> list[str]:
    return [one.tokens.metadata["text"] + " " for one in islice(read_sentences(path), limit)]


def shown(runs: Sequence[Costs], words: int, people: int) -> Table:
    table = Table("ms a key", "keys", *PARTS, title=f"{people} at the keys")
    for kind in KINDS:
        count = runs[0].counts[kind]["keys"]
        parts = [1000 * median(run.of(kind, part) for run in runs) / max(1, count) for part in PARTS]
        table.add_row(kind, str(count), *(f"{part:.4f}" for part in parts))
    parts = [1000 * median(run.of_all(part) for run in runs) / words for part in PARTS]
    table.add_row("a word", str(words), *(f"{part:.4f}" for part in parts))
    return table


def shown_counts(counts: dict[str, Counter[str]]) -> Table:
    names = ("L0", "L1", "L2", "messages", "bytes")
    table = Table("a key", *names)
    for kind in KINDS:
        keys = counts[kind]["keys"] or 1
        table.add_row(kind, *(f"{counts[kind][name] / keys:.2f}" for name in names))
    return table


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--limit", type=int, default=40, help="how many sentences one person types")
    parser.add_argument("--people", type=int, default=150, help="how many type at the same time")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    searcher = searcher_for(model)
    keep_waits_short()
    console.print(", ".join(machine().values()))
    for people, limit in ((1, arguments.limit), (arguments.people, 2 * arguments.people)):
        texts, source = texts_of(arguments.source, limit), random.Random(1)
        keys = [[*keys_of(text, source)] for text in texts]
        given = searcher if people == 1 else None
        measured(model, given, keys[:3])
        leave_out_of_collections()
        runs = [measured(model, given, keys, people) for _ in range(arguments.repeats)]
        console.print(shown(runs, sum(len(text.split()) for text in texts), people))
        console.print(shown_counts(runs[0].counts))


if __name__ == "__main__":
    main()
