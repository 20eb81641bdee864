"""Records that the loops pass to each other: named tuples of arrays, and the columns of those arrays.

On the machine's stack everything is a float: truth values are 0 and 1, nodes and numbered names are whole
numbers, -1 where there is none; a number that does not exist is NaN.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class Columns(IntEnum):
    """Columns of an array, from 0 on."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count


class CodeColumn(Columns):
    OPERATION = auto()
    ARGUMENT = auto()
    SET = auto()


class NameColumn(Columns):
    """Columns of the names of a label."""

    LABEL = auto()
    RELATION = auto()


class ListedColumn(Columns):
    CONSTRAINT = auto()
    START = auto()  # of the rest of its formula


class AlikeColumn(Columns):
    CONSTRAINT = auto()
    START = auto()
    COUNT = auto()
    FIRST = auto()  # the first of `COUNT` labels


class PredictedColumn(Columns):
    HEAD = auto()
    LABEL = auto()
    RELATION = auto()


class ConflictColumn(Columns):
    CONSTRAINT = auto()
    X = auto()  # the dependents; Y is 0 for one edge
    Y = auto()
    COST = auto()


class WatchedColumn(Columns):
    """Columns of a constraint for one edge or two, whose cost depends on nodes of the analysis.

    NODES are nodes whose head or label was read; CHILDREN are nodes whose dependents were. Both are sets of
    bits, where nodes a multiple of 64 apart share a bit.
    """

    CONSTRAINT = auto()
    START = auto()
    X = auto()  # the dependents, as in `ConflictColumn`
    Y = auto()
    COST = auto()
    NODES = auto()
    CHILDREN = auto()


class ReadColumn(Columns):
    NODES = auto()
    CHILDREN = auto()


class RemovedColumn(Columns):
    CONSTRAINT = auto()
    X = auto()
    X_HEAD = auto()
    X_LABEL = auto()
    Y = auto()  # 0 for one edge, with head and label 0 too
    Y_HEAD = auto()
    Y_LABEL = auto()
    FORBIDS = auto()  # the edge alone breaks the constraint


UNJUDGED, IN_USE, EVERYWHERE = range(3)

BY_PROBABILITY = 0  # the count of a row of `alike` whose penalty is the probability of the label


class Edge(NamedTuple):
    """Edge in numbers."""

    dependent: int
    head: int
    label: int


NO_EDGE = Edge(np.int64(-1), np.int64(-1), np.int64(-1))  # in the place of Y where there is one edge
NO_LABEL = np.int64(-1)


class TreeArrays(NamedTuple):
    """Analysis: the head and label of each node, the root's place included."""

    heads: Longs
    labels: Longs


class ProgramArrays(NamedTuple):
    """Grammar for the labels of a model; `programs` makes it.

    formula and penalty are the begin of a constraint's code, -1 for a known penalty, whose cost is given. A
    list of constraints is listed[lists[i]:lists[i + 1]]; `operations` numbers the lists.

    Each row of `alike` is a constraint on one edge that looks at labels, then a count and as many labels,
    which the constraint does not distinguish; or BY_PROBABILITY if its penalty is the probability of the
    label; or -1 - p if it distinguishes only the label that predictor p names.
    """

    code: Ints  # [at, CodeColumn]
    numbers: npt.NDArray[np.float64]
    members: Bytes  # [set, name]
    label_members: Bytes  # [set, label]
    label_names: Ints  # [label, NameColumn]
    formula: Ints
    penalty: Ints
    cost: Longs
    relation: Longs
    is_contextual: Bytes
    lists: Longs
    listed: Ints  # [i, ListedColumn]
    pair_relations: Bytes  # [contextual, label of X, label of Y]: a bit for each relation with constraints
    alike: Ints  # [i, AlikeColumn]
    depth: int


class SituationArrays(NamedTuple):
    """Prefix of t words; `situations` numbers its nodes."""

    t: int
    later: int
    unused: int
    attributes: Ints  # [node, column]
    meeting: Bytes  # [set, set]: whether sets of values have one in common; empty if their numbers are bits
    predicted: Ints  # [predictor, node, PredictedColumn]
    head_log: npt.NDArray[np.float32]  # [head, dependent]
    label_log: npt.NDArray[np.float32]  # [dependent, head, label], may be empty
    future: npt.NDArray[np.float64]  # [dependent]
    judged: Bytes  # [constraint]: UNJUDGED, IN_USE (on edges of nodes that are in use) or EVERYWHERE
    faulty: Bytes  # [constraint], written to


class Desk(NamedTuple):
    """Input and working memory of the machine; every call from Python makes one: threads do not share it."""

    program: ProgramArrays
    situation: SituationArrays
    stack: npt.NDArray[np.float64]
    rows: Longs  # [i, ConflictColumn], as long as there is room
    found: Longs  # one number: the count of conflicts
    no_tree: TreeArrays
    read: Longs  # [ReadColumn]: what the last constraints have read of the analysis
    watched: Longs  # [i, WatchedColumn], as long as there is room; nothing is watched where it has no rows
    watching: Longs  # one number: the count of watched constraints


class JudgedArrays(NamedTuple):
    """Analysis that was judged, with what its contextual constraints cost and have read."""

    tree: TreeArrays
    watched: Longs  # [i, WatchedColumn]


class EdgeCosts(NamedTuple):
    """Costs of single edges, judged on demand: cost[d, h, label] where is_judged[d, h].

    least[d, h] is then the least of these costs, and label[d, h] its label; before, it is a lower bound. No
    edge from d to h is possible where is_judged[d, h] is BARRED. Where only_head[d] or only_label[d] is not
    -1 no other is possible; unused nodes have label 0.

    Threads share all arrays but `draft`, into which each judges before it publishes: if two judge the same
    edges at the same time, they write the same.
    """

    cost: Longs
    least: Longs
    label: Longs
    is_judged: Bytes
    only_head: Longs
    only_label: Longs
    draft: Longs  # [label]


NOT_JUDGED, JUDGED, BARRED = range(3)


class Attack(NamedTuple):
    """Input and working memory of rows of attacks.

    A row leads to a tree below the limit, through trees that cost less than `margin` above the limit.
    """

    desk: Desk
    edges: EdgeCosts
    interrupt: Bytes
    limit: int
    margin: int
    removed: Longs  # [i, RemovedColumn]: the conflicts that the row keeps out
    unsolvable: Longs  # [i, RemovedColumn]: the conflicts that the row may not attack
    tree: TreeArrays  # the attacked tree
    changed: TreeArrays  # the tree that is tried
    found: TreeArrays  # the best tree tried
    tried: Longs  # one number: the count of trees tried
