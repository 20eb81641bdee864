"""Programs: grammars compiled for the labels of a model, as arrays for the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.adaptations import with_crossings
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint, Term
from treewhile.incremental.constraints.machine.attributes import Asked, columns_of
from treewhile.incremental.constraints.machine.code import Code, Names
from treewhile.incremental.constraints.machine.costs import constant_cost
from treewhile.incremental.constraints.machine.kernels.records import (
    EVERYWHERE,
    IN_USE,
    UNJUDGED,
    ProgramArrays,
)
from treewhile.incremental.constraints.machine.label_lists import LabelLists
from treewhile.oracles.errors import InputError

MOST_PREDICTORS: Final = 1 << 4  # number of combinations of predictors whose judged constraints are cached


@dataclass(frozen=True, eq=False)
class Program:
    """Grammar compiled for the labels of a model; several programs may share `asked`."""

    grammar: Grammar
    asked: Asked
    arrays: ProgramArrays

    @property
    def labels(self) -> tuple[str, ...]:
        return self.asked.labels

    @property
    def label_numbers(self) -> dict[str, int]:
        return self.asked.label_numbers

    def judged(self, predictors: Collection[str], is_scored: bool) -> npt.NDArray[np.uint8]:
        """Return for each constraint where it is judged, given the predictors and whether arcs are scored."""
        return self._judged(tuple([name in predictors for name in self.asked.predictors]), is_scored)

    @cached_property
    def _judged(self) -> Callable[[tuple[bool, ...], bool], npt.NDArray[np.uint8]]:
        return lru_cache(MOST_PREDICTORS)(self._newly_judged)

    def _newly_judged(self, are_there: tuple[bool, ...], is_scored: bool) -> npt.NDArray[np.uint8]:
        asks_predictors, asks_scorer = self._asked
        is_missing = ~np.array(are_there, np.bool_)
        lacks = (asks_predictors & is_missing).any(axis=1) | (asks_scorer & (not is_scored))
        return np.where(lacks, UNJUDGED, self._where_judged).astype(np.uint8)

    @cached_property
    def _where_judged(self) -> npt.NDArray[np.uint8]:
        constraints = self.grammar.constraints
        where = [EVERYWHERE if constraint.judges_unused else IN_USE for constraint in constraints]
        return np.array(where, np.uint8)

    @cached_property
    def _asked(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        constraints, predictors = self.grammar.constraints, self.asked.predictors
        asked = [[name in constraint.predictors for name in predictors] for constraint in constraints]
        of_predictors = np.array(asked, np.bool_).reshape(len(constraints), len(predictors))
        return of_predictors, np.array([constraint.is_scored for constraint in constraints], np.bool_)

    @cached_property
    def weights(self) -> Mapping[str, int]:
        """Number of constraints with an operation of the scorer as penalty for every edge, by operation."""
        return Counter(
            constraint.penalty.operation
            for constraint in self.grammar.constraints
            if isinstance(constraint.penalty, Term) and constraint.is_for_all
        )


# --- compiling ----------------------------------------------------------------------------------------------


def compile_grammar(grammar: Grammar, labels: Sequence[str], edges_may_cross: bool = False) -> Program:
    """Return the program of a grammar for an inventory of labels, and for trees with or without crossings."""
    return compile_grammars([grammar], labels, edges_may_cross)[0]


def compile_grammars(
    grammars: Sequence[Grammar], labels: Sequence[str], edges_may_cross: bool = False
) -> list[Program]:
    """Return the programs of some grammars that judge the same words, with shared attributes."""
    if not labels or len({*labels}) < len(labels):
        raise InputError("a grammar is compiled for labels that differ from each other: give one at least")
    grammars = [with_crossings(grammar, edges_may_cross) for grammar in grammars]
    names = Names(labels)
    columns = columns_of([constraint for grammar in grammars for constraint in grammar.constraints])
    predictors = tuple(sorted({name for grammar in grammars for name in grammar.predictors}))
    codes = [Code(names, labels, columns, predictors) for _ in grammars]
    arrays = [_arrays(*pair, predictors, labels, names) for pair in zip(grammars, codes, strict=True)]
    compared = frozenset(columns[number] for code in codes for number in code.columns_compared())
    asked = Asked(tuple(labels), columns, compared, predictors, names.numbers)
    return [Program(grammar, asked, made) for grammar, made in zip(grammars, arrays, strict=True)]


def _arrays(
    grammar: Grammar, code: Code, predictors: Sequence[str], labels: Sequence[str], names: Names
) -> ProgramArrays:
    constraints = grammar.constraints
    formulas = [code.start_of(constraint.formula) for constraint in constraints]
    penalties = [_penalty_start(constraint, code) for constraint in constraints]
    by_label = LabelLists(constraints, predictors, labels, code)
    lists, alike = by_label.lists(), by_label.alike()
    members = code.members()
    return ProgramArrays(
        code=code.lines(),
        numbers=code.numbers(),
        members=members,
        label_members=members[:, names.of_labels].max(axis=2),
        label_names=names.of_labels,
        formula=np.array(formulas, np.int32),
        penalty=np.array(penalties, np.int32),
        cost=np.array([_known_cost(constraint) for constraint in constraints], np.int64),
        relation=np.array([constraint.relation for constraint in constraints], np.int64),
        is_contextual=np.array([constraint.is_contextual for constraint in constraints], np.uint8),
        lists=lists.bounds,
        listed=lists.listed,
        pair_relations=lists.pair_relations,
        alike=alike,
        depth=code.depth(),
    )


def _penalty_start(constraint: Constraint, code: Code) -> int:
    """Return the start of the code of a computed penalty, -1 for others."""
    return code.start_of(constraint.penalty) if isinstance(constraint.penalty, Term) else -1


def _known_cost(constraint: Constraint) -> int:
    """Return the cost of a constant penalty, 0 for others."""
    return 0 if isinstance(constraint.penalty, Term) else constant_cost(constraint.penalty)
