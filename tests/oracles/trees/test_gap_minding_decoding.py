"""All small gap-minding trees judge the recurrence and the chart; charts that grow are judged by new ones."""

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
    finished,
    interrupted_after,
)

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import gap_minding_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.gap_minding_decoding import GapMindingDecoder


def decoded(scores: EdgeArray, single_root: bool) -> list[int]:
    return finished(gap_minding_decoding.decode(scores, single_root, Interrupt()))


# --- ties ---------------------------------------------------------------------------------------------------


def preferred(trees: list[tuple[int, ...]], i: int, j: int, p: int) -> list[tuple[int, ...]]:
    """Those of some trees, in each of which all of i..j is below p, that the written rule prefers there."""
    i, j = i + (p == i), j - (p == j)
    if i > j:
        return trees

    def child(tree: tuple[int, ...]) -> int:
        node = i
        while tree[node - 1] != p:
            node = tree[node - 1]
        return node

    def words(tree: tuple[int, ...]) -> list[int]:
        return [node for node in range(i, j + 1) if node != p and is_below(tree, child(tree), node)]

    def rank(tree: tuple[int, ...]) -> tuple[int, ...]:
        own = words(tree)
        end = own[-1]
        gap = [node for node in range(i, end + 1) if node not in own]
        return end, child(tree), *((gap[0], gap[-1]) if gap else (0, 0))

    least = min(map(rank, trees))
    trees = [tree for tree in trees if rank(tree) == least]
    end, node, first, last = least
    if end < j:
        return preferred(preferred(trees, i, end, p), end + 1, j, p)
    if first == 0:
        return preferred(trees, i, j, node)
    for span in ((i, first - 1, node), (first, last, p), (last + 1, j, node)):
        trees = preferred(trees, *span)
    return trees


def is_below(tree: tuple[int, ...], upper: int, lower: int) -> bool:
    while lower and lower != upper:
        lower = tree[lower - 1]
    return lower == upper


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(60, 10)))
def test_ties_are_broken_by_the_written_rule(seed: int, single_root: bool, reached: Reached) -> None:
    rng = Random(seed)
    n = rng.randrange(2, 6)
    scores = edge_array([[float(rng.randrange(2)) for _ in range(n + 1)] for _ in range(n + 1)])
    worth = {
        tree: sum(scores[head, word] for word, head in enumerate(tree, 1))
        for tree in trees_of("gap-minding", n)
        if not single_root or tree.count(0) == 1
    }
    best = [tree for tree, value in worth.items() if value == max(worth.values())]
    reached(len(best) > 1)
    if single_root:
        root = min(tree.index(0) for tree in best) + 1
        best = preferred([tree for tree in best if tree[root - 1] == 0], 1, n, root)
    else:
        best = preferred(best, 1, n, 0)
    assert decoded(scores, single_root)[1:] == [*best[0]]
    assert len(best) == 1


# --- sentences that grow ------------------------------------------------------------------------------------


@either_number_of_roots
def test_a_sentence_that_grows_is_decoded_as_from_scratch_and_keeps_all_words(single_root: bool) -> None:
    scores = edge_array(planted_scores(Random(1), scaled(25, 8), 4, integers=True))
    check_all_words_are_kept(partial(GapMindingDecoder, single_root), scores)


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(25, 6)))
def test_any_changes_give_what_starting_afresh_gives(seed: int, single_root: bool, reached: Reached) -> None:
    n = scaled(14, 7)
    reached(check_changes(partial(GapMindingDecoder, single_root), Random(seed), n) > 3 * n)


@either_number_of_roots
def test_a_sentence_may_lose_all_its_words(single_root: bool) -> None:
    check_all_words_may_go(partial(GapMindingDecoder, single_root))


def test_a_change_leaves_what_stands_before_it() -> None:
    scores = edge_array(planted_scores(Random(3), 12, 4))
    decoder = GapMindingDecoder(True)
    decoder.decode(scores, Interrupt())
    scores[3, 9] = 5
    decoder.decode(scores, Interrupt())
    assert decoder.kept == 8
    decoder.decode(scores, Interrupt())
    assert decoder.kept == 12


# --- interruptions, sizes, types ----------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 0.05, 0.3])
def test_what_is_interrupted_gives_nothing_and_goes_on_later(after: float) -> None:
    scores = edge_array(planted_scores(Random(5), scaled(110, 14), scaled(20, 10)))
    decoder = GapMindingDecoder(True)
    heads = interrupted_after(after, partial(decoder.decode, scores))
    assert heads is None or after
    check_as_afresh(decoder, partial(GapMindingDecoder, True), scores[:13, :13])
