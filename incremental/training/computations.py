"""Gold computations of the committed parser: the right step in each configuration, and the words in roles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.shift_reduce import (
    AHEAD,
    END,
    HIDDEN,
    REDUCE_LEFT,
    REDUCE_RIGHT,
    SHIFT,
    LabelledComputation,
)

UNKNOWN = -100  # target that is not trained on, as in torch

Codes = npt.NDArray[np.int64]


def gold_computation(heads: Sequence[int | None], labels: Sequence[int], kinds: int) -> tuple[Codes, Codes]:
    """Return the roles[step, role] before every step, and the step's class; left children are taken first.

    The heads are projective. A step whose label is not known is taken, but its class is UNKNOWN; a
    computation ends where a word of unknown head prevents the next step.
    """
    computation, roles, steps = LabelledComputation(kinds, len(heads)), [], []
    waiting = Counter(head for head in heads if head is not None)
    while (step := _gold_step(computation, heads, waiting)) is not None:
        roles.append(computation.roles(len(AHEAD), is_closed=True))
        steps.append(_gold_class(computation, step, labels))
        computation.take(computation.class_of(step, label=0))
    return np.array(roles, np.int64).reshape(-1, len(ROLES)), np.array(steps, np.int64)


def _gold_step(
    computation: LabelledComputation, heads: Sequence[int | None], waiting: Counter[int]
) -> int | None:
    stack, remaining = computation.stack, computation.remaining
    if len(stack) < 2:
        return SHIFT if remaining else None
    s0, s1 = stack[:-3:-1]
    if s1 and heads[s1 - 1] == s0:
        waiting[s0] -= 1
        return REDUCE_RIGHT
    if heads[s0 - 1] == s1 and not waiting[s0] and (s1 or not remaining):
        waiting[s1] -= 1
        return REDUCE_LEFT
    is_in_the_way = s1 and heads[s1 - 1] is None and heads[s0 - 1] != s1
    return SHIFT if remaining and not is_in_the_way else None


def _gold_class(computation: LabelledComputation, step: int, labels: Sequence[int]) -> int:
    label = 0 if step == SHIFT else labels[computation.child(step) - 1]
    return UNKNOWN if label < 0 else computation.class_of(step, label)


def hidden_beyond(roles: Codes, ahead: int, to_the_end: bool) -> Codes:
    """Return the roles for a parser with so many words of lookahead, where the end may be unknown."""
    roles = roles.copy()
    is_open = np.ones(len(roles), bool) if to_the_end else roles[:, AHEAD[0]] != END
    for role in AHEAD[ahead:]:
        roles[is_open, role] = HIDDEN
    return roles
