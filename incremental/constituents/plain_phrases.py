"""Plain trees: without empty elements and functions in labels, and words in ordinary spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from treewhile.incremental.constituents.bracketed_trees import BracketedTree, read_trees
from treewhile.incremental.treebanks.treebank import Source
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, fold
from treewhile.oracles.errors import InputError

EMPTY: Final = "-NONE-"  # tag of empty elements

# Part of a label before its function; a label may begin with such a sign, as -LRB- does.
PLAIN = re.compile(r"[^-=|]+|.*", re.DOTALL)


def plain_trees(source: Source) -> Iterator[BracketedTree]:
    """Yield the trees of a treebank, as `read_trees` does, without empty elements and functions."""
    for tree in read_trees(source):
        yield plain_tree(tree)


def plain_tree(tree: BracketedTree) -> BracketedTree:
    """Return the tree without empty elements and functions; an InputError names one with no words."""
    return tree.with_phrase(without_functions(words_alone(tree)))


def words_alone(tree: BracketedTree) -> Phrase:
    """Return the tree without empty elements; an InputError names one with no words."""
    if (phrase := without_empties(tree.phrase)) is not None:
        return phrase
    raise InputError(f"the tree has no words but empty elements, delete it, at {tree.where()}")


def without_empties(phrase: Phrase) -> Phrase | None:
    """Return the phrase without empty elements and phrases of only these; None if nothing is left."""

    def of_phrase(label: str, children: list[Leaf | Phrase | None]) -> Phrase | None:
        kept = tuple(child for child in children if child is not None)
        return Phrase(label, kept) if kept else None

    return fold(phrase, lambda leaf: None if leaf.tag == EMPTY else leaf, of_phrase)


def without_functions(phrase: Phrase) -> Phrase:
    """Return the phrase with plain labels: NP for NP-SBJ-1, NP=2 and NP|PP. Tags are unchanged."""
    return fold(
        phrase, lambda leaf: leaf, lambda label, children: Phrase(plain_label(label), tuple(children))
    )


def plain_label(label: str) -> str:
    """Return the part of a label before its function."""
    match = PLAIN.match(label)
    return match[0] if match else label


WRITTEN: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
SPELT_OUT = re.compile("|".join(WRITTEN))


def written_words(leaves: Iterable[Leaf]) -> tuple[str, ...]:
    """Return the words of a tree with brackets for their names: ":)" for ":-RRB-"."""
    return tuple(SPELT_OUT.sub(lambda match: WRITTEN[match[0]], leaf.word) for leaf in leaves)
