"""Code generation: formulas and penalties become operations, and their names numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.terms import (
    EDGE_OPERATIONS,
    EXTENTS,
    PREDICTOR_OPERATIONS,
    QUANTIFIERS,
    SET_OPERATIONS,
    SPELLING_OPERATIONS,
    Term,
    relation_of,
)
from treewhile.incremental.constraints.machine.attributes import (
    Affix,
    Column,
    Containing,
    column_of,
    values_column,
)
from treewhile.incremental.constraints.machine.kernels.operations import LEFT, RIGHT, SLOT, Op

JUMPS: Final = {"and": Op.JUMP_IF_FALSE, "or": Op.JUMP_IF_TRUE}
CONSTANTS: Final = frozenset({"number", "truth", "word"})


class Names:
    """Numbers of names: of directions, labels, and all names in constraints."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.numbers = {"left": LEFT, "right": RIGHT}
        pairs = [[self.number(name) for name in (label, relation_of(label))] for label in labels]
        self.of_labels = np.array(pairs, np.int32)  # [label, NameColumn]

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


class Code:
    """Code of terms, one after the other; equal terms share theirs."""

    def __init__(
        self,
        names: Names,
        labels: Sequence[str],
        columns: Sequence[Column],
        predictors: Sequence[str],
    ) -> None:
        self._names, self._labels = names, frozenset(labels)
        self._columns, self._predictors = columns, predictors
        self._numbers: dict[float, int] = {}
        self._sets: dict[frozenset[str], int] = {}
        self._lines: list[tuple[int, int, int]] = []
        self._starts: dict[Term, int] = {}
        self._levels = 0  # of loops, at most

    def start_of(self, term: Term) -> int:
        """Return the start of the code of a whole term."""
        if term not in self._starts:
            self._starts[term] = len(self._lines)
            self._emit(term)
            self._add(Op.END)
        return self._starts[term]

    def starts(self) -> Mapping[Term, int]:
        """Return the start of the code of each term."""
        return self._starts

    def lines(self) -> npt.NDArray[np.int32]:
        return np.array(self._lines or [(Op.END, 0, 0)], np.int32)

    def numbers(self) -> npt.NDArray[np.float64]:
        return np.array([*self._numbers, 0], np.float64)

    def members(self) -> npt.NDArray[np.uint8]:
        """Return members[set, name]: 1 for each name in a set."""
        members = np.zeros((len(self._sets), len(self._names.numbers)), np.uint8)
        for number, words in enumerate(self._sets):
            members[number, [self._names.numbers[word] for word in words]] = 1
        return members

    def columns_compared(self) -> set[int]:
        """Return the columns of attributes that are used other than in sets."""
        return {argument for operation, argument, _ in self._lines if operation == Op.ATTRIBUTE}

    def depth(self) -> int:
        """Return the maximum depth of the stack, with the numbers of loops at its end."""
        return max([1, *map(_depth, self._starts)]) + SLOT * self._levels

    # --- operations -----------------------------------------------------------------------------------------

    def _add(self, operation: Op, argument: int = 0, words: int = 0) -> None:
        self._lines.append((operation, argument, words))

    def _emit(self, term: Term) -> None:
        if term.operation in JUMPS:
            self._emit_chain(JUMPS[term.operation], term.operands)
        elif term.operation == "implies":
            self._emit(term.operands[0])
            self._emit_rest(Op.TRUE_IF_FALSE, term.operands[1])
        elif (attribute := _attribute_compared(term)) is not None:
            self._emit_attribute_in(attribute, _words_compared(term)[0])
        elif term.operation in QUANTIFIERS:
            self._emit_loop(term)
        elif term.operation == "meet":
            self._emit_values(*term.operands)
            self._emit_values(*term.operands[::-1])
            self._add(Op.MEET)
        else:
            for operand in term.operands:
                self._emit(operand)
            self._add(*self._instruction(term), len(EXTENTS) * term.value if term.operation == "bound" else 0)
            if term.operation in SPELLING_OPERATIONS:
                self._add(Op.EXISTS)

    def _emit_chain(self, jump: Op, operands: Sequence[Term]) -> None:
        self._emit(operands[0])
        for operand in operands[1:]:
            self._emit_rest(jump, operand)

    def _emit_rest(self, jump: Op, rest: Term) -> None:
        """Emit code that is skipped if the value on the stack already decides."""
        place = len(self._lines)
        self._add(jump)
        self._emit(rest)
        self._lines[place] = (jump, len(self._lines), 0)

    def _emit_loop(self, term: Term) -> None:
        """Emit the search for nodes, which counts those on which a formula holds, or stops at the first."""
        (start, formula), (extent, level) = term.operands, term.value
        where = len(EXTENTS) * level + [*EXTENTS].index(extent)
        self._levels = max(self._levels, 1 + level)
        self._emit(start)
        self._add(Op.EACH, 0, where)
        begin = len(self._lines)
        self._add(Op.ADVANCE)
        self._emit(formula)
        self._add(Op.TALLY if term.operation == "number_of" else Op.TALLY_FIRST, begin, where)
        self._lines[begin] = (Op.ADVANCE, len(self._lines), where)
        self._add(Op.COUNTED, 0, where)

    def _emit_values(self, term: Term, other: Term) -> None:
        self._emit(term.operands[0])
        self._add(Op.ATTRIBUTE, self._columns.index(values_column(term, other)))

    def _emit_attribute_in(self, attribute: Term, words: frozenset[str]) -> None:
        """Emit the test of an edge's attribute for membership in a set, as one operation."""
        (of,) = attribute.operands
        operation = Op.DEPENDENT_IN if of.operation == "dependent" else Op.HEAD_IN
        column = self._columns.index(str(attribute.value))
        self._add(operation, 2 * column + _edge_number(of.value), self._set(words))

    def _instruction(self, term: Term) -> tuple[Op, int]:
        if term.operation in CONSTANTS:
            value = float(self._names.number(term.value) if term.operation == "word" else term.value)
            return Op.PUSH, self._numbers.setdefault(value, len(self._numbers))
        if term.operation in (*SPELLING_OPERATIONS, "entry"):
            column = column_of(term)
            if isinstance(column, Affix | Containing):
                self._set(frozenset(column[1]))
            return Op.ATTRIBUTE, self._columns.index(column)
        return Op[term.operation.upper()], self._argument(term)

    def _argument(self, term: Term) -> int:
        if term.operation in EDGE_OPERATIONS:
            return _edge_number(term.value)
        if term.operation in SET_OPERATIONS:
            return self._set(self._labels if term.value is None else term.value)
        if term.operation == "between":
            edge, words = term.value
            return 2 * self._set(words) + _edge_number(edge)
        if term.operation == "attribute":
            return self._columns.index(str(term.value))
        if term.operation in PREDICTOR_OPERATIONS:
            return self._predictors.index(term.value)
        return 0

    def _set(self, words: frozenset[str]) -> int:
        for word in sorted(words):
            self._names.number(word)
        return self._sets.setdefault(words, len(self._sets))


def _edge_number(edge: Any) -> int:
    return int(edge == "Y")


def _attribute_compared(term: Term) -> Term | None:
    """Return the attribute of an end of an edge that the term compares with constants, if any."""
    ends = [
        operand
        for operand in term.operands
        if operand.operation == "attribute" and operand.operands[0].operation in ("dependent", "edge_head")
    ]
    return ends[0] if ends and _words_compared(term) else None


def _words_compared(term: Term) -> list[frozenset[str]]:
    """Return the set of constants in a comparison, in a list; an empty list if there is none."""
    if term.operation == "member":
        return [term.value]
    words = [operand.value for operand in term.operands if operand.operation == "word"]
    return [frozenset(words)] if term.operation == "same" and len(words) == 1 else []


def _depth(term: Term) -> int:
    return max([1, *(place + _depth(operand) for place, operand in enumerate(term.operands))])
