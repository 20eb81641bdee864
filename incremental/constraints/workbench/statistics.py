"""Statistics of constraints: how often their left sides hold in the trees of a treebank, and how often they
are broken.

The left side of `A -> B` is A, that of `A -> B -> C` is A and B; a formula without `->` applies to every
edge, or to every pair of edges in the relation of its constraint. It is judged as a constraint of its own, by
the same kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint, Kind, Relation, Term
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import ConflictColumn, Longs
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.workbench.judged_treebanks import (
    arrays_of,
    programs_of,
    situation_of,
)
from treewhile.incremental.treebanks.treebank import Sentence

EXAMPLES: Final = 3  # drawn for each constraint
SURE: Final = 5  # number of conflicts from which a constraint can be overshadowed

Counts = npt.NDArray[np.int64]


class Occurrence(NamedTuple):
    """Conflict in a sentence, both counted from 1; y is 0 for a constraint on one edge."""

    sentence: int
    x: int
    y: int


@dataclass
class ConstraintCounts:
    """Counts of one constraint in some trees."""

    cases: int = 0  # edges or pairs for which the left side holds
    broken: int = 0
    examples: list[Occurrence] = field(default_factory=list)  # drawn from all conflicts, in order
    shadows: set[int] | None = None  # constraints broken wherever this one is; None if it never is

    @property
    def share(self) -> float | None:
        """Share of the cases that are broken; None without cases."""
        return self.broken / self.cases if self.cases else None


def count(
    grammar: Grammar,
    sentences: Sequence[Sentence],
    labelled: Sequence[Sentence] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> list[ConstraintCounts]:
    """Return the counts of all constraints of a grammar in the trees of some sentences.

    Labels are those of these sentences and of other `labelled` ones.
    """
    program, probes = programs_of([grammar, left_sides(grammar)], [*sentences, *labelled])
    counter = _Counter(program, probes)
    for number, sentence in enumerate(sentences, 1):
        counter.add(number, sentence)
        advance(1)
    return counter.counts()


def is_judged(constraint: Constraint) -> bool:
    """Return whether a treebank suffices to judge a constraint."""
    return not constraint.predictors and not constraint.is_scored


# --- left sides ---------------------------------------------------------------------------------------------


def left_sides(grammar: Grammar) -> Grammar:
    """Return a grammar whose constraints are broken where the left sides of others hold."""
    return replace(grammar, name="left sides", constraints=tuple(map(_left_side, grammar.constraints)))


def _left_side(constraint: Constraint) -> Constraint:
    conditions = [*conditions_of(constraint.formula)]
    is_whole = not conditions and constraint.relation == Relation.OF_ANY_KIND
    if not conditions:
        formula = Term("truth", Kind.TRUTH, value=is_whole)  # such pairs are all pairs: they need no judge
    else:
        both = conditions[0] if len(conditions) == 1 else Term("and", Kind.TRUTH, tuple(conditions))
        formula = Term("not", Kind.TRUTH, (both,))
    return replace(constraint, penalty=None, formula=formula, message=None)


def conditions_of(formula: Term) -> Iterator[Term]:
    """Yield the conditions on the left of each `->` of a formula, one by one."""
    while formula.operation == "implies":
        left, formula = formula.operands
        yield from left.operands if left.operation == "and" else (left,)


# --- counting -----------------------------------------------------------------------------------------------


class _Counter:
    def __init__(self, program: Program, probes: Program) -> None:
        self._program, self._probes = program, probes
        constraints = program.grammar.constraints
        self._cases, self._broken = np.zeros((2, len(constraints)), np.int64)
        self._found = [ConstraintCounts() for _ in constraints]
        self._rng = Random(1)
        self._pairs = 0
        self._is_judged = np.array([*map(is_judged, constraints)], np.int64)
        self._of_any_kind = np.array([_is_for_all_pairs(one) for one in constraints], np.bool_)

    def add(self, number: int, sentence: Sentence) -> None:
        """Count the conflicts of a sentence."""
        situation, tree = situation_of(self._program, sentence), arrays_of(self._program, sentence)
        rows = conflicts_in(situation, tree)
        self._broken += self._by_constraint(rows)
        self._cases += self._by_constraint(conflicts_in(situation, tree, self._probes))
        n = len(sentence.words)
        self._pairs += n * (n - 1) // 2
        self._keep(number, rows[:, : ConflictColumn.COST].tolist())

    def _by_constraint(self, rows: Longs) -> Counts:
        return np.bincount(rows[:, ConflictColumn.CONSTRAINT], minlength=len(self._found))

    def _keep(self, number: int, conflicts: Iterable[Sequence[int]]) -> None:
        """Draw examples of conflicts, each with the same probability, and note what is broken beside them."""
        broken_at: dict[int, set[int]] = {}
        for constraint, x, _ in conflicts:
            broken_at.setdefault(x, set()).add(constraint)
        for constraint, x, y in conflicts:
            of = self._found[constraint]
            of.broken += 1
            others = broken_at[x] - {constraint}
            of.shadows = others if of.shadows is None else of.shadows & others
            place = len(of.examples) if len(of.examples) < EXAMPLES else self._rng.randrange(of.broken)
            if place < EXAMPLES:
                of.examples[place : place + 1] = [Occurrence(number, x, y)]

    def counts(self) -> list[ConstraintCounts]:
        cases = np.where(self._of_any_kind, self._pairs, self._cases) * self._is_judged
        for of, number in zip(self._found, cases.tolist(), strict=True):
            of.cases = number
            of.examples.sort()
        return self._found


def _is_for_all_pairs(constraint: Constraint) -> bool:
    return constraint.relation == Relation.OF_ANY_KIND and constraint.formula.operation != "implies"


# --- verdicts -----------------------------------------------------------------------------------------------


def verdict(grammar: Grammar, number: int, gold: ConstraintCounts, parsed: ConstraintCounts | None) -> str:
    """Return a judgement on one of the constraints, or nothing if it is sound."""
    constraint, system = grammar.constraints[number], parsed or gold
    if not is_judged(constraint):
        return "not judged: it asks other parsers"
    if not gold.cases and not system.cases:
        return "dead: it never applies"
    if not gold.broken and not system.broken:
        return "never broken"
    if parsed is not None and _is_clearly_more(gold.broken, parsed.broken):
        return "misleading: gold trees break it more often"
    shadow = next((one for one in sorted(system.shadows or ()) if _outweighs(grammar, one, number)), None)
    if shadow is not None and system.broken >= SURE:
        return f"overshadowed by {grammar.constraints[shadow].name!r}"
    if parsed is not None and _is_clearly_more(parsed.broken, gold.broken):
        return "decisive: the parser's trees break it more often"
    return ""


def _is_clearly_more(one: int, other: int) -> bool:
    """Return whether a count exceeds another one by more than two standard deviations of the difference."""
    return one - other > 2 * math.sqrt(one + other)


def _outweighs(grammar: Grammar, one: int, other: int) -> bool:
    """Return whether the penalty of one constraint is known to be at least as hard as that of another."""
    penalties = [grammar.constraints[number].penalty for number in (one, other)]
    hard, soft = (penalty if isinstance(penalty, float) else None for penalty in penalties)
    return hard is not None and soft is not None and hard <= soft


def words_of(occurrence: Occurrence, heads: Sequence[str]) -> list[int]:
    """Return the words at the ends of the edges of a conflict, in order, given the column HEAD."""
    dependents = [occurrence.x, *([occurrence.y] if occurrence.y else [])]
    ends = {end for word in dependents for end in (word, int(heads[word - 1]))}
    return sorted(ends - {0})
