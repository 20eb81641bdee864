"""Decoders compared by one and the same scorer, as in Table 2 of Pitler, Kannan & Marcus 2012.

A decoder is a way from a model and sentences to their trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from treewhile.incremental.parsers.parsed_treebank import parse_sentences
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.conll_scores import ComparedTreebanks
from treewhile.incremental.treebanks.treebank import Sentence

Decode = Callable[[Model, Sequence[Sentence]], list[Sentence]]

AT_ONCE: Final = 16  # sentences


class DecoderScores(NamedTuple):
    """Shares in percent, punctuation included, and how long parsing took.

    `precision`, `recall` and `F1` are those of the heads of words whose edges cross.
    """

    UAS: float
    LAS: float
    precision: float
    recall: float
    F1: float
    seconds: float


def _in_class(trees: str, model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    return parse_sentences(model.with_trees(trees), sentences)


# By what they are called in the paper, or by their class.
DECODERS: Final[dict[str, Decode]] = {
    "projective": partial(_in_class, "projective"),
    "spanning trees": partial(_in_class, "any"),
    "gap-minding": partial(_in_class, "gap-minding"),
    "1-endpoint-crossing": partial(_in_class, "1-endpoint-crossing"),
    "MH4": partial(_in_class, "mh4"),
}


def compared_decoders(model: Model, gold: Sequence[Sentence]) -> dict[str, DecoderScores]:
    """How good the trees of each decoder are, by its name."""
    return {name: decoder_scores(decode, model, gold) for name, decode in DECODERS.items()}


def decoder_scores(decode: Decode, model: Model, gold: Sequence[Sentence]) -> DecoderScores:
    """How good the trees are that a decoder gives."""
    decode(model, gold[:1])  # which loads what is compiled
    start = time.perf_counter()
    groups = (gold[first : first + AT_ONCE] for first in range(0, len(gold), AT_ONCE))
    system = [sentence for group in groups for sentence in decode(model, group)]
    seconds = time.perf_counter() - start
    compared = ComparedTreebanks(gold, system)
    scores, crossing = compared.scores(), compared.crossing_heads()
    return DecoderScores(
        100 * scores["UAS"].f1,
        100 * scores["LAS"].f1,
        100 * crossing.precision,
        100 * crossing.recall,
        100 * crossing.f1,
        seconds,
    )
