"""All trees of a small grammar over a few words, one by one, as a judge of the charts.

Openings allow or forbid trees, not cells: each complete constituent of several words
begins with an open begin and ends with an open end, save that the first word always begins and the last
always ends; and over a word that is closed to them there are no unary rules, unless it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.openings import Openings


@dataclass(frozen=True)
class Tree:
    """A symbol over words, numbered from 0, and what is below it: nothing, one tree or two."""

    symbol: int
    first: int
    last: int
    below: tuple[Tree, ...] = ()

    def nodes(self) -> Iterator[Tree]:
        yield self
        for tree in self.below:
            yield from tree.nodes()


def every_tree(grammar: Grammar, lexical: npt.NDArray[np.float64], longest_chain: int) -> Iterator[Tree]:
    """All trees of the start symbol with so many unary rules on top of each other at most."""
    yield from _trees(grammar, lexical, grammar.start, 0, len(lexical) - 1, longest_chain, longest_chain)


def _trees(
    grammar: Grammar,
    lexical: npt.NDArray[np.float64],
    symbol: int,
    first: int,
    last: int,
    chain: int,
    longest: int,
) -> Iterator[Tree]:
    def within(child: int, begin: int, end: int, chain: int = longest) -> Iterator[Tree]:
        return _trees(grammar, lexical, child, begin, end, chain, longest)

    if first == last and lexical[first, symbol] > -np.inf and not grammar.is_incomplete[symbol]:
        yield Tree(symbol, first, last)
    for left, right in (rule[1:] for rule in grammar.binary if rule[0] == symbol):
        for middle in range(first, last):
            for before in within(left, first, middle):
                for after in within(right, middle + 1, last):
                    yield Tree(symbol, first, last, (before, after))
    if chain:
        for child in (rule[1] for rule in grammar.unary if rule[0] == symbol):
            for tree in within(child, first, last, chain - 1):
                yield Tree(symbol, first, last, (tree,))


def score_of(tree: Tree, grammar: Grammar, lexical: npt.NDArray[np.float64]) -> float:
    """The sum over its rules and words."""
    logs = {tuple(rule): log for rule, log in zip(grammar.binary.tolist(), grammar.binary_logs, strict=True)}
    logs |= {tuple(rule): log for rule, log in zip(grammar.unary.tolist(), grammar.unary_logs, strict=True)}
    return sum(
        float(logs[node.symbol, *(one.symbol for one in node.below)])
        if node.below
        else float(lexical[node.first, node.symbol])
        for node in tree.nodes()
    )


def is_allowed(tree: Tree, grammar: Grammar, openings: Openings) -> bool:
    """Whether openings leave room for a tree over a whole sentence."""
    begins, ends, unaries = openings
    words = len(begins)

    def fits(node: Tree) -> bool:
        if node.first < node.last:
            begins_well = begins[node.first] or node.first == 0
            ends_well = ends[node.last] or node.last == words - 1
            return bool(grammar.is_incomplete[node.symbol] or (begins_well and ends_well))
        return bool(not node.below or unaries[node.first] or words == 1)

    return all(map(fits, tree.nodes()))
