"""What beams of steps cost and gain, with and without closed cells, beside the committed parse.

Sentences are whole, and their causal states are known: what is timed is the beam, which is Python for the
most part. The flags are those of `bench_closed_cells`; what it takes to find them is not timed. Labels count
without subtypes.

python tests/benchmarks/bench_beams.py --model en --train A.conllu --source B.conllu [--sentences 200]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from bench_closed_cells import (
    THRESHOLDS,
    fitted,
    gold_flags,
    known_sentences,
    looked_at,
    open_chances,
    openings_of,
)
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import load_model, read_sentences
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_parsing import snapshot_of
from treewhile.incremental.parsers.step_beams import beam_parse
from treewhile.oracles.constituents.openings import Openings

WIDTHS = (1, 2, 4, 8, 16)
COLUMNS = ("width", "closed below", "UAS", "LAS", "scored a word", "words/s", "mean log")


class Sentence(NamedTuple):
    tops: Array
    chances: Array
    heads: list[int]
    labels: list[str]


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--train", type=Path, required=True, help="the treebank that flags are learnt on")
    parser.add_argument("--sentences", type=int, default=200)
    given = parser.parse_args()
    model, console = load_model(given.model), Console(width=110)
    console.print(", ".join(machine().values()))
    learnt = [(known.late, gold_flags(known.heads)) for known in known_sentences(model, given.train)]
    weights = fitted(*(np.concatenate(part) for part in zip(*learnt, strict=True)))
    sentences = [*islice(known_to(model, given.source, weights), given.sentences)]
    beam_parse(model, sentences[0].tops, 1)  # compiled
    table = Table(*COLUMNS)
    for width in WIDTHS:
        for threshold in (None, *THRESHOLDS[1:4]):
            table.add_row(str(width), "nothing" if threshold is None else f"{threshold:g}",
                          *row(model, sentences, width, threshold))  # fmt: skip
    console.print(table)


def known_to(model: Model, path: Path, weights: Array) -> Iterator[Sentence]:
    """The sentences of a treebank with whole trees."""
    for sentence in read_sentences(path):
        if None not in sentence.heads and sentence.words:
            snapshot = snapshot_of(model, [word.form for word in sentence.words])
            late = looked_at(model, snapshot)[0]
            labels = [word.deprel.partition(":")[0] for word in sentence.words]
            yield Sentence(snapshot.tops, open_chances(late, weights), [*sentence.heads], labels)


def row(model: Model, sentences: Sequence[Sentence], width: int, threshold: float | None) -> list[str]:
    """Attachment, configurations that were scored a word, words a second, and the score a word."""
    right = labelled = scored = words = 0
    score = seconds = 0.0
    for tops, chances, heads, labels in sentences:
        openings: Openings | None = None if threshold is None else openings_of(chances, threshold)
        begun = process_time()
        found = beam_parse(model, tops, width, openings)
        seconds += process_time() - begun
        for head, label, gold_head, gold_label in zip(found.heads, found.labels, heads, labels, strict=True):
            right += head == gold_head
            labelled += head == gold_head and label.partition(":")[0] == gold_label
        words, scored, score = words + len(heads), scored + found.scored, score + found.score
    shares = (f"{100 * right / words:.2f}", f"{100 * labelled / words:.2f}", f"{scored / words:.2f}")
    return [*shares, f"{words / seconds:,.0f}", f"{score / words:.4f}"]


if __name__ == "__main__":
    main()
