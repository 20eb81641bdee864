"""Operations of the machine, and the numbers that stand for names, relations and lists in its code.

Lists for a label, and for a pair, exist twice: for constraints that do not depend on the analysis, and for
contextual ones. Programs write lists by these numbers; kernels, which compile them, read them.
"""

from __future__ import annotations

from enum import IntEnum, auto

LEFT, RIGHT = 0, 1  # the names with these numbers are "left" and "right"

ONE_EDGE, UNDER_ONE_HEAD, IN_A_CHAIN, CROSSING, OF_ANY_KIND = range(5)  # as in `terms.Relation`


class Op(IntEnum):
    """Operation of the machine."""

    END = 0
    PUSH = auto()
    JUMP_IF_FALSE = auto()
    JUMP_IF_TRUE = auto()
    TRUE_IF_FALSE = auto()
    DEPENDENT_IN = auto()
    HEAD_IN = auto()
    DEPENDENT = auto()
    EDGE_HEAD = auto()
    EDGE_LABEL = auto()
    EDGE_RELATION = auto()
    DISTANCE = auto()
    DIRECTION = auto()
    PROBABILITY = auto()
    HEAD_PROBABILITY = auto()
    LABEL_PROBABILITY = auto()
    FUTURE_PROBABILITY = auto()
    COVERS_OUTSIDER = auto()
    BETWEEN = auto()
    ATTRIBUTE = auto()
    POSITION = auto()
    IS_WORD = auto()
    IS_VIRTUAL = auto()
    IS_LATER = auto()
    IS_ROOT = auto()
    IS_UNUSED = auto()
    HEAD_OF = auto()
    LABEL_OF = auto()
    RELATION_OF = auto()
    NEXT = auto()
    PREVIOUS = auto()
    DOMINATES = auto()
    HAS = auto()
    COUNT = auto()
    UNDER = auto()
    DIRECTION_OF = auto()
    DISTANCE_OF = auto()
    MEMBER = auto()
    PREDICTION_EXISTS = auto()
    PREDICTED_HEAD = auto()
    PREDICTED_LABEL = auto()
    PREDICTED_RELATION = auto()
    NOT = auto()
    EQUIVALENT = auto()
    SAME = auto()
    AGREE = auto()
    MEET = auto()
    EQUAL = auto()
    LESS = auto()
    AT_MOST = auto()
    EXISTS = auto()
    NUMBER_EXISTS = auto()
    ADD = auto()
    SUBTRACT = auto()
    MULTIPLY = auto()
    DIVIDE = auto()
    NEGATIVE = auto()
    MINIMUM = auto()
    MAXIMUM = auto()
    ABSOLUTE = auto()
    POWER = auto()
    EACH = auto()
    ADVANCE = auto()
    TALLY = auto()
    TALLY_FIRST = auto()
    COUNTED = auto()
    BOUND = auto()


# Extents of quantifiers: the nodes in use that a variable stands for, one after the other.
BELOW, ABOVE, BESIDE, LEFT_OF, RIGHT_OF, BETWEEN, ANYWHERE = range(7)
EXTENTS = 7
SLOT = 3  # numbers that a loop over nodes keeps: its node, the node that it starts from, and a count


ALL_LABELS = 0  # list of constraints that depend neither on labels nor on the analysis
KINDS = 4  # number of relations between two edges, which are numbered from 1


def list_of_label(labels: int, is_contextual: int, label: int) -> int:
    """Return the number of the list for an edge with a label."""
    return 1 + is_contextual * labels + label


def list_of_pair(labels: int, is_contextual: int, relation: int, x: int, y: int) -> int:
    """Return the number of the list for two edges in a relation, with these labels."""
    return 1 + 2 * labels + ((is_contextual * KINDS + relation - 1) * labels + x) * labels + y


def list_count(labels: int) -> int:
    """Return the number of lists."""
    return 1 + 2 * labels + 2 * KINDS * labels * labels
