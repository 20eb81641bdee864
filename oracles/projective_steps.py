"""Optimal steps for projective references: O(n^2) and O(n) (Nederhof 2019, Sections 5 and 6).

Take the gold edges among the remaining words for granted and count what else can be gained. Only these matter
then: which node lies below the top of the stack (a_i), what is on top (a stack element a_j, or a critical word
b of the remaining input), and a state q that says whether the component of the remaining input that is being
eaten up has lost a word to a wrong parent:

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

p(i) is the gold parent of a_i among the remaining words, c(i) its leftmost child and children(i) their number;
R(b) is the last word of the component of b. The paper looks the current word g up as p(j) or that of the next
level above; carrying it along makes a value depend on nothing above level i but the arguments, which is what
lets the tracker keep it. The linear algorithm leaves out two kinds of reduction of a_i for nothing: where what
is on top has no gold edge to anything below a_i, and the ones between a_i and its lowest gold neighbour.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from treewhile.oracles import kernels
from treewhile.oracles.references import Reference
from treewhile.oracles.transitions import Configuration, Strategy

Scores = tuple[int | None, int | None, int | None]


def attainable_when_projective(
    configuration: Configuration, reference: Reference, strategy: Strategy, pruned: bool
) -> Scores:
    """What shift, reduce_left and reduce_right can attain; in O(n) if pruned, else in O(n^2)."""
    stack = np.array(configuration.stack, dtype=np.int32)
    front, found, room = configuration.front, np.empty(3, dtype=np.int64), memo_rows(len(stack))
    while not kernels.score_steps_from_scratch(reference.heads, stack, front, room, pruned, *strategy, found):
        room *= 4
    return as_scores(found)


def memo_rows(levels: int) -> int:
    """A power of two of rows in which the facts about a stack usually fit."""
    return 1 << (16 * levels + 64).bit_length()


def as_scores(found: kernels.Longs) -> Scores:
    """The kernel's scores for callers: None where a step is not legal."""
    shift, reduce_left, reduce_right = (None if score < 0 else score for score in found.tolist())
    return shift, reduce_left, reduce_right
