"""Recurrence of attainable scores for arc-eager steps, in plain Python."""

from __future__ import annotations

from functools import cache
from math import inf

from treewhile.oracles.projective_steps import Scores
from treewhile.oracles.references import EdgeScores, Reference, worth
from treewhile.oracles.transitions import EAGER_TRANSITIONS, EagerConfiguration


def attainable_by_definition(
    configuration: EagerConfiguration, reference: Reference | EdgeScores, single_root: bool
) -> Scores:
    """The recurrence above, read off in Python: the judge of the kernel."""
    attained = _Attained(configuration, reference, single_root)
    legal = configuration.legal_steps()
    level, x = len(configuration.stack) - 1, configuration.front
    scores = {step: value for step, value in attained.by_step(level, x).items() if step in legal}
    return tuple(map(scores.get, EAGER_TRANSITIONS))


class _Attained:
    """The values of the recurrence; levels count from the root, words are those of the sentence."""

    def __init__(
        self, configuration: EagerConfiguration, reference: Reference | EdgeScores, single_root: bool
    ) -> None:
        self.configuration, self.reference, self.single_root = configuration, reference, single_root
        self.n = configuration.n
        self.right, self.left = cache(self._right), cache(self._left)
        self.value = cache(self._value)

    def worth(self, head: int, dependent: int) -> float:
        return worth(self.reference, (head, dependent))

    def joined(self, i: int, j: int) -> float:
        """What i and its right children attain, and j and its left ones, where they meet between the two."""
        return max(self.right(i, k) + self.left(k + 1, j) for k in range(i, j))

    def _right(self, i: int, j: int) -> float:
        if i == j:
            return 0
        return max(
            self.joined(i, k) + self.worth(i, k) + self.right(k, j)  # k is the last right child
            for k in range(i + 1, j + 1)
        )

    def _left(self, i: int, j: int) -> float:
        if i == j:
            return 0
        return max(self.left(i, k) + self.joined(k, j) + self.worth(j, k) for k in range(i, j))

    def _value(self, level: int, x: int) -> float:
        """V_level[x]."""
        if x > self.n and level == 0:
            return 0
        return max(self.by_step(level, x).values(), default=-inf)

    def by_step(self, level: int, x: int) -> dict[str, float]:
        """What each step attains, where it can be taken; no word is shifted or headed for nothing."""
        top, later = self.configuration.stack[level], range(x + 1, self.n + 1)
        has_head, remain = top in self.configuration.headed, x <= self.n
        found = dict[str, float]()
        if later:
            found["shift"] = max(self.joined(x, y) + self.worth(y, x) + self.value(level, y) for y in later)
        if level > 0 and remain and not has_head:
            found["left_arc"] = self.worth(x, top) + self.value(level - 1, x)
        if remain:
            ends = [self.n + 1] if self.single_root and level == 0 else [*later, self.n + 1]
            rest = max(self.right(x, y - 1) + self.value(level, y) for y in ends)
            found["right_arc"] = self.worth(top, x) + rest
        if has_head and not (self.single_root and level == 1 and remain):
            found["reduce"] = self.value(level - 1, x)
        return found
