"""Operations of the machine, and the numbers that stand for names and relations in its code."""

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
    MEMBER = auto()
    PREDICTION_EXISTS = auto()
    PREDICTED_HEAD = auto()
    PREDICTED_LABEL = auto()
    PREDICTED_RELATION = auto()
    NOT = auto()
    EQUIVALENT = auto()
    SAME = auto()
    AGREE = auto()
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
