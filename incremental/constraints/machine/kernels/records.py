"""What the loops hand to each other: named tuples of arrays, and the columns of those arrays.

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
    """The columns of an array, from 0 on."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count


class CodeColumn(Columns):
    OPERATION = auto()
    ARGUMENT = auto()
    SET = auto()


class NameColumn(Columns):
    """Of the names of a label."""

    LABEL = auto()
    RELATION = auto()


class ListedColumn(Columns):
    CONSTRAINT = auto()
    START = auto()  # of what is left of its formula


class AlikeColumn(Columns):
    CONSTRAINT = auto()
    START = auto()
    COUNT = auto()
    FIRST = auto()  # the first of that many labels


class PredictedColumn(Columns):
    HEAD = auto()
    LABEL = auto()
    RELATION = auto()


class ConflictColumn(Columns):
    CONSTRAINT = auto()
    X = auto()  # the dependents; that of Y is 0 for one edge
    Y = auto()
    COST = auto()


class RemovedColumn(Columns):
    CONSTRAINT = auto()
    X = auto()
    X_HEAD = auto()
    X_LABEL = auto()
    Y = auto()  # 0 for one edge, as head and label are then
    Y_HEAD = auto()
    Y_LABEL = auto()
    FORBIDS = auto()  # whether the edge alone breaks the constraint


BY_PROBABILITY = 0  # the count of a row of `alike` whose penalty is the probability of the label


class Edge(NamedTuple):
    """An edge in numbers."""

    dependent: int
    head: int
    label: int


NO_EDGE = Edge(np.int64(-1), np.int64(-1), np.int64(-1))  # in the place of Y where there is one edge
NO_LABEL = np.int64(-1)


class TreeArrays(NamedTuple):
    """An analysis: the head and label of each node, the root's place included."""

    heads: Longs
    labels: Longs


class ProgramArrays(NamedTuple):
    """A grammar for the labels of a model; `programs` says how it is made.

    formula and penalty are where the code of a constraint begins, -1 for a penalty that is known, whose cost
    is given. A list of constraints is listed[lists[i]:lists[i + 1]]; `list_numbers` says which is which.

    Each row of `alike` is a constraint on one edge that looks at labels, and then a count and as many labels,
    which it does not tell apart; or BY_PROBABILITY if its penalty is the probability of the label; or -1 - p
    if it does not tell any apart but the one that predictor p names.
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
    """A prefix of t words; `situations` says how nodes are numbered."""

    t: int
    later: int
    unused: int
    attributes: Ints  # [node, column]
    predicted: Ints  # [predictor, node, PredictedColumn]
    head_log: npt.NDArray[np.float32]  # [head, dependent]
    label_log: npt.NDArray[np.float32]  # [dependent, head, label], may be empty
    future: npt.NDArray[np.float64]  # [dependent]
    is_judged: Bytes  # [constraint]
    faulty: Bytes  # [constraint], written to


class Desk(NamedTuple):
    """What the machine works on and with; every call from Python makes its own: threads do not share it."""

    program: ProgramArrays
    situation: SituationArrays
    stack: npt.NDArray[np.float64]
    rows: Longs  # [i, ConflictColumn], as long as there is room
    found: Longs  # one number: how many conflicts there were
    no_tree: TreeArrays


class EdgeCosts(NamedTuple):
    """Edges by themselves, judged when they are first asked for: cost[d, h, label] where is_judged[d, h].

    least[d, h] is then the least of these costs, and label[d, h] its label; before, it is no more than that.
    No edge from d to h may be where is_judged[d, h] is BARRED. Where only_head[d] or only_label[d] is not -1
    no other may be; what is unused has label 0.

    Threads share all of it but `draft`, in which each judges before it tells: if two judge the same edges at
    the same time, they write the same.
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
    """What rows of attacks work on and with.

    A row leads to a tree below the limit, over none that comes to `margin` more than it.
    """

    desk: Desk
    edges: EdgeCosts
    interrupt: Bytes
    limit: int
    margin: int
    removed: Longs  # [i, RemovedColumn]: the conflicts that the row keeps out
    unsolvable: Longs  # [i, RemovedColumn]: those that it may not attack
    tree: TreeArrays  # which is attacked
    changed: TreeArrays  # which is tried
    found: TreeArrays  # the best that was tried
    tried: Longs  # one number: how many there were
