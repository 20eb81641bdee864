"""Probabilistic grammars of treebanks, by the relative frequency of each rule (Charniak 1996).

The probability of a tag given a word w that was seen c(w) times is

    p(tag | w) = (c(tag, w) + p(tag | shape of w)) / (c(w) + 1)

so the shape counts like one more occurrence, and decides alone for unknown words. Shapes are counted over
rare words, from general to special: any word; its class by capitals, digits and hyphens; this with its last
letter, two, three. Each is mixed with the previous one by the same rule. The tag by a tagger, in context,
counts as much as all evidence without context. A score is log p(tag | w) - log p(tag), which by Bayes' rule
is log p(w | tag) up to a constant of the word.

The start symbol is the label of the first tree's root if that is ROOT, TOP or S1, otherwise ROOT. Roots with
these labels, or with none, become the start symbol; all other trees get it above them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.binarization import (
    Binarization,
    NamedNode,
    binarized,
    is_incomplete,
    unbinarized,
)
from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError

Floats: TypeAlias = npt.NDArray[np.float64]

RARE: Final = 5  # words seen fewer times are counted by shape, too
LEAST: Final = 1e-3  # minimum probability of a tag of a word
LONGEST_SUFFIX: Final = 3
KEPT: Final = 1 << 16  # number of words whose probabilities by shape are cached


class WordTags:
    """Tag probabilities from counts of words with their tags; tags are in the order of `tags`."""

    def __init__(self, counts: Mapping[tuple[str, str], int], tags: Sequence[str]) -> None:
        self.tags = tuple(tags)
        self._none = np.zeros(len(tags))
        self._numbers = number = {tag: place for place, tag in enumerate(tags)}
        self._words: dict[str, Floats] = {}
        for (tag, word), count in counts.items():
            self._words.setdefault(word, self._none.copy())[number[tag]] += count
        self._shapes: dict[str, Floats] = {}
        for word, row in self._words.items():
            if row.sum() < RARE:
                for shape in shapes(word):
                    self._shapes.setdefault(shape, self._none.copy())[:] += row
        self._all: Floats = np.sum([*self._words.values()], axis=0) / sum(counts.values())
        self._by_shape = lru_cache(KEPT)(self._mixed_shapes)

    def scores(self, words: Sequence[str], by_tagger: Sequence[str] | None = None) -> Floats:
        """Return the score of each tag for each word of a sentence, [word, tag]; -inf for improbable tags.

        `by_tagger` has a tag for each word, ignored if unknown. At least one tag of each word remains.
        """
        known = [self._known_form(word, at) for at, word in enumerate(words)]
        counts = np.array([self._words.get(word, self._none) for word in known]).reshape(-1, len(self.tags))
        by_shape = np.array([self._by_shape(word) for word in known]).reshape(counts.shape)
        chances = _mixed(counts, by_shape)
        if by_tagger is not None:
            chances = self._halfway_to(by_tagger, chances)
        left_out = chances < np.minimum(LEAST, chances.max(axis=1, initial=0, keepdims=True))
        with np.errstate(divide="ignore"):
            scores: Floats = np.log(chances) - np.log(self._all)
        scores[left_out] = -np.inf
        return scores

    def _halfway_to(self, by_tagger: Sequence[str], chances: Floats) -> Floats:
        told = np.zeros_like(chances)
        for row, tag in zip(told, by_tagger, strict=True):
            if tag in self._numbers:
                row[self._numbers[tag]] = 1
        is_told = told.any(axis=1, keepdims=True)
        return np.where(is_told, (chances + told) / 2, chances)

    def _known_form(self, word: str, at: int) -> str:
        """Return the word, in lower case if it is sentence-initial and only known so."""
        return word.lower() if at == 0 and word not in self._words and word.lower() in self._words else word

    def _mixed_shapes(self, word: str) -> Floats:
        chances = self._all
        for shape in shapes(word):
            chances = _mixed(self._shapes.get(shape, self._none), chances)
        return chances


def _mixed(counts: Floats, chances: Floats) -> Floats:
    """Return the probabilities by counts, with prior ones that count like one occurrence."""
    return np.asarray((counts + chances) / (counts.sum(axis=-1, keepdims=True) + 1), np.float64)


def shapes(word: str) -> Iterator[str]:
    """Yield the shapes of a word, from general to special."""
    yield ""
    yield (word_class := _word_class(word))
    for size in range(1, min(LONGEST_SUFFIX, len(word) - 1) + 1):
        yield f"{word_class} -{word[-size:].lower()}"


def _word_class(word: str) -> str:
    """Return the class of a word by its capitals, digits and hyphens."""
    letters = "capitals" if word.isupper() and len(word) > 1 else "capital" if word[:1].isupper() else "small"
    if not any(map(str.isalpha, word)):
        letters = "none"
    digits = "digits" if any(map(str.isdigit, word)) else ""
    return " ".join(filter(None, [letters, digits, "hyphen" if "-" in word[1:] else ""]))


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
