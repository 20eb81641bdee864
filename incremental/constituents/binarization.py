"""Binarization of constituency trees and its inverse; chart grammars are read from binarized trees.

A phrase of more than two children has incomplete symbols below it, on the side of the binarization:

    right:  NP -> DT @NP:JJ_NN    @NP:JJ_NN -> JJ NN
    left:   NP -> @NP:DT_JJ NN    @NP:DT_JJ -> DT JJ

An incomplete symbol names the phrase and, up to the Markov order, the covered children next to the child
beside it: the first ones on the right, the last ones on the left. Optionally a phrase has its parent's label
appended (NP^S), and chains of phrases with a single child become one symbol (S+VP); the root is never joined,
nor are tags.

Special characters of this notation are written %40 for @ and so on in labels, so no two symbols clash, and
the tree is restored exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Constituent, Leaf, Phrase, tree_of

INCOMPLETE: Final = "@"  # prefix of the names of incomplete symbols
CHAIN: Final = "+"
PARENT: Final = "^"
KEPT: Final = 1 << 12  # number of symbols whose labels are cached
SPECIAL_IN_LABEL = re.compile(r"[@+^_%:]")
SPECIAL_IN_TAG = re.compile(r"[@+^_%]")


class Binarization(NamedTuple):
    """Options of the binarization."""

    side: Side = "right"
    markov: int | None = 2  # None: incomplete symbols name all covered children
    with_parents: bool = False
    joins_chains: bool = False


class NamedNode(NamedTuple):
    """Symbol over a span of words, numbered from 1."""

    name: str
    first: int
    last: int


class _Part(NamedTuple):
    """Children of a phrase that share a node: all of them, or those of an incomplete symbol."""

    name: str
    label: str  # label of the phrase, for annotated children
    whole: str  # name of the phrase
    children: tuple[Phrase | Leaf, ...]  # all children of the phrase
    begin: int  # range of the covered ones: up to `end`
    end: int
    first: int  # first word
    words: int


def is_incomplete(name: str) -> bool:
    return name.startswith(INCOMPLETE)


def binarized(phrase: Phrase, form: Binarization) -> Iterator[NamedNode]:
    """Yield the nodes of the binary tree, parents first, then from the left; each word ends with its tag."""
    sizes = _sizes(phrase)
    name = _escaped(phrase.label)
    waiting: list[_Part | tuple[Leaf, int]] = [_whole(phrase, name, phrase.label, 1, sizes)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Part):
            yield NamedNode(part.name, part.first, part.first + part.words - 1)
            waiting.extend(reversed([*_below(part, form, sizes)]))
        else:
            leaf, word = part
            yield NamedNode(tag_name(leaf.tag), word, word)


def _whole(phrase: Phrase, name: str, label: str, word: int, sizes: dict[int, int]) -> _Part:
    """Return the part with all children of a phrase, from a word on."""
    return _Part(name, label, name, phrase.children, 0, len(phrase.children), word, sizes[id(phrase)])


def _below(part: _Part, form: Binarization, sizes: dict[int, int]) -> Iterator[_Part | tuple[Leaf, int]]:
    """Yield the one or two nodes below a node."""
    first, last = part.children[part.begin], part.children[part.end - 1]
    before_last = part.words - sizes[id(last)]
    if part.end - part.begin < 3:
        if before_last:
            yield _child(first, part, form, part.first, sizes)
        yield _child(last, part, form, part.first + before_last, sizes)
    elif form.side == "left":
        yield _incomplete(part._replace(end=part.end - 1, words=before_last), form)
        yield _child(last, part, form, part.first + before_last, sizes)
    else:
        size = sizes[id(first)]
        rest = part._replace(begin=part.begin + 1, first=part.first + size, words=part.words - size)
        yield _child(first, part, form, part.first, sizes)
        yield _incomplete(rest, form)


def _child(
    child: Phrase | Leaf, part: _Part, form: Binarization, word: int, sizes: dict[int, int]
) -> _Part | tuple[Leaf, int]:
    if isinstance(child, Leaf):
        return child, word
    labels, bottom = _chain(child, form)
    name = CHAIN.join(map(_escaped, labels))
    if form.with_parents:
        name += PARENT + _escaped(part.label)
    return _whole(bottom, name, labels[-1], word, sizes)


def _incomplete(part: _Part, form: Binarization) -> _Part:
    """Return the part with its name, which lists children up to the Markov order."""
    order = part.end - part.begin if form.markov is None else form.markov
    if form.side == "left":
        near = part.children[max(part.begin, part.end - order) : part.end]
    else:
        near = part.children[part.begin : min(part.end, part.begin + order)]
    named = "_".join(map(_history_name, near))
    return part._replace(name=f"{INCOMPLETE}{part.whole}" + (f":{named}" if named else ""))


def _chain(phrase: Phrase, form: Binarization) -> tuple[list[str], Phrase]:
    """Return the labels of the phrases that this one is joined with, and the last of these phrases."""
    labels = [phrase.label]
    while form.joins_chains and len(phrase.children) == 1 and isinstance(phrase.children[0], Phrase):
        phrase = phrase.children[0]
        labels.append(phrase.label)
    return labels, phrase


def _history_name(child: Phrase | Leaf) -> str:
    return tag_name(child.tag) if isinstance(child, Leaf) else _escaped(child.label)


def _sizes(phrase: Phrase) -> dict[int, int]:
    """Return the number of words of each node, by its id."""
    sizes: dict[int, int] = {}
    for node in reversed([*phrase]):
        sizes[id(node)] = 1 if isinstance(node, Leaf) else sum(sizes[id(child)] for child in node.children)
    return sizes


def unbinarized(nodes: Sequence[NamedNode], words: Sequence[str]) -> Phrase:
    """Return the tree whose binarization these nodes are, parents first, over these words."""
    leaves: list[Leaf] = []
    constituents: list[Constituent] = []
    for at, (name, first, last) in enumerate(nodes):
        if first == last and (at + 1 == len(nodes) or nodes[at + 1].first > last):
            leaves.append(Leaf(tag_of(name), words[first - 1]))
        elif not is_incomplete(name):
            constituents.extend(Constituent(label, first, last) for label in labels_of(name))
    return tree_of(constituents, leaves)


@lru_cache(KEPT)
def tag_of(name: str) -> str:
    return unquote(name)


@lru_cache(KEPT)
def labels_of(name: str) -> tuple[str, ...]:
    """Return the labels of a complete symbol that is no tag: one, or a chain, topmost first."""
    return tuple(unquote(label) for label in name.partition(PARENT)[0].split(CHAIN))


def tag_name(tag: str) -> str:
    """Return the symbol of a tag."""
    return SPECIAL_IN_TAG.sub(_code, tag)


def _escaped(label: str) -> str:
    return SPECIAL_IN_LABEL.sub(_code, label)


def _code(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
