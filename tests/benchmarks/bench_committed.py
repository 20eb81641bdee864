"""How good committed parses are against how long their arcs wait, for some models.

    python tests/benchmarks/bench_committed.py MODEL... --dev FILE [--sentences K] [--risk R]...

Words come one by one. An arc can be made once its later end is there; what it has waited for is counted in
words from then on, and to the last word where it is made when the sentence ends. `treewhile evaluate
--stream` counts a reduction of arc-standard from the front on instead, and leaves out the arcs that are made
in the end: that stands beside it. Scores are in percent of words, labels without subtypes.

Bias: the dev part has chosen the epoch of the models. Nothing here is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from measuring import machine

from treewhile.incremental import Sentence, load_model, read_sentences
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.parsers.parsed_treebank import values_of
from treewhile.incremental.parsers.parsing import Model

RISKS: Final = (1.0, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005)
HEADINGS: Final = (
    "steps wait",
    "UAS  ",
    "LAS  ",
    "all arcs wait",
    "while open",
    "from the front",
    "made while open",
)


class Arc(NamedTuple):
    """A word's arc: whether its head is right, and its label too; what it waited for; if more could come."""

    has_head: bool
    has_label: bool
    waited: int
    while_open: bool


class Parsed(NamedTuple):
    """What came of a treebank."""

    arcs: list[Arc]
    from_the_front: list[int]

    @property
    def row(self) -> list[str]:
        is_open = [arc.waited for arc in self.arcs if arc.while_open]
        shares = (fmean(arc.has_head for arc in self.arcs), fmean(arc.has_label for arc in self.arcs))
        waits = (fmean(arc.waited for arc in self.arcs), _mean(is_open), _mean(self.from_the_front))
        return [
            *(f"{100 * share:.2f}" for share in shares),
            *(f"{wait:.2f}" for wait in waits),
            f"{100 * len(is_open) / len(self.arcs):.0f}%",
        ]


def _mean(values: Sequence[int]) -> float:
    return fmean(values) if values else 0.0


def parsed(model: Model, sentences: Iterable[Sentence], **patience: Any) -> Parsed:
    arcs, from_the_front = list[Arc](), list[int]()
    for sentence in sentences:
        parse = GrowingParse(model, **patience)
        arcs += _arcs(parse, model, sentence)
        from_the_front += parse.delays
    return Parsed(arcs, from_the_front)


def _arcs(parse: GrowingParse, model: Model, sentence: Sentence) -> Iterator[Arc]:
    made: dict[int, int] = {}  # after how many words each word got its head
    for t, (word, values) in enumerate(zip(sentence.words, values_of(model, sentence), strict=True), 1):
        parse.append(word.form, values)
        made |= {child: t for child in _attached(parse) if child not in made}
    parse.close()
    committed, n = parse.committed(), parse.word_count
    for child, (word, head, label) in enumerate(
        zip(sentence.words, committed.heads, committed.labels, strict=True), 1
    ):
        assert isinstance(head, int)
        has_head = word.head == str(head)
        has_label = has_head and word.deprel.split(":")[0] == label.split(":")[0]
        yield Arc(has_head, has_label, made.get(child, n) - max(head, child), child in made)


def _attached(parse: GrowingParse) -> list[int]:
    return [child for child, head in enumerate(parse.committed().heads, 1) if head != LATER]


def main() -> None:
    arguments = _arguments()
    sentences = [*read_sentences(arguments.dev)][: arguments.sentences]
    print(f"{machine()}\n{len(sentences)} sentences of {arguments.dev}")
    for name in arguments.models:
        model = load_model(name)
        print(f"\n{name}", flush=True)
        delays: list[tuple[str, dict[str, Any]]] = [
            (f"{words} words", {"delay": words}) for words in range(4)
        ]
        risks = [(f"risk {risk:g}", {"risk": risk}) for risk in arguments.risk or RISKS]
        show(HEADINGS)
        for what, patience in delays + risks:
            show([what, *parsed(model, sentences, **patience).row])


def show(cells: Iterable[str]) -> None:
    print(
        " | ".join(cell.ljust(len(heading)) for cell, heading in zip(cells, HEADINGS, strict=True)),
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--dev", required=True, metavar="FILE")
    parser.add_argument("--sentences", type=int, metavar="K")
    parser.add_argument("--risk", type=float, action="append", metavar="R")
    return parser.parse_args()


if __name__ == "__main__":
    main()
