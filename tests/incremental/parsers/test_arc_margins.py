"""Listing every tree judges the margins of arcs, in projective trees and in those of MH4."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import numpy as np
import pytest
from arc_scores import Heads, prefix_scores, rows, sentence_scores
from cases import each
from judges import scaled
from listed_prefixes import mh4_prefixes, projective_prefixes

from treewhile.incremental.parsers.arc_decoding import Scores, Weights, prefix_weights, sentence_weights
from treewhile.incremental.parsers.arc_margins import Lead, leads_by_decoding, leads_in_chart
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.tree_decoding import decode_in
from treewhile.incremental.treebanks.prefix_trees import ON_LATER
from treewhile.oracles import InputError

SIZES = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0)]
Leads = Callable[[Weights, dict[int, int]], dict[int, Lead]]


def by_decoding(trees: str) -> Leads:
    return lambda weights, heads: leads_by_decoding(weights, heads, partial(decode_in, trees))


WAYS: list[tuple[str, Leads]] = [
    ("projective", leads_in_chart),
    ("projective", by_decoding("projective")),
    ("mh4", by_decoding("mh4")),
]


def all_of(trees: str, t: int, k: int, is_open: bool) -> Sequence[Heads]:
    listed = (projective_prefixes if trees == "projective" else mh4_prefixes)(t, k)
    return listed if is_open else [heads for heads in listed if ON_LATER not in heads]


def check(trees: Sequence[Heads], scores: Scores, weights: Weights, rng: Random, leads: Leads) -> None:
    """The leads of random arcs are differences of the best trees with and without them."""
    nodes = weights.later - 1
    numbers = rows(trees, nodes)
    totals = scores[numbers, np.arange(1, nodes + 1)].sum(axis=1)
    heads = {word: rng.choice(numbers[:, word - 1].tolist()) for word in range(1, weights.t + 1)}
    if totals.max() == -math.inf:
        with pytest.raises(InputError, match="every tree has an arc"):
            leads(weights, heads)
        return
    found = leads(weights, heads)
    for word, head in heads.items():
        has_arc = numbers[:, word - 1] == head
        of_arc = totals[has_arc].max(initial=-math.inf)
        of_others = totals[~has_arc].max(initial=-math.inf)
        margin, rival = found[word]
        if of_others == -math.inf:
            assert (margin, rival) == (math.inf, None)
            continue
        assert margin == of_arc - of_others, (word, head, scores)
        assert rival in numbers[~has_arc & (totals == of_others), word - 1]


@pytest.mark.slow
@pytest.mark.parametrize(("trees", "leads"), WAYS, ids=["chart", "decoding", "mh4"])
@each("t, k", SIZES)
def test_margins_in_prefixes_are_those_of_a_list_of_all_trees(
    t: int, k: int, trees: str, leads: Leads
) -> None:
    for seed in range(scaled(40, 6)):
        rng = Random(seed)
        scores = prefix_scores(rng, t, k)
        check(all_of(trees, t, k, True), scores, prefix_weights(scores, k), rng, leads)


@pytest.mark.parametrize(("trees", "leads"), WAYS, ids=["chart", "decoding", "mh4"])
@each("n", range(1, 6))
def test_margins_in_sentences_are_those_of_a_list_of_all_trees(n: int, trees: str, leads: Leads) -> None:
    for seed in range(scaled(40, 6)):
        rng = Random(seed)
        scores = sentence_scores(rng, n)
        check(all_of(trees, n, 0, False), scores, sentence_weights(scores), rng, leads)


def test_the_chart_and_decoding_agree_on_longer_sentences_and_prefixes() -> None:
    for seed in range(scaled(20, 4)):
        rng = Random(seed)
        t, k = rng.randrange(10, scaled(30, 14)), rng.randrange(4)
        weights = prefix_weights(prefix_scores(rng, t, k, forbidden=0.1), k)
        heads = {
            word: rng.choice([head for head in range(t + 1) if head != word]) for word in range(1, t + 1)
        }
        in_chart, decoded = leads_in_chart(weights, heads), by_decoding("projective")(weights, heads)
        assert [one.margin for one in in_chart.values()] == [one.margin for one in decoded.values()], seed


def test_an_interrupted_decoder_gives_no_margins() -> None:
    def stop(weights: Weights) -> Numbers | None:
        return None

    assert leads_by_decoding(sentence_weights(sentence_scores(Random(0), 3)), {1: 0}, stop) == {}
