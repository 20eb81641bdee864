"""Optimal steps for projective references: O(n^2) and O(n) (Nederhof 2019, Sections 5 and 6).

Take the gold edges among the remaining words for granted and count what else can be gained. Then only the
following matters: the node below the top of the stack (a_i), the node on top (a stack element a_j, or a
critical word b of the remaining input), and a state q that says whether the component of the remaining input
that is being consumed has lost a word to a wrong parent:

    none        no word of the component was shifted
    consumed    its current critical word g was shifted and has a parent
    fresh       g was not, but an earlier word was; the next gold edge to the component makes up for the loss

    score(i, j, q, g) = max of
        children(i) - [c(i) = R(g), q not none] + w(i, j) + score(i-1, i, q', g')       a_j under a_i
        w(j, i) + score(i-1, j, q, g)                                                  a_i under a_j
        [q = none] + score'(i, p(j))              if p(j) remains, q not consumed      shift up to p(j)
    score'(i, b) = max of
        1 + score'(i-1, p(i))                     if p(i) is in the component of b     a_i under p(i)
        score'(i-1, b)                            otherwise, for nothing               a_i under b
        children(i) + score(i-1, i, q'', g'')                                          b under a_i

p(i) is the gold parent of a_i among the remaining words, c(i) its leftmost child, children(i) their number;
R(b) is the last word of the component of b. The paper looks the current word g up as p(j) or that of the next
level above; passing g along makes a value depend on nothing above level i but the arguments, so the tracker
can keep the value. The linear algorithm leaves out two kinds of reduction of a_i for nothing: those where the
top has no gold edge to anything below a_i, and those between a_i and its lowest neighbour.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from treewhile.oracles.kernels import standings as at
from treewhile.oracles.kernels.memos import memo_rows
from treewhile.oracles.kernels.situations import score_steps_from_scratch
from treewhile.oracles.kernels.values import Longs
from treewhile.oracles.kernels.values import Scores as Values
from treewhile.oracles.references import EdgeScores, Reference
from treewhile.oracles.transitions import Configuration, Strategy

Scores = tuple[float | None, ...]  # [step]; None if the step is not legal


def is_for(reference: Reference | EdgeScores, strategy: Strategy, single_root: bool) -> TypeGuard[Reference]:
    """Return whether the recurrences of this module hold for a reference.

    They allow the root any number of children. With a single root nothing changes as long as the reference
    has at most one word under the root: all other children of the root can go under one of them, under the
    gold one if there is one. But right-before-left has words that take no right child any more.
    """
    if not isinstance(reference, Reference) or not reference.is_projective:
        return False
    return not single_root or (reference.roots <= 1 and not strategy.bars_right_after_reduce_right)


def attainable_when_projective(
    configuration: Configuration, reference: Reference, strategy: Strategy, pruned: bool
) -> Scores:
    """Return the scores of shift, reduce_left and reduce_right; in O(n) if pruned, else in O(n^2)."""
    stack = np.array(configuration.stack, dtype=np.int32)
    front, found, room = configuration.front, np.empty(3, dtype=np.int64), memo_rows(len(stack))
    while not score_steps_from_scratch(reference.heads, stack, front, room, pruned, *strategy, found):
        room *= 4
    return as_scores(found)


def standing(strategy: Strategy, single_root: bool) -> Longs:
    """Return the settings and counters that kernels read beside their tables, at a sentence's start."""
    numbers = np.zeros(at.STANDING_SIZE, dtype=np.int64)
    numbers[[at.BARS_LEFT_AFTER_SHIFT, at.BARS_LEFT_BELOW_TOP, at.BARS_RIGHT]] = strategy
    numbers[at.PRUNED], numbers[at.SINGLE_ROOT] = True, single_root
    return numbers


def as_scores(found: Longs) -> Scores:
    """Return the kernel's scores as a tuple, with None for each step that is not legal."""
    shift, left, right = found.tolist()  # faster than a loop by a quarter of a microsecond
    return shift if shift >= 0 else None, left if left >= 0 else None, right if right >= 0 else None


def as_real_scores(found: Values) -> Scores:
    """Return the kernel's real-valued scores as a tuple, with None for each step that is not legal (NaN)."""
    shift, left, right = found.tolist()
    return (
        shift if shift == shift else None,
        left if left == left else None,
        right if right == right else None,
    )
