"""Programs: grammars for the labels of a model, as arrays that the kernels read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.crossings import with_crossings
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Affix, Constraint, Term, relation_of
from treewhile.incremental.constraints.machine.code import Code, Names
from treewhile.incremental.constraints.machine.costs import constant_cost
from treewhile.incremental.constraints.machine.kernels.records import ProgramArrays
from treewhile.incremental.constraints.machine.label_lists import LabelLists
from treewhile.incremental.constraints.machine.label_truth import LabelTruth
from treewhile.incremental.constraints.machine.spellings import attribute_of
from treewhile.oracles.errors import InputError

TAG: Final = "tag"  # the attribute of every grammar, the first one
MOST_SPELLINGS: Final = 1 << 13  # words with tags and features whose numbers are remembered
MOST_PREDICTORS: Final = 1 << 4  # combinations of them for which it is remembered what can be judged


class Numbered(NamedTuple):
    """The attributes of a word in the order of columns: numbers of names, -1 where there is none.

    They are the bytes of a row, which rows of other words are joined to at once. `others` are columns with
    names that the grammar does not mention.
    """

    row: bytes
    others: tuple[tuple[int, str], ...]


@dataclass(frozen=True, eq=False)
class Program:
    """A grammar for the labels of a model, compiled."""

    grammar: Grammar
    labels: tuple[str, ...]
    columns: tuple[str | Affix, ...]  # of attributes of nodes
    name_numbers: dict[str, int]
    arrays: ProgramArrays

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def label_names(self) -> dict[str | None, tuple[int, int]]:
        """The numbers of the names of each label and its relation."""
        numbers = self.name_numbers
        return {label: (numbers[label], numbers[relation_of(label)]) for label in self.labels}

    @property
    def predictors(self) -> tuple[str, ...]:
        return self.grammar.predictors

    @cached_property
    def no_attributes(self) -> bytes:
        """The row of a node that has none."""
        return np.full(len(self.columns), -1, np.int32).tobytes()

    @cached_property
    def numbered(self) -> Callable[[str, str, str], Numbered]:
        """The attributes of a word with a tag and features, remembered for when it comes again."""
        return lru_cache(MOST_SPELLINGS)(self._numbered)

    def _numbered(self, word: str, tag: str, features: str) -> Numbered:
        values = [attribute_of(name, word, tag, features) for name in self.columns]
        numbers = [-1 if value is None else self.name_numbers.get(value, -1) for value in values]
        others = [
            (column, value)
            for column, value in enumerate(values)
            if value is not None and value not in self.name_numbers
        ]
        return Numbered(np.array(numbers, np.int32).tobytes(), tuple(others))

    def judged(self, predictors: Collection[str], is_scored: bool) -> npt.NDArray[np.uint8]:
        """For each constraint whether it can be judged where some predictors and the arc scorer are there."""
        return self._judged(tuple(name in predictors for name in self.predictors), is_scored)

    @cached_property
    def _judged(self) -> Callable[[tuple[bool, ...], bool], npt.NDArray[np.uint8]]:
        return lru_cache(MOST_PREDICTORS)(self._newly_judged)

    def _newly_judged(self, are_there: tuple[bool, ...], is_scored: bool) -> npt.NDArray[np.uint8]:
        asks_predictors, asks_scorer = self._asked
        is_missing = ~np.array(are_there, np.bool_)
        lacks = (asks_predictors & is_missing).any(axis=1) | (asks_scorer & (not is_scored))
        return (~lacks).astype(np.uint8)

    @cached_property
    def _asked(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        constraints = self.grammar.constraints
        asked = [[name in constraint.predictors for name in self.predictors] for constraint in constraints]
        of_predictors = np.array(asked, np.bool_).reshape(len(constraints), len(self.predictors))
        return of_predictors, np.array([constraint.is_scored for constraint in constraints], np.bool_)

    @cached_property
    def weights(self) -> Mapping[str, int]:
        """By an operation that asks the scorer, how many constraints have that as penalty for every edge."""
        return Counter(
            constraint.penalty.operation
            for constraint in self.grammar.constraints
            if isinstance(constraint.penalty, Term) and constraint.is_for_all
        )


# --- compiling ----------------------------------------------------------------------------------------------


def compile_grammar(grammar: Grammar, labels: Sequence[str], edges_may_cross: bool = False) -> Program:
    """The program of a grammar for an inventory of labels, and for trees whose edges may cross or may not."""
    if not labels or len({*labels}) < len(labels):
        raise InputError("a grammar is compiled for labels that differ from each other: give one at least")
    grammar = with_crossings(grammar, edges_may_cross)
    columns, names = _columns(grammar.constraints), Names(labels)
    code = Code(names, labels, columns, grammar.predictors)
    arrays = _arrays(grammar, len(labels), names, code)
    return Program(grammar, tuple(labels), columns, names.numbers, arrays)


def _columns(constraints: Sequence[Constraint]) -> tuple[str | Affix, ...]:
    """What constraints ask of words."""
    asked = {name for constraint in constraints for name in constraint.attributes}
    affixes = {affix for constraint in constraints for affix in constraint.affixes}
    return (TAG, *sorted(asked - {TAG}), *sorted(affixes))


def _arrays(grammar: Grammar, labels: int, names: Names, code: Code) -> ProgramArrays:
    constraints = grammar.constraints
    formulas = [code.start_of(constraint.formula) for constraint in constraints]
    penalties = [_penalty_start(constraint, code) for constraint in constraints]
    by_label = LabelLists(constraints, grammar.predictors, labels, LabelTruth(names), code)
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
    """Where the code of a penalty begins that is computed, -1 for others."""
    return code.start_of(constraint.penalty) if isinstance(constraint.penalty, Term) else -1


def _known_cost(constraint: Constraint) -> int:
    """The cost of a penalty that is not computed, 0 for others."""
    return 0 if isinstance(constraint.penalty, Term) else constant_cost(constraint.penalty)
