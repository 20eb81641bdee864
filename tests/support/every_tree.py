"""Every tree over a few words, and classes of trees by definition: what judges tree classes and decoders.

Heads are those of words 1 to n, 0 being the root, which may have several children. Edges from 0 count as
edges. Nothing here is fast, and nothing knows how the algorithms work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise, product
from math import inf
from typing import Any

import numpy as np
from judges import EdgeScores, has_cycle

Tree = tuple[int, ...]


@cache
def all_trees(n: int) -> tuple[Tree, ...]:
    """All trees over 0..n: 1, 3, 16, 125, 1296, 16807 of them."""
    return tuple(heads for heads in product(range(n + 1), repeat=n) if not has_cycle(heads))


@cache
def trees_of(name: str, n: int) -> tuple[Tree, ...]:
    """All trees of a class, as `best_tree` names it."""
    return tuple(heads for heads in all_trees(n) if CLASSES[name](heads))


@cache
def listed_heads(name: str, n: int, single_root: bool) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The heads of all trees of a class, a tree in each row."""
    found = [heads for heads in trees_of(name, n) if not single_root or heads.count(0) == 1]
    return np.array(found, np.int64).reshape(len(found), n)


def best_by_listing(scores: EdgeScores, name: str, single_root: bool) -> float:
    """The score of the best tree of a class; minus infinity if there is none."""
    words = np.arange(1, len(scores))
    listed = listed_heads(name, len(words), single_root)
    return float(np.asarray(scores, float)[listed, words].sum(1).max(initial=-inf))


# --- what a tree is like ------------------------------------------------------------------------------------


def projection(heads: Tree, node: int) -> list[int]:
    """The node and all below it, in order."""
    found = {node}
    while more := {word for word, head in enumerate(heads, 1) if head in found} - found:
        found |= more
    return sorted(found)


def gaps(heads: Tree, node: int) -> list[tuple[int, int]]:
    """The gaps of a node, each as the words of its projection beside it."""
    below = projection(heads, node)
    return [(a, b) for a, b in pairwise(below) if b > a + 1]


def gap_degree(heads: Tree) -> int:
    return max((len(gaps(heads, node)) for node in range(len(heads) + 1)), default=0)


def is_well_nested(heads: Tree) -> bool:
    subtrees = [projection(heads, node) for node in range(len(heads) + 1)]
    return not any(
        _interleave(a, b) or _interleave(b, a) for a, b in combinations(subtrees, 2) if not set(a) & set(b)
    )


def _interleave(a: list[int], b: list[int]) -> bool:
    return any(l1 < l2 < r1 < r2 for l1, r1 in combinations(a, 2) for l2, r2 in combinations(b, 2))


def edge_degree(heads: Tree) -> int:
    """The most components between the ends of one edge whose topmost word its head does not dominate.

    Kuhlmann & Nivre 2006: the words between the ends, with the edges among them alone.
    """
    return max((len(_foreign_tops(heads, head, word)) for word, head in enumerate(heads, 1)), default=0)


def _foreign_tops(heads: Tree, head: int, word: int) -> list[int]:
    between = range(min(head, word) + 1, max(head, word))
    own = projection(heads, head)
    return [top for top in between if heads[top - 1] not in between and top not in own]


def inheritance_degree(heads: Tree) -> int:
    """The most children of one node with one gap that have words on both sides of it."""
    found = 0
    for node in range(len(heads) + 1):
        if len(gaps(heads, node)) != 1:
            continue
        left, right = gaps(heads, node)[0]
        children = [projection(heads, word) for word, head in enumerate(heads, 1) if head == node]
        found = max(found, sum(below[0] <= left and below[-1] >= right for below in children))
    return found


def cross(a: tuple[int, int], b: tuple[int, int]) -> bool:
    (i, j), (k, m) = sorted([sorted(a), sorted(b)])
    return i < k < j < m


def is_one_endpoint_crossing(heads: Tree) -> bool:
    """Whether all edges that cross one edge share an end."""
    edges = [(head, word) for word, head in enumerate(heads, 1)]
    for edge in edges:
        crossing = [set(other) for other in edges if cross(edge, other)]
        if crossing and not set.intersection(*crossing):
            return False
    return True


def is_mh4(heads: Tree, is_open: Callable[[int, int], bool] = lambda i, j: True) -> bool:
    """Whether items of at most four heads derive the tree (Gómez-Rodríguez, Carroll & Weir 2011).

    An item is a row of heads. Each two neighbours are one to begin with; two that share an end are joined;
    and any inner head of an item hangs on another of its heads and leaves it. The whole is the item
    (0, n + 1), where n + 1 stands behind the last word and has no edges. Only open i and j are the ends of
    items of four heads.
    """
    waiting = [(i, i + 1) for i in range(len(heads) + 1)]
    items: set[tuple[int, ...]] = {*waiting}
    done: list[tuple[int, ...]] = []
    while waiting and (0, len(heads) + 1) not in items:
        item = waiting.pop()
        done.append(item)
        following = [
            tuple(node for node in item if node != inner) for inner in item[1:-1] if heads[inner - 1] in item
        ]
        for other in done:
            for a, b in ((item, other), (other, item)):
                if a[-1] == b[0] and len(a) + len(b) - 1 <= (4 if is_open(a[0], b[-1]) else 3):
                    following.append(a + b[1:])
        waiting += {*following} - items
        items.update(following)
    return (0, len(heads) + 1) in items


def is_mild(heads: Tree) -> bool:
    return gap_degree(heads) <= 1 and is_well_nested(heads)


CLASSES: dict[str, Callable[[Tree], bool]] = {
    "projective": lambda heads: gap_degree(heads) == 0,
    "gap-minding": lambda heads: is_mild(heads) and inheritance_degree(heads) == 0,
    "1-inherit": lambda heads: is_mild(heads) and inheritance_degree(heads) <= 1,
    "mild": is_mild,
    "1-endpoint-crossing": is_one_endpoint_crossing,
    "mh4": is_mh4,
    "any": lambda heads: True,
}
