"""Probabilistic grammars of treebanks, by relative frequency of each rule among those of its parent.

The start symbol is the label of the first tree's root if that is ROOT, TOP or S1, otherwise ROOT. Roots with
these labels, or with none, become the start symbol; all other trees get it above them. Charniak 1996.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.binarization import (
    Binarization,
    NamedNode,
    binarized,
    is_incomplete,
    unbinarized,
)
from treewhile.incremental.constituents.unknown_words import Floats, WordTags
from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError

ROOT: Final = "ROOT"
ROOTS: Final = frozenset({ROOT, "TOP", "S1"})

Rule = tuple[str, ...]  # a parent and its one or two children


@dataclass(frozen=True, eq=False)
class TreebankGrammar:
    """Counts in a treebank: rules, and words with their tags. All else is computed from these."""

    form: Binarization
    start: str
    rules: Mapping[Rule, int]
    words: Mapping[tuple[str, str], int]  # by tag and word

    def __post_init__(self) -> None:
        if is_incomplete(self.start) or not any(rule[0] == self.start for rule in self.rules):
            what = f"the start symbol {self.start!r:.40} has no rules"
            raise InputError(f"{what}: give a grammar the symbol of a phrase to start from")

    @cached_property
    def grammar(self) -> Grammar:
        """Rules as arrays: symbols are the start, phrases, tags and incomplete ones, each in order."""
        return _as_arrays(self)

    @cached_property
    def word_tags(self) -> WordTags:
        return WordTags(self.words, sorted({tag for tag, _ in self.words}))

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Number of each symbol in the arrays."""
        return {name: number for number, name in enumerate(self.grammar.symbols)}

    def lexical(self, words: Sequence[str], by_tagger: Sequence[str] | None = None) -> Floats:
        """Return the score of each symbol over each word, [word, symbol]; see `WordTags.scores`."""
        scores = np.full((len(words), len(self.grammar.symbols)), -np.inf)
        scores[:, self._tag_numbers] = self.word_tags.scores(words, by_tagger)
        return scores

    def phrase_of(self, nodes: Iterable[tuple[int, int, int]], words: Sequence[str]) -> Phrase:
        """Return the tree of a derivation: symbols by number with first and last words, parents first."""
        symbols = self.grammar.symbols
        named = [NamedNode(symbols[symbol], first, last) for symbol, first, last in nodes]
        return unbinarized(named, words)

    @cached_property
    def _tag_numbers(self) -> npt.NDArray[np.intp]:
        return np.array([self.number_of[tag] for tag in self.word_tags.tags], np.intp)


def read_grammar(trees: Iterable[Phrase], form: Binarization) -> TreebankGrammar:
    """Return the grammar of these trees, preferably without empty elements and functions."""
    rules: Counter[Rule] = Counter()
    words: Counter[tuple[str, str]] = Counter()
    start = ""
    for phrase in trees:
        start = start or (phrase.label if phrase.label in ROOTS else ROOT)
        rooted = with_root(phrase, start)
        leaves = rooted.leaves
        for node, children in with_children([*binarized(rooted, form)]):
            if children:
                rules[node.name, *(child.name for child in children)] += 1
            else:
                words[node.name, leaves[node.first - 1].word] += 1
    if not start:
        raise InputError("there are no trees to read a grammar off: give a treebank that has some")
    return TreebankGrammar(form, start, rules, words)


def with_root(phrase: Phrase, start: str) -> Phrase:
    """Return the tree under the start symbol, which replaces its own root if it has one."""
    if phrase.label in ROOTS or not phrase.label:
        return Phrase(start, phrase.children)
    return Phrase(start, (phrase,))


def with_children(nodes: Sequence[NamedNode]) -> Iterator[tuple[NamedNode, tuple[NamedNode, ...]]]:
    """Yield the nodes of a binary tree, the last one first, each with its children."""
    waiting: list[NamedNode] = []
    for node in reversed(nodes):
        children: tuple[NamedNode, ...] = ()
        if waiting and waiting[-1].last <= node.last:
            child = waiting.pop()
            children = (child,) if child[1:] == node[1:] else (child, waiting.pop())
        yield node, children
        waiting.append(node)


def _as_arrays(counted: TreebankGrammar) -> Grammar:
    symbols = _symbols(counted)
    number = {name: place for place, name in enumerate(symbols)}
    binary, unary = (sorted(rule for rule in counted.rules if len(rule) == size) for size in (3, 2))
    logs = _logarithms(counted)
    return Grammar(
        symbols,
        number[counted.start],
        np.array([is_incomplete(name) for name in symbols]),
        np.array([[number[name] for name in rule] for rule in binary], np.int32).reshape(-1, 3),
        np.array([logs[rule] for rule in binary], np.float64),
        np.array([[number[name] for name in rule] for rule in unary], np.int32).reshape(-1, 2),
        np.array([logs[rule] for rule in unary], np.float64),
        counted.form.side,
    )


def _symbols(counted: TreebankGrammar) -> tuple[str, ...]:
    parents = {rule[0] for rule in counted.rules}
    names = parents.union(*counted.rules, (tag for tag, _ in counted.words))
    return tuple(
        sorted(
            names, key=lambda name: (is_incomplete(name), name not in parents, name != counted.start, name)
        )
    )


def _logarithms(counted: TreebankGrammar) -> dict[Rule, float]:
    """Return the log relative frequency of each rule among its parent's occurrences, also as a tag."""
    totals: Counter[str] = Counter()
    for rule, count in counted.rules.items():
        totals[rule[0]] += count
    for (tag, _), count in counted.words.items():
        totals[tag] += count
    return {rule: float(np.log(count / totals[rule[0]])) for rule, count in counted.rules.items()}
