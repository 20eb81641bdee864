"""Recurrences of attainable scores for projective references, in plain Python."""

from __future__ import annotations

from functools import cache

from treewhile.oracles.projective_steps import Scores
from treewhile.oracles.references import Reference
from treewhile.oracles.transitions import Configuration, Strategy


def attainable_by_definition(
    configuration: Configuration, reference: Reference, strategy: Strategy, pruned: bool
) -> Scores:
    """The recurrences above, read off in Python: the judge of the kernel."""

    def after(step: str) -> int | None:
        if not configuration.is_legal(step):
            return None
        edge = configuration.edge(step)
        made = 0 if edge is None else int(reference.heads[edge[1]] == edge[0])
        return made + _Situations(configuration.apply(step), reference, strategy, step, pruned).whole()

    return after("shift"), after("reduce_left"), after("reduce_right")


State = tuple[str, int]  # q, and the current critical word g; 0 where q is none


class _Situations:
    """What can be gained from a configuration that `step` led to; levels and words as in the recurrences."""

    def __init__(
        self, configuration: Configuration, reference: Reference, strategy: Strategy, step: str, pruned: bool
    ) -> None:
        self.a, self.front, self.n = configuration.stack, configuration.front, configuration.n
        self.heads: list[int] = reference.heads.tolist()
        self.pruned = pruned
        top = len(self.a) - 1
        below_top = range(top + (step == "reduce_left")) if strategy.bars_left_below_top else ()
        self.barred = {*below_top, *([top - 1] if step == "shift" and strategy.bars_left_after_shift else [])}
        self.takes_right = step != "reduce_right" or not strategy.bars_right_after_reduce_right
        self.score, self.score_from_input = cache(self._score), cache(self._score_from_input)

    def whole(self) -> int:
        """All gold edges that can still be made, those among the remaining words included."""
        top = len(self.a) - 1
        among = sum(self.heads[word] >= self.front for word in range(self.front, self.n + 1))
        right = len(self.children(top)) if self.takes_right else 0
        return among + right + self.score(top - 1, top, ("none", 0))

    def parent(self, i: int) -> int:
        """p(i): the gold parent of a_i among the remaining words, or 0."""
        head: int = self.heads[self.a[i]]
        return head if head >= self.front else 0

    def children(self, i: int) -> list[int]:
        """The gold children of a_i among the remaining words."""
        return [word for word in range(self.front, self.n + 1) if self.heads[word] == self.a[i]]

    def last(self, word: int) -> int:
        """R(b): the last word of a component."""
        while self.heads[word] > word:
            word = self.heads[word]
        return word

    def are_neighbours(self, i: int, word: int) -> bool:
        return bool(self.heads[word] == self.a[i] or self.heads[self.a[i]] == word)

    def next_below(self, i: int) -> int:
        """Where to go on once a_i was reduced for nothing."""
        lower = [level for level in range(i) if self.are_neighbours(level, self.a[i])]
        return lower[0] if self.pruned and lower else i - 1

    def state_after(self, i: int, state: State) -> State:
        """The state once a_i is on top: none if its parent is elsewhere, fresh if it comes later."""
        q, g = state
        current = self.parent(i) or g
        if q == "none" or self.last(current) != self.last(g):
            return "none", 0
        return (q, g) if current == g else ("fresh", current)

    def _score(self, i: int, j: int, state: State) -> int:
        if i < 0:
            return 0
        q, g = state
        children, parent = self.children(i), self.parent(j)
        lost = q != "none" and children[:1] == [self.last(g)]
        gold = self.heads[self.a[j]] == self.a[i]
        found = [len(children) - lost + gold + self.score(i - 1, i, self.state_after(i, state))]
        if i > 0 and j not in self.barred:
            if self.heads[self.a[i]] == self.a[j]:
                found.append(1 + self.score(i - 1, j, state))
            elif not self.pruned or any(self.are_neighbours(level, self.a[j]) for level in range(i)):
                found.append(self.score(self.next_below(i), j, state))
        if parent and q != "consumed":
            found.append((q == "none") + self.score_from_input(i, parent))
        return max(found)

    def _score_from_input(self, i: int, word: int) -> int:
        component = self.last(word)
        after = self.score(i - 1, i, self.state_after(i, ("consumed", word)))
        found = [len(self.children(i)) + after]
        if i > 0 and self.parent(i) and self.last(self.parent(i)) == component:
            found.append(1 + self.score_from_input(i - 1, self.parent(i)))
        elif i > 0 and (not self.pruned or any(self._touches(level, component) for level in range(i))):
            found.append(self.score_from_input(self.next_below(i), word))
        return max(found)

    def _touches(self, i: int, component: int) -> bool:
        """Whether a_i has a gold edge to a component."""
        parent = self.parent(i)
        return bool(self.heads[component] == self.a[i] or (parent and self.last(parent) == component))
