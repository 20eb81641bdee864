"""Contraction of circles as Edmonds 1967 describes it, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Edge = tuple[int, int]  # head, dependent


class Way(NamedTuple):
    """What an edge between two nodes is worth, and which edge between words it is."""

    value: float
    edge: Edge


Graph = Mapping[Edge, Way]


def best_score_by_definition(scores: npt.NDArray[np.float64], single_root: bool) -> float:
    """The score of the best tree, circle by circle; where there is to be one root, the best of all roots."""
    nodes = range(len(scores))
    edges = [(h, d) for h in nodes for d in nodes[1:] if h != d and scores[h, d] > -inf]
    graph = {edge: Way(float(scores[edge]), edge) for edge in edges}
    graphs: list[Graph] = [graph]
    if single_root:
        graphs = [{(h, d): graph[h, d] for h, d in edges if h or d == root} for root in nodes[1:]]
    found = [_best_edges(each, set(nodes)) for each in graphs]
    return max(
        (sum(float(scores[edge]) for edge in tree) for tree in found if tree is not None), default=-inf
    )


def _best_edges(graph: Graph, nodes: set[int]) -> list[Edge] | None:
    """The edges between words of the best tree over all nodes, or None."""
    taken: dict[int, Edge] = {}
    for edge in graph:
        node = edge[1]
        if node not in taken or graph[edge].value > graph[taken[node]].value:
            taken[node] = edge
    if taken.keys() < nodes - {0}:
        return None
    circle = _circle(taken)
    if not circle:
        return [graph[edge].edge for edge in taken.values()]
    one = min(circle)
    smaller: dict[Edge, Way] = {}
    entered: dict[Edge, int] = {}  # by an edge between words: the node of the circle that it goes to
    for (h, d), (value, edge) in graph.items():
        if h in circle and d in circle:
            continue
        if d in circle:
            value -= graph[taken[d]].value
            entered[edge] = d
        ends = (one if h in circle else h, one if d in circle else d)
        smaller[ends] = max(smaller.get(ends, Way(-inf, edge)), Way(value, edge))
    found = _best_edges(smaller, nodes - circle | {one})
    if found is None:
        return None
    opened = next(entered[edge] for edge in found if edge in entered)
    return [*found, *(graph[taken[node]].edge for node in circle - {opened})]


def _circle(taken: Mapping[int, Edge]) -> set[int]:
    """The nodes of a circle among edges, one into each node but the root; empty if there is none."""
    for start in taken:
        way = [start]
        while way[-1] in taken:
            above = taken[way[-1]][0]
            if above in way:
                return {*way[way.index(above) :]}
            way.append(above)
    return set()
