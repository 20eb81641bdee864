"""Ranges of the numbers that terms can be, and comparisons that these decide."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.terms import SCORED, Term

COUNTS: Final = frozenset({"distance", "distance_of", "count", "number_of", "position"})


class Range(NamedTuple):
    """Numbers from a least to a greatest one, both included."""

    least: float = -inf
    greatest: float = inf

    def __str__(self) -> str:
        if self.least == self.greatest:
            return f"{self.least:g}"
        if self.greatest == inf:
            return "any number" if self.least == -inf else f"at least {self.least:g}"
        if self.least == -inf:
            return f"at most {self.greatest:g}"
        return f"from {self.least:g} to {self.greatest:g}"


def range_of(term: Term) -> Range:
    """Return a range in which the number of a term lies, if it has one."""
    if term.operation == "number":
        return Range(term.value, term.value)
    if term.operation in COUNTS:
        return Range(0)
    if term.operation in SCORED:
        return Range(0, 1)
    return _computed(term.operation, [range_of(operand) for operand in term.operands])


def _computed(operation: str, of: list[Range]) -> Range:
    match operation:
        case "add":
            return Range(of[0].least + of[1].least, of[0].greatest + of[1].greatest)
        case "subtract":
            return Range(of[0].least - of[1].greatest, of[0].greatest - of[1].least)
        case "negative":
            return Range(-of[0].greatest, -of[0].least)
        case "multiply":
            products = [a * b if a and b else 0.0 for a, b in product(*of)]
            return Range(min(products), max(products))
        case "minimum" | "maximum":
            choose = min if operation == "minimum" else max
            return Range(choose(one.least for one in of), choose(one.greatest for one in of))
        case "absolute":
            (one,) = of
            return Range(max(one.least, -one.greatest, 0.0), max(-one.least, one.greatest))
    return Range()


def may_be_zero(term: Term) -> bool:
    least, greatest = range_of(term)
    return least <= 0 <= greatest


def never_holds(sign: str, left: Term, right: Term) -> bool:
    """Return whether a comparison is false whatever the numbers of its sides are; at least one varies."""
    if left.operation == right.operation == "number":
        return False
    a, b = range_of(left), range_of(right)
    match sign:
        case "<":
            return a.least >= b.greatest
        case "<=":
            return a.least > b.greatest
        case ">":
            return a.greatest <= b.least
        case ">=":
            return a.greatest < b.least
    return a.least > b.greatest or a.greatest < b.least
