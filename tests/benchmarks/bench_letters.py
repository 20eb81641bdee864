"""What changes in a tree while its words are typed letter by letter, as a client of a session sees it.

Sentences of a treebank are typed at a steady speed, an edit a letter, on a simulated clock: all work is done
at once, and every message is looked at. Of each word that is typed behind others, with the white space behind
it, these are counted:

    changes   of the heads of earlier words, from one message to the next
    there and back   words in which an earlier word had one head, then another, then the first again
    boundaries       trees at white space that differ from those of the text typed word by word

--words types whole words with the white space behind them, for comparison.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from re import findall
from typing import Any, Final

from measuring import machine
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Model, load_model, read_sentences
from treewhile.incremental.constraints import searcher_for
from treewhile.incremental.session import Session
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Close,
    DeltaMessage,
    Edit,
    Open,
    OptionChanges,
    SentencesMessage,
    apply_delta,
)
from treewhile.incremental.sessions.searching import Searcher

LETTERS_A_WORD: Final = 5.0  # as typing speeds count them, the space included

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


class Typing:
    """A document in which one sentence after the other is typed; `now` is the simulated time."""

    def __init__(self, model: Model, searcher: Searcher, interval: float, stability: float) -> None:
        self._session = Session(model, searcher)
        self._interval, self._options = interval, OptionChanges(stability=stability)
        self._now, self._version, self._documents = 0.0, 0, 0

    def type(self, pieces: Sequence[str], counts: Counts) -> None:
        """Types the pieces of a text, of which some end in white space."""
        self._documents += 1
        name, at = str(self._documents), 0
        self._shown: list[AnalysisMessage | None] = []
        self._session.receive(Open(name, 0, text="", options=self._options))
        [*self._told()]
        before: Heads = []
        told: list[Heads] = []
        settled: list[Heads] = []
        for version, piece in enumerate(pieces, 1):
            self._now += self._interval * len(piece)
            self._session.tick(self._now)
            told += self._told()
            self._session.receive(Edit(name, version, at, at, piece))
            at += len(piece)
            new = [*self._told()]
            told += new
            settled += new[-1:]
            if piece[-1].isspace():
                if before:
                    counts.see_word(before, told, settled)
                before, told, settled = self._heads(), [], []
                counts.trees.append(before)
        self._session.receive(Close(name))

    def _told(self) -> Iterator[Heads]:
        """What stands after each message, until there is nothing more to do."""
        yield from self._read()
        while jobs := self._session.jobs_to_run():
            for job in jobs:
                self._session.job_done(job, job.run())
                yield from self._read()

    def _read(self) -> Iterator[Heads]:
        for message in self._session.messages_to_send():
            if isinstance(message, SentencesMessage):
                first = message.first
                self._shown[first : first + message.removed] = [None] * message.added
            elif isinstance(message, AnalysisMessage | DeltaMessage):
                self._shown[message.sentence] = self._whole(message)
                yield self._heads()

    def _whole(self, message: AnalysisMessage | DeltaMessage) -> AnalysisMessage:
        base = self._shown[message.sentence]
        return apply_delta(base, message) if isinstance(message, DeltaMessage) and base else message

    def _heads(self) -> Heads:
        """Of all words of the document, counted through, so that sentence ends mean nothing."""
        heads: Heads = []
        for analysis in filter(None, self._shown):
            first = len(heads)
            for view in analysis.words:
                head = view.head
                heads.append(first + head if isinstance(head, int) and head > 0 else head)
        return heads


def measured(model: Model, texts: Sequence[str], interval: float, by_words: bool, stability: float) -> Counts:
    counts = Counts()
    typing = Typing(model, searcher_for(model), interval, stability)
    for text in texts:
        pieces = findall(r"\S+\s*", text + " ") if by_words else [*(text + " ")]
        typing.type(pieces, counts)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en", help="a model's name or file")
    parser.add_argument("--source", type=Path, required=True, help="a treebank")
    parser.add_argument("--limit", type=int, default=150, help="so many sentences")
    parser.add_argument("--wpm", type=float, default=80)
    parser.add_argument("--stability", type=float, default=0)
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    texts = [
        *islice(
            (str(one.tokens.metadata["text"]) for one in read_sentences(arguments.source)), arguments.limit
        )
    ]
    interval = 60 / (arguments.wpm * LETTERS_A_WORD)
    console.print(", ".join(machine().values()))
    console.print(f"{arguments.source.name}, {len(texts)} sentences, {arguments.wpm:g} words a minute")
    table = Table(
        "", "words", "changes a word", "there and back", "settled: changes", "there and back", "messages"
    )
    letters = measured(model, texts, interval, False, arguments.stability)
    words = measured(model, texts, interval, True, arguments.stability)
    for name, counts in (("letters", letters), ("words", words)):
        n = counts.words
        table.add_row(
            name,
            str(n),
            f"{counts.changes / n:.2f}",
            f"{counts.there_and_back / n:.1%}",
            f"{counts.settled_changes / n:.2f}",
            f"{counts.settled_there_and_back / n:.1%}",
            f"{counts.messages / n:.1f}",
        )
    console.print(table)
    other = sum(one != two for one, two in zip(letters.trees, words.trees, strict=True))
    console.print(f"boundaries with another tree: {other} of {len(words.trees)}")


if __name__ == "__main__":
    main()
