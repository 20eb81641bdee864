"""Heads of punctuation in trees whose arcs may cross, judged by all heads of each mark."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from treewhile.incremental.parsers.kernels.marks import attach_marks


def crosses(heads: Sequence[int], mark: int) -> bool:
    """Return whether a mark without dependents is in a gap of an arc, or its arc has a gap."""
    head, nodes = heads[mark - 1], range(1, len(heads) + 1)
    between = range(min(head, mark) + 1, max(head, mark))
    if not {*between} <= below(heads, head):
        return True
    arcs = [(heads[node - 1], node) for node in nodes if node != mark]
    covering = [above for above, child in arcs if min(above, child) < mark < max(above, child)]
    return any(mark not in below(heads, above) for above in covering)


def below(heads: Sequence[int], top: int) -> set[int]:
    found, nodes = {top}, range(1, len(heads) + 1)
    for _ in nodes:
        found |= {node for node in nodes if heads[node - 1] in found}
    return found


def random_heads(source: random.Random, n: int) -> list[int]:
    heads, placed = [0] * n, [0]
    for node in source.sample(range(1, n + 1), n):
        heads[node - 1] = source.choice(placed[1:] or [0])
        placed.append(node)
    return heads


def test_a_mark_that_crosses_something_gets_the_best_head_with_which_it_does_not() -> None:
    source, moved, helpless = random.Random(3), 0, 0
    for _ in range(1500):
        n = source.randrange(3, 8)
        heads = random_heads(source, n)
        mark = source.choice([node for node in range(1, n + 1) if node not in heads])
        scores = np.array([[source.randrange(99) for _ in range(n + 1)] for _ in range(n + 1)], np.float32)
        tree, is_mark = np.array(heads, np.int32), np.arange(1, n + 1) == mark
        attach_marks(tree, scores, n, is_mark)
        fitting = [
            head for head in range(1, n + 1) if head != mark and not crosses(moving(heads, mark, head), mark)
        ]
        if not crosses(heads, mark) or not fitting:
            assert tree.tolist() == heads
            helpless += crosses(heads, mark)
        else:
            best = max(fitting, key=lambda head, mark=mark, scores=scores: scores[head, mark])
            assert scores[tree[mark - 1], mark] == scores[best, mark]
            assert tree.tolist() == moving(heads, mark, int(tree[mark - 1]))
            moved += 1
    assert moved > 200
    assert helpless > 5


def moving(heads: Sequence[int], mark: int, head: int) -> list[int]:
    return [*heads[: mark - 1], head, *heads[mark:]]


def test_marks_with_dependents_and_those_of_which_all_heads_are_excluded_stay() -> None:
    scores = np.zeros((5, 5), np.float32)
    of_dependents, excluded = np.array([3, 4, 0, 3], np.int32), np.array([3, 4, 0, 3], np.int32)
    attach_marks(of_dependents, scores, 4, np.array([False, False, True, True]))
    scores[:, 2] = -np.inf
    attach_marks(excluded, scores, 4, np.array([False, True, False, False]))
    assert of_dependents.tolist() == excluded.tolist() == [3, 4, 0, 3]
