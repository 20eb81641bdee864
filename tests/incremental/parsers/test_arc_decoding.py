"""Listing every tree by definition judges the recurrence, that judges the kernel, and so do other oracles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from random import Random

import numpy as np
import pytest
from arc_scores import (
    NEVER,
    check_against_listing,
    is_possible,
    prefix_scores,
    refusals,
    rows,
    sentence_scores,
)
from cases import each
from definitions.arc_decoding import decode_by_definition
from definitions.mh4_arc_decoding import decode_mh4_prefix, decode_mh4_sentence
from judges import scaled
from listed_prefixes import is_projective_prefix, projective_prefixes

from treewhile.incremental.parsers.arc_decoding import (
    Decoded,
    Scores,
    decode_prefix,
    decode_sentence,
    prefix_weights,
    sentence_weights,
)
from treewhile.incremental.treebanks.prefix_trees import ON_LATER, ON_UNUSED, GoldTree, prefix_tree
from treewhile.oracles import InputError, is_projective, projectivize


@cache
def all_sentence_trees(n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(heads for heads in projective_prefixes(n, 0) if ON_LATER not in heads)


# --- both judges --------------------------------------------------------------------------------------------


def both_sentences(scores: Scores) -> list[Decoded]:
    return [decode_by_definition(sentence_weights(scores)), decode_sentence(scores)]


def both_prefixes(scores: Scores, k: int) -> list[Decoded]:
    return [decode_by_definition(prefix_weights(scores, k)), decode_prefix(scores, k)]


# --- against all trees --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 6))
def test_of_all_small_trees_the_best_is_found(n: int) -> None:
    for seed in range(scaled(300, 40)):
        scores, trees = sentence_scores(Random(seed), n), all_sentence_trees(n)
        if is_possible(trees, scores):
            check_against_listing(trees, scores, both_sentences(scores), (seed, scores))
        else:
            refusals(
                partial(decode_sentence, scores), partial(decode_by_definition, sentence_weights(scores))
            )


SIZES = [(t, k) for t in range(4) for k in range(4)] + [(4, 0), (4, 1), (4, 2)]


@pytest.mark.slow
@each("t, k", SIZES)
def test_of_all_small_trees_of_a_prefix_the_best_is_found(t: int, k: int) -> None:
    for seed in range(scaled(300, 40)):
        scores, trees = prefix_scores(Random(seed), t, k), projective_prefixes(t, k)
        if is_possible(trees, scores):
            check_against_listing(trees, scores, both_prefixes(scores, k), (seed, scores))
        else:
            weights = prefix_weights(scores, k)
            refusals(partial(decode_prefix, scores, k), partial(decode_by_definition, weights))


@pytest.mark.parametrize(("t", "k"), [(2, 2), (3, 1), (3, 2)])
def test_every_tree_of_a_prefix_is_found_when_its_arcs_are_the_best(t: int, k: int) -> None:
    for heads in projective_prefixes(t, k):
        scores = prefix_scores(Random(0), t, k, forbidden=0)
        scores[rows([heads], t + k)[0], np.arange(1, t + k + 1)] = 9
        for decoded in both_prefixes(scores, k):
            assert tuple(decoded.heads.tolist()) == heads


def test_as_many_trees_are_listed_as_there_are() -> None:
    assert [len(all_sentence_trees(n)) for n in range(6)] == [1, 1, 2, 7, 30, 143]
    # One word, one place: the word on 0 or on LATER, or on the place, which then is on 0 or on LATER.
    assert set(projective_prefixes(1, 1)) == {(0, ON_UNUSED), (ON_LATER, ON_UNUSED), (2, 0), (2, ON_LATER)}
    assert projective_prefixes(0, 2) == ((ON_UNUSED, ON_UNUSED),)


# --- the kernel against the definition, and against other oracles -------------------------------------------


def test_the_kernel_finds_what_the_definition_says() -> None:
    for seed in range(scaled(60, 8)):
        rng = Random(seed)
        n = rng.randrange(1, scaled(22, 9))
        defined, found = both_sentences(sentence_scores(rng, n, forbidden=rng.choice([0, 0.1])))
        assert found.score == defined.score, seed
        assert found.heads.tolist().count(0) == 1, seed
        assert is_projective(found.heads.tolist()), seed


def test_the_kernel_finds_what_the_definition_says_of_a_prefix() -> None:
    for seed in range(scaled(60, 8)):
        rng = Random(seed)
        t, k = rng.randrange(1, scaled(16, 6)), rng.randrange(7)
        defined, found = both_prefixes(prefix_scores(rng, t, k, forbidden=rng.choice([0, 0.1])), k)
        assert found.score == defined.score, seed
        assert is_projective_prefix(found.heads.tolist(), t), seed


@pytest.mark.parametrize("k", range(scaled(5, 3)))
def test_where_no_two_trees_tie_the_kernel_finds_the_one_of_the_definition(k: int) -> None:
    rng = np.random.default_rng(k)
    for t in range(1, scaled(13, 6)):
        scores = rng.standard_normal((t + k + 3, t + k + 1)).astype(np.float32)
        defined, found = both_prefixes(scores, k)
        assert found.heads.tolist() == defined.heads.tolist(), (t, k)
        assert found.score == pytest.approx(defined.score)


@pytest.mark.parametrize("n", scaled([40, 150], [8]))
def test_as_many_gold_arcs_are_kept_as_projectivization_keeps(n: int) -> None:
    for seed in range(scaled(10, 3)):
        rng = Random(seed)
        order = rng.sample(range(1, n + 1), n)
        gold = [0] * n
        for at, word in enumerate(order[1:], 1):
            gold[word - 1] = rng.choice(order[:at])
        scores = np.zeros((n + 1, n + 1), np.float32)
        scores[gold, np.arange(1, n + 1)] = 1
        kept = sum(a == b for a, b in zip(projectivize(gold), gold, strict=True))
        assert decode_sentence(scores).score == kept, seed


# --- what must not matter, in either class ------------------------------------------------------------------

in_either_class = pytest.mark.parametrize("decode", [decode_prefix, decode_mh4_prefix])
Decode = Callable[[Scores, int], Decoded]


@in_either_class
def test_a_constant_on_all_scores_into_a_node_changes_no_more_than_the_sum(decode: Decode) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        t, k = rng.randrange(1, scaled(16, 6)), rng.randrange(5)
        scores = prefix_scores(rng, t, k, forbidden=0.1)
        constants = np.array([rng.randrange(-9, 10) for _ in range(t + k + 1)], np.float32)
        before, after = decode(scores, k), decode(scores + constants, k)
        assert after.score == before.score + constants[1:].sum(), seed
        chosen = scores[rows([after.heads.tolist()], t + k)[0], np.arange(1, t + k + 1)]
        assert chosen.sum() == before.score, seed


@each("decode, decode_whole", [(decode_prefix, decode_sentence), (decode_mh4_prefix, decode_mh4_sentence)])
def test_a_sentence_is_a_prefix_on_which_nothing_is_later(
    decode: Decode, decode_whole: Callable[[Scores], Decoded]
) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        n = rng.randrange(1, scaled(20, 6))
        scores = np.full((n + 3, n + 1), NEVER, np.float32)
        scores[:-2] = sentence_scores(rng, n, forbidden=0)
        assert decode(scores, 0).heads.tolist() == decode_whole(scores[:-2]).heads.tolist(), seed


@in_either_class
def test_places_that_cannot_be_used_change_nothing(decode: Decode) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        t, k = rng.randrange(1, scaled(16, 6)), rng.randrange(1, 5)
        scores = prefix_scores(rng, t, k, forbidden=0)
        scores[:-1, t + 1 :] = NEVER
        scores[-1, t + 1 :] = 0
        without = np.delete(np.delete(scores, np.s_[t + 1 : t + k + 1], axis=0), np.s_[t + 1 :], axis=1)
        found = decode(scores, k)
        assert found.score == decode(without, 0).score, seed
        assert found.heads.tolist()[t:] == [ON_UNUSED] * k, seed


@in_either_class
def test_the_scores_are_left_as_they_were(decode: Decode) -> None:
    scores = prefix_scores(Random(1), 5, 2, forbidden=0)
    before = scores.copy()
    decode(scores, 2)
    assert np.array_equal(scores, before, equal_nan=True)


@in_either_class
def test_the_same_scores_always_give_the_same_tree(decode: Decode) -> None:
    scores = np.zeros((14, 12), np.float32)
    assert decode(scores, 3).heads.tolist() == decode(scores.copy(), 3).heads.tolist()


# --- gold trees of prefixes ---------------------------------------------------------------------------------

# Words as tag/head.
SENTENCES = [
    "PRON/2 VERB/0 DET/7 ADV/5 ADJ/7 ADJ/7 NOUN/2",  # I drive a very fast new car
    "PRON/2 VERB/0 SCONJ/6 DET/5 NOUN/6 VERB/2",  # He says that the dog barks
    "DET/2 NOUN/3 VERB/0",  # The dog barks
    "DET/5 ADJ/5 NUM/4 NOUN/5 NOUN/6 VERB/0 ADV/6",  # The old two years owner slept well
    "ADP/3 DET/3 NOUN/6 PRON/6 AUX/6 VERB/0 DET/8 NOUN/6",  # In the evening we had seen a boat
]


def gold_tree(sentence: str) -> GoldTree:
    tags, heads = zip(*(word.split("/") for word in sentence.split()), strict=True)
    return GoldTree([int(head) for head in heads], tags, tags)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_gold_tree_of_each_prefix_is_found_by_its_arcs(sentence: str) -> None:
    gold, stock = gold_tree(sentence), ("ADJ", "NOUN", "NOUN", "VERB")
    for t in range(gold.n + 1):
        heads = [head for head in prefix_tree(gold, t, stock).heads if head is not None]
        nodes = len(heads)
        assert is_projective_prefix(heads, t), (t, heads)
        scores = np.zeros((nodes + 3, nodes + 1), np.float32)
        scores[rows([heads], nodes)[0], np.arange(1, nodes + 1)] = 1
        assert decode_prefix(scores, len(stock)).heads.tolist() == heads, t
        assert decode_prefix(scores, len(stock)).score == nodes, t


@pytest.mark.parametrize(
    ("sentence", "t", "stock", "heads"),
    [
        (SENTENCES[0], 4, ("NOUN", "ADJ"), [2, 0, 5, 6, 2, 5]),  # the stock stands in another order
        (SENTENCES[3], 3, ("NOUN",), [4, 4, ON_LATER, ON_LATER]),  # or has no place for a word's head
    ],
)
def test_a_stock_that_does_not_suit_makes_arcs_cross(
    sentence: str, t: int, stock: tuple[str, ...], heads: list[int]
) -> None:
    """Then no best tree is the gold one, though the sentence is projective."""
    gold = list(prefix_tree(gold_tree(sentence), t, stock).heads)
    assert gold == heads
    assert not is_projective_prefix(heads, t)


# --- what cannot be decoded, and the ends of what can -------------------------------------------------------


def test_nothing_has_the_tree_of_nothing() -> None:
    nothing = np.zeros((1, 1), np.float32)
    for decoded in (*both_sentences(nothing), decode_mh4_sentence(nothing)):
        assert decoded.heads.tolist() == []
        assert decoded.score == 0


def test_before_the_first_word_all_places_are_unused() -> None:
    scores = np.full((5, 3), 7, np.float32)
    scores[-1] = [0, 1, 2]
    for decoded in (*both_prefixes(scores, 2), decode_mh4_prefix(scores, 2)):
        assert decoded.heads.tolist() == [ON_UNUSED, ON_UNUSED]
        assert decoded.score == 3


@each("score", [np.nan, np.inf, 2e30])
@each("row, column", [(0, 1), (3, 2), (4, 1), (5, 3)])
def test_what_is_no_score_is_refused(score: float, row: int, column: int) -> None:
    scores = np.zeros((6, 4), np.float32)
    scores[row, column] = score
    with pytest.raises(InputError, match=f"score in row {row}, column {column} is .*give a number up to 1e"):
        decode_prefix(scores, 1)


@pytest.mark.parametrize("shape", [(2, 3), (0, 0), (4,)])
def test_scores_of_a_sentence_have_a_row_and_a_column_for_each_word(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="give the root and each word a row and a column"):
        decode_sentence(np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    ("shape", "virtual"), [((3, 3), 0), ((5, 3), 3), ((5, 3), -1), ((2, 0), 0), ((5,), 0)]
)
def test_scores_of_a_prefix_have_rows_for_later_and_unused(shape: tuple[int, ...], virtual: int) -> None:
    with pytest.raises(InputError, match="then LATER and UNUSED a row"):
        decode_prefix(np.zeros(shape, np.float32), virtual)


def test_what_is_too_long_is_refused_before_there_is_a_chart() -> None:
    with pytest.raises(InputError, match="4001 words are too many"):
        decode_sentence(np.broadcast_to(np.float32(0), (4002, 4002)))


def test_the_greatest_scores_do_not_overflow() -> None:
    n = scaled(300, 20)
    decoded = decode_sentence(np.full((n + 1, n + 1), 1e30, np.float32))
    assert decoded.score == pytest.approx(n * 1e30)


@pytest.mark.parametrize("direction", [1, -1])
def test_long_chains_are_found(direction: int) -> None:
    n = scaled(500, 25)
    heads = [*range(n)] if direction == 1 else [*range(2, n + 1), 0]
    scores = np.zeros((n + 1, n + 1), np.float32)
    scores[heads, np.arange(1, n + 1)] = 1
    assert decode_sentence(scores).heads.tolist() == heads
