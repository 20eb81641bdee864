"""Explanations of a search: two trees by their costs, and the smallest change of penalties that turns them.

Costs of constant penalties are variables x, as natural logarithms. Another tree wins if it costs less than
every tree that the search finds instead: each of these gives an inequality, linear in x, whose coefficients
are differences between numbers of conflicts. First single constraints are tried, the one with the smallest
change first; then all of them together, with the smallest sum of squares (Hildreth 1957). Each change is
confirmed by a search, whose tree, if it is not the wanted one, gives the next inequality.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.machine.costs import COST_OF_E
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import ConflictColumn
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.trees import Tree, tree_of
from treewhile.incremental.constraints.workbench.differences import found_analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest

MARGIN: Final = 0.01  # by which the other tree has to cost less
GREATEST: Final = -math.log(1e-6)  # cost of the hardest penalty that is proposed
MOST_SINGLE: Final = 12  # constraints that are tried alone
MOST_SEARCHES: Final = 12  # for each of them, and for all together
SWEEPS: Final = 500

Floats = npt.NDArray[np.float64]


class TreeCosts(NamedTuple):
    """Number and summed cost of the conflicts of a tree by constraint, as natural logarithms."""

    counts: Floats
    costs: Floats
    of_tags: float  # that are not the likeliest ones

    @property
    def total(self) -> float:
        return float(self.costs.sum()) + self.of_tags


class TaggedTree(NamedTuple):
    """Tree in a situation, whose words have the tags of this tree."""

    situation: Situation
    tree: Tree


class ComparedConstraint(NamedTuple):
    """Conflicts of a constraint in two trees, and their costs."""

    constraint: Constraint
    counts: tuple[int, int]
    costs: tuple[float, float]


class PenaltyChange(NamedTuple):
    constraint: str
    before: float
    after: float


def costs_of(situation: Situation, tree: Tree) -> TreeCosts:
    """Return the costs of a tree by constraint, and of its tags."""
    rows = conflicts_in(situation, tree.arrays())
    numbers, count = rows[:, ConflictColumn.CONSTRAINT], len(situation.program.grammar.constraints)
    counts, costs = (np.bincount(numbers, weights, count) for weights in (None, rows[:, ConflictColumn.COST]))
    of_tags = situation.tag_cost / COST_OF_E
    return TreeCosts(counts.astype(np.float64), (costs / COST_OF_E).astype(np.float64), of_tags)


def compared(one: TaggedTree, other: TaggedTree) -> list[ComparedConstraint]:
    """Return the constraints that cost two trees differently, the greatest difference first."""
    a, b = costs_of(*one), costs_of(*other)
    order = np.argsort(-np.abs(a.costs - b.costs), kind="stable")
    return [
        ComparedConstraint(
            one.situation.program.grammar.constraints[number],
            (int(a.counts[number]), int(b.counts[number])),
            (float(a.costs[number]), float(b.costs[number])),
        )
        for number in order.tolist()
        if a.costs[number] != b.costs[number]
    ]


def smallest_change(
    model: Model, grammar: Grammar, request: SearchRequest, other: Tree
) -> list[PenaltyChange] | None:
    """Return a small change of penalties after which the search finds another tree; None if there is none."""
    return _Turning(model, grammar, request, other).change()


class _Turning:
    def __init__(self, model: Model, grammar: Grammar, request: SearchRequest, other: Tree) -> None:
        self._searcher, self._request, self._other = ConstraintSearcher(model, grammar), request, other
        self._situation = self._searcher.situation_of(request, other)
        self._constraints = self._situation.program.grammar.constraints
        penalties = [one.penalty for one in self._constraints]
        self._before = np.array(
            [-math.log(one) if isinstance(one, float) and one > 0 else math.nan for one in penalties]
        )
        self._is_free = ~np.isnan(self._before)
        self._rows: list[Floats] = []  # inequalities: row @ x <= bound
        self._bounds: list[float] = []

    def change(self) -> list[PenaltyChange] | None:
        if self._is_turned(self._before):
            return []
        for number in self._single_candidates()[:MOST_SINGLE]:
            costs = self._turned(partial(self._with_one, number))
            if costs is not None:
                return self._changes(costs)
        costs = self._turned(self._with_all)
        return None if costs is None else self._changes(costs)

    def _is_turned(self, costs: Floats) -> bool:
        """Search with these costs; return whether the other tree is found, or note what it has to beat."""
        self._searcher.set_penalties(np.exp(-costs))
        analysis = found_analysis(self._searcher, self._request)
        found = tree_of(self._situation, analysis)
        if found == self._other:
            return True
        situation = self._searcher.situation(self._request, analysis)
        mine, theirs = costs_of(self._situation, self._other), costs_of(situation, found)
        more = np.where(self._is_free, mine.counts - theirs.counts, 0)
        fixed = np.where(self._is_free, 0, mine.costs - theirs.costs).sum() + mine.of_tags - theirs.of_tags
        self._rows.append(more)
        self._bounds.append(-MARGIN - float(fixed))
        return False

    def _turned(self, proposal: Callable[[], Floats | None]) -> Floats | None:
        """Return costs with which the search finds the other tree; None if none are found."""
        before = -1
        for _ in range(MOST_SEARCHES):
            costs = proposal()
            if costs is None or before == len(self._rows):
                return None
            before = len(self._rows)
            if self._is_turned(costs):
                return costs
        return None

    # --- proposals ------------------------------------------------------------------------------------------

    def _single_candidates(self) -> list[int]:
        """Return the constraints that could turn the first inequality alone, the smallest change first."""
        row, base = self._rows[0], np.where(self._is_free, self._before, 0)
        lack = self._bounds[0] - float(row @ base)
        changes = {
            number: lack / row[number]
            for number in np.flatnonzero(row).tolist()
            if 0 <= self._before[number] + lack / row[number] <= GREATEST
        }
        return sorted(changes, key=lambda number: abs(changes[number]))

    def _with_one(self, number: int) -> Floats | None:
        """Return costs that fulfil all inequalities with the smallest change of one."""
        base = np.where(self._is_free, self._before, 0)
        least, most = 0.0, GREATEST
        for row, bound in zip(self._rows, self._bounds, strict=True):
            lack = bound - float(row @ base)
            if row[number] > 0:
                most = min(most, self._before[number] + lack / row[number])
            elif row[number] < 0:
                least = max(least, self._before[number] + lack / row[number])
            elif lack < 0:
                return None
        if least > most:
            return None
        costs = self._before.copy()
        costs[number] = np.clip(costs[number], least, most)
        return self._rounded(costs)

    def _with_all(self) -> Floats | None:
        """Return costs that fulfil all inequalities with the smallest sum of squared changes."""
        base = np.where(self._is_free, self._before, 0)
        lacks = np.array([bound - float(row @ base) for row, bound in self._inequalities()])
        rows = np.array([row for row, _ in self._inequalities()])
        squares, factors, change = (rows**2).sum(axis=1), np.zeros(len(rows)), np.zeros(len(base))
        for _ in range(SWEEPS):
            for i in np.flatnonzero(squares).tolist():
                step = max(-factors[i], (float(rows[i] @ change) - lacks[i]) / squares[i])
                factors[i] += step
                change -= step * rows[i]
        is_solved = (rows @ change <= lacks + MARGIN / 2).all()
        return self._rounded(np.where(self._is_free, base + change, np.nan)) if is_solved else None

    def _inequalities(self) -> Iterator[tuple[Floats, float]]:
        """Yield all inequalities, with those that keep costs between 0 and the greatest one."""
        yield from zip(self._rows, self._bounds, strict=True)
        used = np.flatnonzero(np.any(self._rows, axis=0)).tolist()
        for number in used:
            unit = np.zeros(len(self._before))
            unit[number] = 1
            yield -unit, 0.0
            yield unit, GREATEST

    def _rounded(self, costs: Floats) -> Floats:
        """Return the costs of penalties with two digits, rounded away from those before."""
        return np.array([_rounded_cost(*pair) for pair in zip(costs, self._before, strict=True)])

    def _changes(self, costs: Floats) -> list[PenaltyChange]:
        return [
            PenaltyChange(constraint.name, float(constraint.penalty), float(f"{math.exp(-cost):.3g}"))
            for constraint, cost, before in zip(self._constraints, costs, self._before, strict=True)
            if isinstance(constraint.penalty, float) and not math.isnan(cost) and cost != before
        ]


def _rounded_cost(cost: float, before: float) -> float:
    if math.isnan(cost) or abs(cost - before) < MARGIN / 10:
        return before
    penalty = math.exp(-cost)
    unit = 10.0 ** (math.floor(math.log10(penalty)) - 1)
    rounded = (math.floor if cost > before else math.ceil)(round(penalty / unit, 9)) * unit
    return -math.log(min(1.0, max(rounded, 1e-6)))


def tree_in(situation: Situation, heads: Sequence[int], labels: Sequence[str]) -> Tree:
    """Return a tree of whole words, given the label of each; raise KeyError for an unknown label."""
    numbers = situation.program.label_numbers
    return Tree((0, *heads), (0, *(numbers[label] for label in labels)))
