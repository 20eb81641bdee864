"""Binarized probabilistic grammars as arrays, and as rules for charts: by child and by parent.

Rules are A -> B C and A -> B over symbols, with logarithms of their probabilities. Scores of words,
lexical[word, symbol], are given separately for each sentence, so the caller decides about unknown words.
*Incomplete* symbols are those that binarization has made: each is a part of its parent's constituent, on the
`side` of rules (left: A -> @A C, right: A -> B @A).

Symbols are sorted: first *phrases*, which rules make, then *tags*, complete symbols that no rule makes, then
incomplete symbols. Over several words there are no tags, and complete symbols have rows of their own. Chains
of unary rules become one step each, the best of all chains between two symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Grammar of numbered symbols, with binary and unary rules."""

    symbols: tuple[str, ...]
    start: int
    is_incomplete: npt.NDArray[np.bool_]  # by symbol
    binary: npt.NDArray[np.int32]  # [rule, (parent, left, right)]
    binary_logs: npt.NDArray[np.float64]
    unary: npt.NDArray[np.int32]  # [rule, (parent, child)]
    unary_logs: npt.NDArray[np.float64]
    side: Side


Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
NO_WAY: Final = -np.inf


class Rules(NamedTuple):
    """Rules whose symbols are numbered as in charts; weights are logarithms."""

    phrases: int  # number of symbols that are phrases
    complete: int  # number of symbols that are phrases or tags
    symbols: int  # number of all symbols
    spine_is_left: bool
    first: Ints  # [spine]: its first rule, sorted by sibling: phrases come first
    first_with_tag: Ints  # [spine]: its first rule whose sibling is a tag
    sibling: Ints  # [rule]
    parent: Ints
    weight: Floats
    first_of_parent: Ints  # [parent]: its first rule, in the order of the grammar
    spine_below: Ints
    sibling_below: Ints
    weight_below: Floats
    first_chain: Ints  # [bottom]
    chain_top: Ints  # [chain]
    chain_weight: Floats
    next_below: Ints  # [top, bottom]: the second symbol of the best chain


class ChartGrammar(NamedTuple):
    """Rules of a grammar with both mappings between the grammar's symbols and those of the rules."""

    rules: Rules
    place: Ints  # [symbol of the grammar]
    symbol: Ints  # [symbol of the rules]


_arranged: WeakKeyDictionary[Grammar, ChartGrammar] = WeakKeyDictionary()


def chart_grammar(grammar: Grammar) -> ChartGrammar:
    """Return a grammar as arrays for charts, checked at the first call."""
    if grammar not in _arranged:
        check_grammar(grammar)
        _arranged[grammar] = _arrange(grammar)
    return _arranged[grammar]


# --- checks -------------------------------------------------------------------------------------------------


def check_grammar(grammar: Grammar) -> None:
    """Raise an InputError that names the rule of a grammar that cannot be used."""
    if not 0 <= grammar.start < len(grammar.symbols):
        raise InputError(f"the grammar's start symbol is number {grammar.start}: give one of its symbols")
    if grammar.is_incomplete[grammar.start]:
        raise InputError("the grammar's start symbol is incomplete: give a symbol that stands in trees")
    spine = 1 if grammar.side == "left" else 2
    _check_rules(grammar, grammar.binary, grammar.binary_logs, 3, may_be_incomplete=(0, spine))
    _check_rules(grammar, grammar.unary, grammar.unary_logs, 2, may_be_incomplete=())


def _check_rules(
    grammar: Grammar, rules: Ints, logs: Floats, width: int, may_be_incomplete: Sequence[int]
) -> None:
    if rules.shape != (len(logs), width):
        raise InputError(
            f"there are rules of shape {rules.shape} with {len(logs)} logarithms: they do not fit"
        )
    if rules.size and not (rules.min() >= 0 and rules.max() < len(grammar.symbols)):
        raise InputError(f"a rule has symbol {rules.max()} of {len(grammar.symbols)}: number them from 0")
    wrong = ~(np.isfinite(logs) | (logs == NO_WAY))
    incomplete = grammar.is_incomplete[rules]
    incomplete[:, [*may_be_incomplete]] = False
    for where, what in ((wrong, "has no number as its logarithm"), (incomplete.any(1), _misplaced(grammar))):
        if where.any():
            names = [grammar.symbols[symbol] for symbol in rules[int(np.argmax(where))]]
            raise InputError(f"the rule {names[0]} -> {' '.join(names[1:])} {what}")


def _misplaced(grammar: Grammar) -> str:
    return f"has an incomplete symbol where there is none in a {grammar.side}-binarized grammar"


# --- arranging ----------------------------------------------------------------------------------------------


def _arrange(grammar: Grammar) -> ChartGrammar:
    is_phrase = np.zeros(len(grammar.symbols), np.bool_)
    is_phrase[grammar.binary[:, 0]] = is_phrase[grammar.unary[:, 0]] = is_phrase[grammar.start] = True
    kind = np.where(grammar.is_incomplete, 2, np.where(is_phrase, 0, 1))
    symbol = np.argsort(kind, kind="stable").astype(np.int32)
    place = np.argsort(symbol).astype(np.int32)
    phrases, complete = int((kind == 0).sum()), int((kind < 2).sum())
    binary = place[grammar.binary]
    weights = grammar.binary_logs
    is_left = grammar.side == "left"
    parent, spine, sibling = binary[:, 0], binary[:, 1 if is_left else 2], binary[:, 2 if is_left else 1]
    by_spine, by_parent = np.lexsort((sibling, spine)), np.argsort(parent, kind="stable")
    rules = Rules(
        phrases,
        complete,
        len(symbol),
        is_left,
        _firsts(spine, len(symbol)),
        _firsts(spine, len(symbol))[:-1] + np.bincount(spine[sibling < phrases], minlength=len(symbol)),
        sibling[by_spine],
        parent[by_spine],
        weights[by_spine],
        _firsts(parent, len(symbol)),
        spine[by_parent],
        sibling[by_parent],
        weights[by_parent],
        *_chains(place[grammar.unary], grammar, complete),
    )
    return ChartGrammar(_contiguous(rules), place, symbol)


def _firsts(of_rule: npt.NDArray[Any], symbols: int) -> Ints:
    """Return the first rule of each symbol, if rules are sorted by that symbol."""
    return np.concatenate([[0], np.cumsum(np.bincount(of_rule, minlength=symbols))]).astype(np.int32)


def _contiguous(rules: Rules) -> Rules:
    """Return the rules with contiguous arrays of the two types that kernels are compiled for."""
    kinds = {"i": np.int32, "f": np.float64}
    fields: list[Any] = [*rules]
    for place, each in enumerate(fields):
        if isinstance(each, np.ndarray):
            fields[place] = np.ascontiguousarray(each, kinds[each.dtype.kind])
    return Rules(*fields)


# --- chains of unary rules ----------------------------------------------------------------------------------


def _chains(unary: Ints, grammar: Grammar, complete: int) -> tuple[Any, ...]:
    """Return `first_chain`, `chain_top`, `chain_weight` and `next_below`."""
    best, next_below = _best_chains(unary, grammar, complete)
    bottoms, tops = np.nonzero((best != NO_WAY).T)
    return _firsts(bottoms, complete), tops, best[tops, bottoms], next_below


def _best_chains(unary: Ints, grammar: Grammar, complete: int) -> tuple[Floats, Ints]:
    """Return best[top, bottom] over chains of one or more rules, the shortest, and their second symbols."""
    best = np.full((complete, complete), NO_WAY)
    second = np.full((complete, complete), -1, np.int32)
    longer = np.where(np.eye(complete, dtype=np.bool_), 0.0, NO_WAY)
    for _ in range(complete + 1):
        known, longer = longer, np.full_like(longer, NO_WAY)
        for (top, below), log in zip(unary, grammar.unary_logs, strict=True):
            ways = log + known[below]
            is_better = ways > np.maximum(best[top], longer[top])
            longer[top, is_better], second[top, is_better] = ways[is_better], below
        if (longer == NO_WAY).all():
            return best, second
        best = np.maximum(best, longer)
    raise InputError("unary rules go round in a circle that gains: their logarithms are too great")
