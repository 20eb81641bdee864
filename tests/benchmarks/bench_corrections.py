"""How much it helps that a sentence is parsed anew around each corrected head, by simulated annotators.

They correct one wrong head at a time to that of the treebank, until all heads are right: the first one from
left to right, or the one whose arc is the least sure by its margin, or the one with the most at stake: as
many heads as possible are others in the best tree without its arc. Heads that they have passed by before are
right: they fix these, too ("fixing what was read"), or corrected ones alone. Against that stands the work
without parsing anew, where each wrong head of the first parse is corrected. Trees that the model's class does
not have are left out, since no parse could be right. Nobody was watched: real people make mistakes, and take
their time to look.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import ne
from pathlib import Path
from typing import Final, NamedTuple

from treewhile.incremental import Decision, Interrupt, load_model, read_sentences
from treewhile.incremental.parsers.arc_margins import ArcMargin
from treewhile.incremental.parsers.corrections import Correction
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.rescoring import Preference, Snapshot
from treewhile.incremental.parsers.tree_decoding import is_in_class

LEAST_SURE: Final = 0.2  # share of the arcs among which wrong ones are counted
LEFT_TO_RIGHT, LEAST_SURE_FIRST, MOST_AT_STAKE_FIRST = ORDERS = (
    "left to right",
    "least sure first",
    "most at stake first",
)


class Task(NamedTuple):
    """A sentence to be corrected."""

    model: Model
    snapshot: Snapshot
    gold: list[int]

    def parse(self, fixed: dict[int, int]) -> list[int]:
        """Return the heads of the best tree with some fixed ones."""
        found = self.model.rescore(self.snapshot, preference(fixed)).analysis.heads
        return [head for head in found if isinstance(head, int)]

    def margins(self, heads: Sequence[int], fixed: dict[int, int]) -> list[ArcMargin]:
        arcs = {word: Decision(head, "") for word, head in enumerate(heads, 1)}
        asked = self.snapshot, preference(fixed), Interrupt()
        return self.model.margins_until(asked, arcs)

    def order(self, name: str, heads: Sequence[int], fixed: dict[int, int]) -> list[int]:
        """Return the words in the order in which their arcs are looked at."""
        words = range(1, len(heads) + 1)
        if name == LEFT_TO_RIGHT:
            return [*words]
        margins = {one.word: one.margin for one in self.margins(heads, fixed)}
        at_stake = self.at_stake(heads, fixed) if name == MOST_AT_STAKE_FIRST else {}
        return sorted(words, key=lambda word: (-at_stake.get(word, 0), margins[word]))

    def at_stake(self, heads: Sequence[int], fixed: dict[int, int]) -> dict[int, int]:
        """Return how many heads are others in the best tree without the arc to each word."""
        rivals = {one.word: one.rival for one in self.margins(heads, fixed) if one.rival}
        trees = {word: self.parse({**fixed, word: number_of(rival)}) for word, rival in rivals.items()}
        return {word: sum(map(ne, tree, heads)) for word, tree in trees.items()}

    def wrong(self, heads: Sequence[int]) -> set[int]:
        return {
            word for word, (head, gold) in enumerate(zip(heads, self.gold, strict=True), 1) if head != gold
        }


def number_of(arc: Decision) -> int:
    assert isinstance(arc.head, int)
    return arc.head


def preference(fixed: dict[int, int]) -> Preference:
    return Preference(corrections={word: Correction(head) for word, head in fixed.items()})


@dataclass
class Work:
    """What annotators did in one order."""

    corrections: int = 0
    broken: int = 0  # right heads that became wrong when a sentence was parsed anew

    def correct(self, task: Task, order: str, fixes_what_is_read: bool) -> None:
        """Correct a sentence until all heads are right."""
        fixed: dict[int, int] = {}
        heads = task.parse(fixed)
        while wrong := task.wrong(heads):
            seen = task.order(order, heads, fixed)
            first = next(word for word in seen if word in wrong)
            if fixes_what_is_read:
                fixed.update({word: heads[word - 1] for word in seen[: seen.index(first)]})
            fixed[first] = task.gold[first - 1]
            heads = task.parse(fixed)
            self.corrections += 1
            self.broken += len(task.wrong(heads) - wrong)


@dataclass
class Figures:
    """Figures of one treebank."""

    words: int = 0
    left_out: int = 0
    arcs: list[tuple[float, bool]] = field(default_factory=list)  # margin in the first parse, whether wrong
    work: dict[tuple[str, bool], Work] = field(default_factory=dict)

    @property
    def wrong(self) -> int:
        return sum(is_wrong for _, is_wrong in self.arcs)

    @property
    def among_least_sure(self) -> float:
        """Share of all wrong arcs that are among the least sure ones of all sentences."""
        first = sorted(self.arcs)[: round(LEAST_SURE * len(self.arcs))]
        return sum(is_wrong for _, is_wrong in first) / max(1, self.wrong)


def tasks(model: Model, source: Path, figures: Figures) -> Iterator[Task]:
    """Yield the first sentences whose trees are in the model's class."""
    for sentence in read_sentences(source):
        gold = [int(word.head) for word in sentence.words]
        if is_in_class(model.trees, gold):
            yield Task(model, snapshot_of(model, [word.form for word in sentence.words]), gold)
        else:
            figures.left_out += 1


def measure(model: Model, source: Path, limit: int) -> Figures:
    figures = Figures()
    for task in islice(tasks(model, source, figures), limit):
        figures.words += len(task.gold)
        heads = task.parse({})
        wrong = task.wrong(heads)
        figures.arcs += [(one.margin, one.word in wrong) for one in task.margins(heads, {})]
        for order in ORDERS:
            for fixes_what_is_read in (False, True):
                work = figures.work.setdefault((order, fixes_what_is_read), Work())
                work.correct(task, order, fixes_what_is_read)
    return figures


def show(source: Path, figures: Figures) -> None:
    print(f"{source.name}: {figures.words:,} words, {figures.left_out} trees of another class left out;")
    print(f"  {figures.wrong} wrong heads, each corrected by hand without parsing anew;")
    print(f"  of these among the least sure {LEAST_SURE:.0%} of all arcs: {figures.among_least_sure:.1%}")
    for (order, fixes_what_is_read), work in figures.work.items():
        saved = 1 - work.corrections / max(1, figures.wrong)
        what = f"{order}{', fixing what was read' * fixes_what_is_read}:"
        print(f"  {what:46}{work.corrections:5} corrections, {saved:6.1%} fewer,", end=" ")
        print(f"{work.broken} good arcs broken")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", metavar="MODEL=TREEBANK", help="such as en=en_ewt-dev.conllu")
    parser.add_argument("--limit", type=int, default=200, help="number of sentences of each; 200 by default")
    arguments = parser.parse_args()
    for pair in arguments.pairs:
        name, _, source = pair.partition("=")
        show(Path(source), measure(load_model(name), Path(source), arguments.limit))


if __name__ == "__main__":
    main()
