"""Scores of three nodes: what a sibling, or the head's own head, adds to the score of an arc.

A triple has a head, a dependent, and a third node. Among *siblings* that is the next dependent of the head
towards it from the dependent, or the head itself where there is none; among *grandparents* it is the head's
head. Each node comes to as many units in each role, and a triple to the sum of the products of three units
(the trilinear scores of Wang, Huang & Tu 2019).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treewhile.incremental.parsers.layers import Array, linear
from treewhile.incremental.parsers.network_shapes import SIBLINGS, SLOPE, TRIPLE_ROLES


def triple_shapes(kind: str, state: int, units: int) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a scorer, by its name, over states of so many numbers."""
    shapes: dict[str, tuple[int, ...]] = {}
    for role in TRIPLE_ROLES:
        shapes[f"{kind}.{role}.weight"], shapes[f"{kind}.{role}.bias"] = (units, state), (units,)
    if kind == SIBLINGS:
        shapes[f"{kind}.first"] = (units,)
    return shapes


class TripleLayers:
    """The layers of one kind of triples, which count with a weight.

    Among siblings `first` stands in where there is none.
    """

    def __init__(self, arrays: Mapping[str, Array], kind: str, weight: float = 1.0) -> None:
        self._weight = np.float32(weight)
        self._third, self._head, self._dependent = (linear(arrays, f"{kind}.{role}") for role in TRIPLE_ROLES)
        self._first = arrays[f"{kind}.first"] if kind == SIBLINGS else None

    def scores(self, late: Array) -> Array:
        """[third, head, dependent] over all nodes, of which `late` has the states."""
        third, head = _rectified(self._third(late)), _rectified(self._head(late))
        pairs: Array = third[:, None] * head
        if self._first is not None:
            nodes = np.arange(len(late))
            pairs[nodes, nodes] = self._first * head
        scores: Array = pairs @ (self._weight * self._dependent(late).T)
        return scores


def _rectified(units: Array) -> Array:
    rectified: Array = np.maximum(units, np.float32(SLOPE) * units)
    return rectified
