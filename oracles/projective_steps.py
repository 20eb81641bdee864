"""Optimal steps for projective references: O(n^2) and O(n) (Nederhof 2019, Sections 5 and 6).

Take the gold edges among the remaining words for granted and count what else can be gained. Then only this
matters: which node lies below the top of the stack (a_i), what is on top (a stack element a_j, or a critical
word b of the remaining input), and a state q that says whether the component of the remaining input that is
being eaten up has lost a word to a wrong parent:

    none        no word of it was shifted
    consumed    its current critical word g was shifted and has a parent
    fresh       g was not, but an earlier one was; the next gold edge to the component makes up for the loss

    score(i, j, q, g) = max of
        children(i) - [c(i) = R(g), q not none] + w(i, j) + score(i-1, i, q', g')       a_j under a_i
        w(j, i) + score(i-1, j, q, g)                                                  a_i under a_j
        [q = none] + score'(i, p(j))              if p(j) remains, q not consumed      shift up to p(j)
    score'(i, b) = max of
        1 + score'(i-1, p(i))                     if p(i) is in the component of b     a_i under p(i)
        score'(i-1, b)                            otherwise, for nothing               a_i under b
        children(i) + score(i-1, i, q'', g'')                                          b under a_i

p(i) is the gold parent of a_i among the remaining words, c(i) its leftmost child, children(i) their number;
R(b) is the last word of the component of b. The paper looks the current word g up as p(j) or that of the
next level above; carrying it along makes a value depend on nothing above level i but the arguments, which is
what lets the tracker keep it. The linear algorithm leaves out two kinds of reduction of a_i for nothing:
where what is on top has no gold edge to anything below a_i, and those between a_i and its lowest neighbour.
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

Scores = tuple[float | None, ...]  # [step]; None where it is not legal


def is_for(reference: Reference | EdgeScores, strategy: Strategy, single_root: bool) -> TypeGuard[Reference]:
    """Whether what is said here holds for a reference.

    It allows the root any number of children. Where that is to be one, nothing changes as long as the
    reference has no more under the root: all other children of the root can go under one of them, under that
    one if it is there. But right-before-left has words that take no right child any more.
    """
    if not isinstance(reference, Reference) or not reference.is_projective:
        return False
    return not single_root or (reference.roots <= 1 and not strategy.bars_right_after_reduce_right)


def attainable_when_projective(
    configuration: Configuration, reference: Reference, strategy: Strategy, pruned: bool
) -> Scores:
    """What shift, reduce_left and reduce_right can attain; in O(n) if pruned, else in O(n^2)."""
    stack = np.array(configuration.stack, dtype=np.int32)
    front, found, room = configuration.front, np.empty(3, dtype=np.int64), memo_rows(len(stack))
    while not score_steps_from_scratch(reference.heads, stack, front, room, pruned, *strategy, found):
        room *= 4
    return as_scores(found)


def standing(strategy: Strategy, single_root: bool) -> Longs:
    """What kernels know beside their tables, at the start of a sentence."""
    numbers = np.zeros(at.STANDING_SIZE, dtype=np.int64)
    numbers[[at.BARS_LEFT_AFTER_SHIFT, at.BARS_LEFT_BELOW_TOP, at.BARS_RIGHT]] = strategy
    numbers[at.PRUNED], numbers[at.SINGLE_ROOT] = True, single_root
    return numbers


def as_scores(found: Longs) -> Scores:
    """The kernel's scores for callers: None where a step is not legal."""
    shift, left, right = found.tolist()  # a loop over them would take a quarter of a microsecond
    return shift if shift >= 0 else None, left if left >= 0 else None, right if right >= 0 else None


def as_real_scores(found: Values) -> Scores:
    """The same where edges have weights: NaN is not legal."""
    shift, left, right = found.tolist()
    return (
        shift if shift == shift else None,
        left if left == left else None,
        right if right == right else None,
    )
