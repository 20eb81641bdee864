"""What holds for the decoder of every class of trees, and how one is run."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random
from threading import Timer
from typing import TypeVar

import numpy as np
import pytest
from every_tree import CLASSES, Tree, best_by_listing, trees_of

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray, edge_array

Found = TypeVar("Found")

either_number_of_roots = pytest.mark.parametrize("single_root", [True, False], ids=["one root", "any roots"])


def finished(heads: HeadArray | None) -> list[int]:
    """What a decoder found that nothing interrupted."""
    assert heads is not None
    found: list[int] = heads.tolist()
    return found


def interrupted_after(seconds: float, decode: Callable[[Interrupt], Found]) -> Found:
    """What a decoder gives that is interrupted from another thread; before it begins after no time."""
    interrupt = Interrupt()
    timer = Timer(seconds, interrupt.set)
    timer.start()
    if not seconds:
        timer.join()
    found = decode(interrupt)
    timer.join()
    return found


def score_in_class(scores: EdgeArray, trees: str, single_root: bool) -> float:
    """The score of the best tree, minus infinity where there is none; the tree has to be of the class."""
    try:
        tree = best_tree(scores, trees, single_root)
    except InputError:  # what is said then has its own test
        return -inf
    assert CLASSES[trees](tuple(tree.heads))
    assert not single_root or tree.heads.count(0) == 1
    return tree.score


def scores_of_tree(heads: Tree) -> EdgeArray:
    """1 for the edges of a tree, 0 for all others."""
    scores = np.zeros((len(heads) + 1,) * 2)
    scores[heads, np.arange(1, len(heads) + 1)] = 1
    return scores


def check_every_tree_is_found(trees: str, n: int) -> None:
    for heads in trees_of(trees, n):
        scores = scores_of_tree(heads)
        assert best_tree(scores, trees, single_root=False).heads == [*heads]
        if heads.count(0) == 1:
            assert best_tree(scores, trees).heads == [*heads]


def check_fixed_edges(seed: int, trees: str) -> None:
    """Edges that are forced are in the tree, barred ones are not, and there is no better tree like that."""
    rng = Random(seed)
    scores = [[float(rng.randrange(-3, 4)) for _ in range(6)] for _ in range(6)]
    forced = rng.choice([(2, 4), (5, 1), (0, 3)])
    barred = {(rng.randrange(1, 6), 2), (rng.randrange(2, 6), 1)} - {forced}
    listed = best_by_listing(edge_array(scores, [forced], barred).tolist(), trees, True)
    if listed == -inf:
        with pytest.raises(InputError, match="no tree of the class"):
            best_tree(scores, trees, forced=[forced], barred=barred)
        return
    tree = best_tree(scores, trees, forced=[forced], barred=barred)
    assert tree.heads[forced[1] - 1] == forced[0], seed
    assert not any(tree.heads[word - 1] == head for head, word in barred), seed
    assert tree.score == listed, seed


def check_single_precision(
    decode: Callable[[EdgeArray, bool, Interrupt], HeadArray | None], scores: EdgeArray, seed: int
) -> None:
    """Where sums are exact the tree is the same."""
    narrow: EdgeArray = scores.astype(np.float32)  # type: ignore[assignment]
    assert finished(decode(narrow, True, Interrupt())) == finished(decode(scores, True, Interrupt())), seed
