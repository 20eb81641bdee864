"""Trees of prefixes by definition, projective ones and those of MH4, and lists of all small ones."""

from __future__ import annotations

from functools import cache, partial

from arc_scores import Heads, is_connected, prefix_trees, way_up
from every_tree import is_mh4

from treewhile.incremental.treebanks.prefix_trees import ON_LATER, ON_UNUSED


def is_projective_prefix(heads: Heads, t: int) -> bool:
    """Whether heads, by node and with LATER and UNUSED, are a projective tree of a prefix of t words."""
    used = [node for node, head in enumerate(heads, 1) if head != ON_UNUSED]
    ways = {node: [*way_up(heads, node)] for node in used}
    return is_connected(heads, t) and all(_covers_its_own(heads, ways, node) for node in used)


def _covers_its_own(heads: Heads, ways: dict[int, list[int]], node: int) -> bool:
    """Whether all that an arc covers is below its head; LATER stands behind all nodes, 0 before them."""
    head = heads[node - 1]
    end = len(heads) + 1 if head == ON_LATER else head
    covered = [other for other in ways if min(node, end) < other < max(node, end)]
    return all(head in ways[other] for other in covered)


def is_mh4_prefix(heads: Heads, t: int) -> bool:
    """Whether heads, by node and with LATER and UNUSED, are an MH4 tree of a prefix of t words."""
    used = [node for node, head in enumerate(heads, 1) if head != ON_UNUSED]
    return is_connected(heads, t) and is_mh4_once(_closed_up(heads, used))


is_mh4_once = cache(is_mh4)  # many trees are the same one, closed up


def _closed_up(heads: Heads, used: list[int]) -> tuple[int, ...]:
    """The tree over the used nodes alone and LATER, which hangs on the root."""
    number = {node: at for at, node in enumerate([0, *used, ON_LATER])}
    return (*(number[heads[node - 1]] for node in used), 0)


projective_prefixes = partial(prefix_trees, is_projective_prefix)
mh4_prefixes = partial(prefix_trees, is_mh4_prefix)
