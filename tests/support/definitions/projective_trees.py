"""Projectivization over the semiring of trees under the tie rule, in plain Python."""

from __future__ import annotations

import math

from definitions.semirings import Semiring, Value
from definitions.tabular_parsing import parse_by_definition
from treewhile.oracles.references import Heads, as_reference
from treewhile.oracles.split_grammars import PROJECTIVE


def projectivize_by_definition(heads: Heads, single_root: bool = True) -> list[int]:
    """`projectivize` through Table 2 by definition, over the semiring of trees under the tie rule."""
    reference = as_reference(heads)

    def edge(head: int, child: int) -> Value:
        if child == 0:
            return PREFERRED_TREE.zero
        root = int(head == 0)
        gold = int(reference.heads[child] == head)
        return -root * single_root, gold, -root, -abs(head - child), ((child, -head),)

    best = parse_by_definition(PROJECTIVE, "a" * (reference.n + 1), edge, PREFERRED_TREE)
    return [-head for _, head in best[-1]]


def _join(a: Value, b: Value) -> Value:
    if PREFERRED_TREE.zero in (a, b):
        return PREFERRED_TREE.zero
    return *(x + y for x, y in zip(a[:-1], b[:-1], strict=True)), tuple(sorted(a[-1] + b[-1]))


# What rules 0 to 3 count, each so that more is better, and (word, minus head) in order for rule 4.
PREFERRED_TREE = Semiring("preferred tree", (-math.inf, 0, 0, 0, ()), (0, 0, 0, 0, ()), max, _join)
