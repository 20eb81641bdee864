"""Turns a grammar into arrays for the labels of a model: code for a small stack machine, and lists.

Most constraints say nothing of most labels: `X.relation = det -> ...` holds whatever the edge, unless its
label is det. So each formula is evaluated beforehand with nothing known but labels, in Kleene's three-valued
logic, for all labels of X and Y at once; and lists say for each label, and each pair of labels in a relation,
which constraints are left, and what is left of their formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import (
    ARITHMETIC,
    LABELLED,
    LOGIC,
    SPELLING_OPERATIONS,
    Affix,
    Constraint,
    Relation,
    Term,
    affix_of,
)
from treewhile.incremental.constraints.machine.costs import constant_cost
from treewhile.incremental.constraints.machine.kernels.operations import Op
from treewhile.incremental.constraints.machine.kernels.records import SCORED, ProgramArrays
from treewhile.incremental.constraints.machine.spellings import attribute_of
from treewhile.oracles.errors import InputError

Array = npt.NDArray[Any]

TAG: Final = "tag"  # the attribute of every grammar, the first one
MOST_SPELLINGS: Final = 1 << 13  # words with tags and features whose numbers are remembered
MOST_PREDICTORS: Final = 1 << 4  # combinations of them for which it is remembered what can be judged

FALSE, UNKNOWN, TRUE = 0, 1, 2  # so `and` is the minimum, `or` the maximum, and `not` what is missing to 2

JUMPS: Final = {"and": Op.JUMP_IF_FALSE, "or": Op.JUMP_IF_TRUE}
CONSTANTS: Final = frozenset({"number", "truth", "word"})
ON_EDGES: Final = frozenset(
    {
        *("dependent", "edge_head", "edge_label", "edge_relation", "distance", "direction", "probability"),
        *("head_probability", "label_probability", "future_probability", "covers_outsider"),
    }
)
ON_SETS: Final = frozenset({"has", "count", "under", "member"})
ON_PREDICTORS: Final = frozenset(
    {"prediction_exists", "predicted_head", "predicted_label", "predicted_relation"}
)


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
        return {label: (numbers[label], numbers[label.partition(":")[0]]) for label in self.labels}

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
            if isinstance(constraint.penalty, Term) and _is_for_all(constraint)
        )


def _is_for_all(constraint: Constraint) -> bool:
    """Whether every edge is a conflict, but for those of unused nodes perhaps."""
    formula = constraint.formula
    is_false = formula.operation == "truth" and not formula.value
    is_unused = formula.operation == "is_unused" and formula.operands[0].operation == "edge_head"
    return constraint.is_alone and (is_false or is_unused)


def compile_grammar(grammar: Grammar, labels: Sequence[str]) -> Program:
    """The program of a grammar for an inventory of labels."""
    if not labels or len({*labels}) < len(labels):
        raise InputError("a grammar is compiled for labels that differ from each other: give one at least")
    compiler = _Compiler(grammar, tuple(labels))
    return Program(grammar, compiler.labels, compiler.columns, compiler.names, compiler.arrays())


class _Compiler:
    def __init__(self, grammar: Grammar, labels: tuple[str, ...]) -> None:
        self.labels = labels
        asked = {name for constraint in grammar.constraints for name in constraint.attributes}
        affixes = {affix for constraint in grammar.constraints for affix in constraint.affixes}
        self.columns: tuple[str | Affix, ...] = (TAG, *sorted(asked - {TAG}), *sorted(affixes))
        self.names = {name: number for number, name in enumerate(("left", "right"))}
        self._constraints = grammar.constraints
        self._predictors = grammar.predictors
        self._numbers: dict[float, int] = {}
        self._sets: dict[frozenset[str], int] = {}
        self._code: list[tuple[int, int, int]] = []
        self._starts: dict[Term, int] = {}
        pairs = [[self._name(name) for name in (label, label.partition(":")[0])] for label in labels]
        self._label_names = np.array(pairs, np.int32)

    def arrays(self) -> ProgramArrays:
        formulas = [self._compiled(constraint.formula) for constraint in self._constraints]
        penalties = [
            self._compiled(constraint.penalty) if isinstance(constraint.penalty, Term) else -1
            for constraint in self._constraints
        ]
        costs = [
            0 if isinstance(constraint.penalty, Term) else constant_cost(constraint.penalty)
            for constraint in self._constraints
        ]
        lists, listed, pair_relations = _lists(
            self._constraints, len(self.labels), self._activity, self._left
        )
        members = self._members()
        return ProgramArrays(
            code=np.array(self._code or [(0, 0, 0)], np.int32),
            numbers=np.array([*self._numbers, 0], np.float64),
            members=members,
            label_members=members[:, self._label_names].max(axis=2),
            label_names=self._label_names,
            formula=np.array(formulas, np.int32),
            penalty=np.array(penalties, np.int32),
            cost=np.array(costs, np.int64),
            relation=np.array([constraint.relation for constraint in self._constraints], np.int64),
            is_contextual=np.array([constraint.is_contextual for constraint in self._constraints], np.uint8),
            lists=lists,
            listed=listed,
            pair_relations=pair_relations,
            alike=self.alike(),
            depth=max([1, *(map(_depth, self._terms()))]),
        )

    def _terms(self) -> Iterator[Term]:
        """All formulas, and the penalties that are computed."""
        for constraint in self._constraints:
            yield constraint.formula
            if isinstance(constraint.penalty, Term):
                yield constraint.penalty

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def _set(self, words: frozenset[str]) -> int:
        for word in sorted(words):
            self._name(word)
        return self._sets.setdefault(words, len(self._sets))

    def _members(self) -> npt.NDArray[np.uint8]:
        members = np.zeros((len(self._sets), len(self.names)), np.uint8)
        for number, words in enumerate(self._sets):
            members[number, [self.names[word] for word in words]] = 1
        return members

    # --- code -----------------------------------------------------------------------------------------------

    def _compiled(self, term: Term) -> int:
        """Where the code of a whole term begins."""
        if term not in self._starts:
            self._starts[term] = len(self._code)
            self._emit(term)
            self._add(Op.END)
        return self._starts[term]

    def _add(self, operation: Op, argument: int = 0, words: int = 0) -> None:
        self._code.append((operation, argument, words))

    def _emit(self, term: Term) -> None:
        if term.operation in JUMPS:
            self._emit_chain(JUMPS[term.operation], term.operands)
        elif term.operation == "implies":
            self._emit(term.operands[0])
            self._emit_rest(Op.TRUE_IF_FALSE, term.operands[1])
        elif (attribute := _attribute_compared(term)) is not None:
            (of,), (words,) = attribute.operands, _words_compared(term)
            operation = Op.DEPENDENT_IN if of.operation == "dependent" else Op.HEAD_IN
            column = self.columns.index(str(attribute.value))
            self._add(operation, 2 * column + int(of.value == "Y"), self._set(words))
        else:
            for operand in term.operands:
                self._emit(operand)
            self._add(*self._instruction(term))
            if term.operation in SPELLING_OPERATIONS:
                self._add(Op.EXISTS)

    def _emit_chain(self, jump: Op, operands: Sequence[Term]) -> None:
        self._emit(operands[0])
        for operand in operands[1:]:
            self._emit_rest(jump, operand)

    def _emit_rest(self, jump: Op, rest: Term) -> None:
        """Code that is jumped over where what stands on the stack decides already."""
        place = len(self._code)
        self._add(jump)
        self._emit(rest)
        self._code[place] = (jump, len(self._code), 0)

    def _instruction(self, term: Term) -> tuple[Op, int]:
        if term.operation in CONSTANTS:
            value = float(self._name(term.value) if term.operation == "word" else term.value)
            return Op.PUSH, self._numbers.setdefault(value, len(self._numbers))
        if term.operation in SPELLING_OPERATIONS:
            self._set(term.value)
            return Op.ATTRIBUTE, self.columns.index(affix_of(term))
        return Op[term.operation.upper()], self._argument(term)

    def _argument(self, term: Term) -> int:
        if term.operation in ON_EDGES:
            return int(term.value == "Y")
        if term.operation in ON_SETS:
            return self._set(frozenset(self.labels) if term.value is None else term.value)
        if term.operation == "between":
            edge, words = term.value
            return 2 * self._set(words) + int(edge == "Y")
        if term.operation == "attribute":
            return self.columns.index(str(term.value))
        if term.operation in ON_PREDICTORS:
            return self._predictors.index(term.value)
        return 0

    # --- what labels decide ---------------------------------------------------------------------------------

    @cached_property
    def _activity(self) -> list[npt.NDArray[np.bool_]]:
        """For each constraint [label of X, label of Y]: whether there may be a conflict."""
        return [*map(self._is_active, self._constraints)]

    def _is_active(self, constraint: Constraint) -> npt.NDArray[np.bool_]:
        is_single, count = constraint.relation == Relation.ONE_EDGE, len(self.labels)
        active = np.not_equal(self._truth(constraint.formula), TRUE)
        return np.broadcast_to(active, (count, 1) if is_single else (count, count))

    @cached_property
    def _left(self) -> list[npt.NDArray[np.int32]]:
        """For each constraint [label of X, label of Y]: where what is left of its formula begins."""
        return [*map(self._starts_left, self._constraints, self._activity)]

    def _starts_left(self, constraint: Constraint, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        formula = constraint.formula
        starts = np.full(active.shape, self._compiled(formula), np.int32)
        truths = self._decided(formula)
        if not truths or any(part.operation in ARITHMETIC for part in formula.parts()):
            return starts  # nothing may be left out that perhaps cannot be computed
        told = np.array([np.broadcast_to(truth, active.shape)[active] for truth in truths.values()])
        patterns, places = np.unique(told, axis=1, return_inverse=True)
        left = [
            self._compiled(_left_of(formula, dict(zip(truths, pattern, strict=True))))
            for pattern in patterns.T.tolist()
        ]
        starts[active] = np.array(left, np.int32)[places.ravel()]
        return starts

    def _decided(self, formula: Term) -> dict[Term, Array]:
        """The truth by labels of the comparisons in a formula that labels decide."""
        comparisons = [part for part in formula.parts() if part.operation in ("same", "member")]
        truths = {part: self._compared(part) for part in comparisons}
        return {part: truth for part, truth in truths.items() if truth.size > 1}

    def alike(self) -> npt.NDArray[np.int32]:
        """Which labels constraints on one edge do not tell apart, as `kernels.fill_costs` reads it."""
        groups = [
            (number, self._left[number][group[1] if len(group) > 1 else 0, 0], *group)
            for number, constraint in enumerate(self._constraints)
            if constraint.is_alone and constraint.reads_labels
            for group in self._groups(number, constraint)
        ]
        rows = np.zeros((len(groups), 3 + len(self.labels)), np.int32)
        for row, group in zip(rows, groups, strict=True):
            row[: len(group)] = group
        return rows

    def _groups(self, number: int, constraint: Constraint) -> list[list[int]]:
        predictor = _predictor_of_label(constraint)
        if _is_label_scored(constraint):
            return [[SCORED]]
        if predictor is not None and self._activity[number].all():
            return [[-1 - self._predictors.index(predictor)]]
        classes = self._classes(constraint, np.flatnonzero(self._activity[number]))
        return [[len(labels), *labels] for labels in classes]

    def _classes(self, constraint: Constraint, labels: npt.NDArray[np.intp]) -> list[list[int]]:
        """The labels parted into those that a constraint does not tell apart."""
        told = np.array([*self._told_apart(constraint)])
        classes = dict[tuple[int, ...], list[int]]()
        for label in labels.tolist():
            classes.setdefault(tuple(told[:, label].tolist()), []).append(label)
        return [*classes.values()]

    def _told_apart(self, constraint: Constraint) -> Iterator[Array]:
        """Numbers for labels: those for which all of them are the same make no difference to a constraint."""
        yield np.zeros(len(self.labels), np.int64)
        terms = [constraint.formula]
        if isinstance(constraint.penalty, Term):
            terms.append(constraint.penalty)
        while terms:
            term = terms.pop()
            if term.operation in LABELLED:
                yield np.arange(len(self.labels))
            elif term.operation in ("same", "member") and (truth := self._compared(term)).shape[0] > 1:
                yield truth[:, 0]
            else:
                terms += term.operands

    def _truth(self, term: Term) -> Array:
        """FALSE, UNKNOWN or TRUE by labels, in a shape that broadcasts."""
        operands = term.operands
        match term.operation:
            case "truth":
                return np.full((1, 1), TRUE if term.value else FALSE)
            case "not":
                return _negated(self._truth(operands[0]))
            case "and":
                return reduce(np.minimum, map(self._truth, operands))
            case "or":
                return reduce(np.maximum, map(self._truth, operands))
            case "implies":
                return np.maximum(_negated(self._truth(operands[0])), self._truth(operands[1]))
            case "equivalent":
                a, b = map(self._truth, operands)
                return np.maximum(np.minimum(a, b), np.minimum(_negated(a), _negated(b)))
            case "same" | "member":
                return self._compared(term)
        return np.full((1, 1), UNKNOWN)

    def _compared(self, term: Term) -> Array:
        names = [found for operand in term.operands if (found := self._known_names(operand)) is not None]
        if len(names) < len(term.operands):
            return np.full((1, 1), UNKNOWN)
        if term.operation == "member":
            is_true = np.isin(names[0], [self.names[word] for word in term.value])
        else:
            is_true = np.equal(names[0], names[1])
        return np.where(is_true, TRUE, FALSE)

    def _known_names(self, term: Term) -> Array | None:
        """The numbers of a name that labels decide."""
        if term.operation == "word":
            return np.full((1, 1), self._name(term.value))
        if term.operation not in ("edge_label", "edge_relation"):
            return None
        column = self._label_names[:, int(term.operation == "edge_relation")]
        return column[:, None] if term.value == "X" else column[None, :]


def _is_label_scored(constraint: Constraint) -> bool:
    """Whether what it costs is the probability of the label, for every edge of what is not unused."""
    penalty = constraint.penalty
    return _is_for_all(constraint) and isinstance(penalty, Term) and penalty.operation == "label_probability"


def _predictor_of_label(constraint: Constraint) -> str | None:
    """The predictor that it asks for the label of X, if that is all it asks of the label."""
    comparisons = [
        {operand.operation: operand for operand in part.operands}
        for part in constraint.parts
        if part.operation == "same"
    ]
    asked = [of.get("predicted_label") for of in comparisons if "edge_label" in of]
    is_all = sum(part.operation in LABELLED for part in constraint.parts) == 1
    if not is_all or len(asked) != 1 or asked[0] is None or asked[0].operands[0].operation != "dependent":
        return None
    return str(asked[0].value)


def _attribute_compared(term: Term) -> Term | None:
    """The attribute of an end of an edge, if the term compares that with constants."""
    ends = [
        operand
        for operand in term.operands
        if operand.operation == "attribute" and operand.operands[0].operation in ("dependent", "edge_head")
    ]
    return ends[0] if ends and _words_compared(term) else None


def _words_compared(term: Term) -> list[frozenset[str]]:
    """The set of constants with which a term compares something."""
    if term.operation == "member":
        return [term.value]
    words = [operand.value for operand in term.operands if operand.operation == "word"]
    return [frozenset(words)] if term.operation == "same" and len(words) == 1 else []


def _left_of(term: Term, truths: Mapping[Term, int]) -> Term:
    """What is left to compute where the truth of some comparisons is known."""
    if term in truths:
        return Term("truth", term.kind, value=truths[term] == TRUE)
    if term.operation not in LOGIC:
        return term
    operands = [_left_of(operand, truths) for operand in term.operands]
    if term.operation == "implies":
        operands = [_not(operands[0]), operands[1]]
    if term.operation in ("and", "or", "implies"):
        return _joined(replace(term, operation="and" if term.operation == "and" else "or"), operands)
    if term.operation == "not":
        return _not(operands[0])
    return _equivalent(term, *operands)


def _joined(term: Term, operands: Sequence[Term]) -> Term:
    """The conjunction or disjunction of some terms, without those that do not matter."""
    matters = term.operation == "and"
    if any(_is(operand, not matters) for operand in operands):
        return Term("truth", term.kind, value=not matters)
    left = tuple(operand for operand in operands if not _is(operand, matters))
    if not left:
        return Term("truth", term.kind, value=matters)
    return left[0] if len(left) == 1 else replace(term, operands=left)


def _equivalent(term: Term, a: Term, b: Term) -> Term:
    for one, other in ((a, b), (b, a)):
        if one.operation == "truth":
            return other if one.value else _not(other)
    return replace(term, operands=(a, b))


def _not(term: Term) -> Term:
    if term.operation == "truth":
        return replace(term, value=not term.value)
    return term.operands[0] if term.operation == "not" else Term("not", term.kind, (term,))


def _is(term: Term, truth: bool) -> bool:
    return term.operation == "truth" and term.value == truth


def _negated(truth: Array) -> Array:
    return np.subtract(TRUE, truth)


def _depth(term: Term) -> int:
    """How many values stand on the stack at once, at most."""
    return max([1, *(place + _depth(operand) for place, operand in enumerate(term.operands))])


def _lists(
    constraints: Sequence[Constraint],
    labels: int,
    activity: Sequence[npt.NDArray[np.bool_]],
    left: Sequence[npt.NDArray[np.int32]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """The lists of constraints as the kernels number them, one after the other, and relations by labels."""
    pairs = labels * labels
    count = 1 + 2 * labels + 8 * pairs
    used, listed = [np.zeros(0, np.intp)], list[tuple[int, int]]()
    relations = np.zeros((2, labels, labels), np.uint8)
    for number, (constraint, active) in enumerate(zip(constraints, activity, strict=True)):
        if constraint.relation != Relation.ONE_EDGE:
            kind = 4 * constraint.is_contextual + constraint.relation - 1
            places = 1 + 2 * labels + kind * pairs + np.flatnonzero(active)
            relations[int(constraint.is_contextual)][active] |= 1 << constraint.relation
        elif constraint.is_contextual or constraint.reads_labels:
            places = 1 + labels * constraint.is_contextual + np.flatnonzero(active)
        else:
            places = np.zeros(int(active.any()), np.intp)
        used.append(places)
        listed += [(number, start) for start in left[number][active][: len(places)].tolist()]
    places, entries = np.concatenate(used), np.array(listed, np.int32).reshape(-1, 2)
    order = np.argsort(places, kind="stable")
    return np.searchsorted(places[order], np.arange(count + 1)), entries[order], relations
