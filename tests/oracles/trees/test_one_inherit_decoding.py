"""All small 1-Inherit trees judge the recurrence and the chart."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
from cases import cases, each_seed
from every_tree import trees_of
from growing_decoders import (
    check_all_words_are_kept,
    check_all_words_may_go,
    check_as_afresh,
    check_changes,
)
from judges import scaled
from planted_trees import planted_scores
from reach import Reached
from tree_decoders import (
    either_number_of_roots,
    scores_of_tree,
)

from treewhile.oracles import best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.one_inherit_decoding import OneInheritDecoder


@pytest.mark.slow
def test_a_tree_whose_head_passes_its_gap_to_two_children_is_not_found() -> None:
    n = scaled(6, 4)
    others = {*trees_of(scaled("mild", "any"), n)} - {*trees_of("1-inherit", n)}
    assert len(others) == scaled(48, 4)
    for heads in others:
        assert best_tree(scores_of_tree(heads), "1-inherit", single_root=False).score < n


# --- sentences that grow ------------------------------------------------------------------------------------


@either_number_of_roots
def test_a_sentence_that_grows_is_decoded_as_from_scratch_and_keeps_all_words(single_root: bool) -> None:
    scores = edge_array(planted_scores(Random(1), scaled(16, 7), 4, integers=True))
    check_all_words_are_kept(partial(OneInheritDecoder, single_root), scores)


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(20, 4)))
def test_any_changes_give_what_starting_afresh_gives(seed: int, single_root: bool, reached: Reached) -> None:
    n = scaled(11, 6)
    reached(check_changes(partial(OneInheritDecoder, single_root), Random(seed), n) > 3 * n)


@either_number_of_roots
def test_a_sentence_may_lose_all_its_words(single_root: bool) -> None:
    check_all_words_may_go(partial(OneInheritDecoder, single_root))


def test_what_was_interrupted_goes_on_later() -> None:
    scores, interrupt = edge_array(planted_scores(Random(7), scaled(12, 7), 4)), Interrupt()
    decoder = OneInheritDecoder(True)
    decoder.decode(scores[:7, :7], Interrupt())
    interrupt.set()
    assert decoder.decode(scores, interrupt) is None
    check_as_afresh(decoder, partial(OneInheritDecoder, True), scores)
    assert decoder.kept == 6
