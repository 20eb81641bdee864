"""Listing every MH4 tree of a prefix judges the recurrence and the kernel, and so do other decoders."""

from __future__ import annotations

from functools import cache, partial
from random import Random

import numpy as np
import pytest
from arc_scores import (
    check_against_listing,
    is_connected,
    is_possible,
    prefix_scores,
    refusals,
    rows,
    sentence_scores,
)
from cases import each
from definitions.mh4_arc_decoding import decode_mh4_by_definition, decode_mh4_prefix, decode_mh4_sentence
from every_tree import trees_of
from judges import scaled
from listed_prefixes import is_mh4_prefix, mh4_prefixes
from reach import Reached

from treewhile.incremental.parsers.arc_decoding import (
    Decoded,
    Scores,
    decode_prefix,
    prefix_weights,
)
from treewhile.incremental.parsers.mh4_arc_decoding import (
    best_mh4_tree_until,
)
from treewhile.incremental.treebanks.prefix_trees import ON_LATER, ON_UNUSED
from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt


@cache
def all_sentence_trees(n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(heads for heads in mh4_prefixes(n, 0) if ON_LATER not in heads)


def both_prefixes(scores: Scores, k: int) -> list[Decoded]:
    return [decode_mh4_by_definition(prefix_weights(scores, k)), decode_mh4_prefix(scores, k)]


# --- against all trees --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, scaled(6, 5)))
def test_of_all_small_trees_the_best_is_found(n: int) -> None:
    for seed in range(scaled(60, 10)):
        scores, trees = sentence_scores(Random(seed), n), all_sentence_trees(n)
        if is_possible(trees, scores):
            check_against_listing(trees, scores, [decode_mh4_sentence(scores)], (seed, scores))
        else:
            refusals(partial(decode_mh4_sentence, scores))


SIZES = [(t, k) for t in range(3) for k in range(4)] + [(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (2, 3)]


@each("t, k", SIZES)
def test_of_all_small_trees_of_a_prefix_the_best_is_found(t: int, k: int) -> None:
    for seed in range(scaled(60, 6)):
        scores, trees = prefix_scores(Random(seed), t, k), mh4_prefixes(t, k)
        if is_possible(trees, scores):
            check_against_listing(trees, scores, [decode_mh4_prefix(scores, k)], (seed, scores))
        else:
            refusals(partial(decode_mh4_prefix, scores, k))


@pytest.mark.parametrize(("t", "k"), [(3, 0), (2, 1), (2, 2), (3, 1), (1, 3)])
def test_the_recurrence_says_what_is_listed(t: int, k: int) -> None:
    for seed in range(scaled(8, 3)):
        scores, trees = prefix_scores(Random(seed), t, k, forbidden=0.1), mh4_prefixes(t, k)
        if is_possible(trees, scores):
            check_against_listing(trees, scores, both_prefixes(scores, k), (seed, scores))


@pytest.mark.parametrize(("t", "k"), [(2, 2), (3, 1), (3, 2), (2, 3)])
def test_every_tree_of_a_prefix_is_found_when_its_arcs_are_the_best(t: int, k: int) -> None:
    trees = mh4_prefixes(t, k)
    for heads in Random(t).sample(trees, min(len(trees), scaled(400, 30))):
        scores = prefix_scores(Random(0), t, k, forbidden=0)
        scores[rows([heads], t + k)[0], np.arange(1, t + k + 1)] = 9
        assert tuple(decode_mh4_prefix(scores, k).heads.tolist()) == heads


def test_prefixes_have_the_trees_of_their_definition() -> None:
    for n in range(1, 5):
        assert {*all_sentence_trees(n)} == {heads for heads in trees_of("mh4", n) if heads.count(0) == 1}
    # One word, one place: the word on 0 or on LATER, or on the place, which then is on 0 or on LATER.
    assert {*mh4_prefixes(1, 1)} == {(0, ON_UNUSED), (ON_LATER, ON_UNUSED), (2, 0), (2, ON_LATER)}
    assert mh4_prefixes(0, 2) == ((ON_UNUSED, ON_UNUSED),)


def test_an_arc_may_cover_what_hangs_on_later() -> None:
    assert (3, ON_LATER, 0) in mh4_prefixes(3, 0)
    assert (2, 0, ON_LATER, 2) in mh4_prefixes(4, 0)


def test_a_virtual_node_may_hang_on_one_to_its_left_while_it_has_a_word_below_it() -> None:
    assert (4, 3, 0, 3) in mh4_prefixes(2, 2)
    assert (3, 3, 0, 3) not in mh4_prefixes(2, 2)


# --- the kernel against the definition, and against other decoders ------------------------------------------


def test_the_kernel_finds_what_the_definition_says_of_a_prefix() -> None:
    for seed in range(scaled(12, 3)):
        rng = Random(seed)
        t, k = rng.choice([(5, 0), (4, 1), (4, 2), (3, 2)])
        defined, found = both_prefixes(prefix_scores(rng, t, k, forbidden=rng.choice([0, 0.1])), k)
        assert found.score == defined.score, seed
        assert is_mh4_prefix(found.heads.tolist(), t), seed


@pytest.mark.reaches(0.3)
def test_no_tree_is_worse_than_the_projective_one_and_many_are_better(reached: Reached) -> None:
    for seed in range(scaled(60, 8)):
        rng = Random(seed)
        t, k = rng.randrange(1, scaled(14, 6)), rng.randrange(scaled(7, 4))
        scores = prefix_scores(rng, t, k, forbidden=0.05)
        found, projective = decode_mh4_prefix(scores, k), decode_prefix(scores, k)
        assert found.score >= projective.score, seed
        assert is_connected(found.heads.tolist(), t), seed
        reached(found.score > projective.score)


def test_a_sentence_has_the_tree_that_the_oracle_finds() -> None:
    for seed in range(scaled(30, 5)):
        rng = Random(seed)
        scores = sentence_scores(rng, rng.randrange(1, scaled(25, 6)), forbidden=0)
        decoded, tree = decode_mh4_sentence(scores), best_tree(np.nan_to_num(scores), "mh4")
        assert decoded.score == tree.score, seed
        assert decoded.heads.tolist() == tree.heads, seed


# --- what cannot be decoded, and the ends of what can -------------------------------------------------------


def test_what_was_interrupted_gives_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    weights = prefix_weights(prefix_scores(Random(0), 5, 2, forbidden=0), 2)
    assert best_mh4_tree_until(weights, interrupt) is None


def test_what_would_take_gigabytes_is_refused() -> None:
    with pytest.raises(InputError, match=r"1003 places of nodes need 3\.8 GiB"):
        decode_mh4_sentence(np.zeros((1001, 1001), np.float32))
