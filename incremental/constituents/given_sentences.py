"""Sentences to parse into phrases: plain words, one sentence a line, or trees, whose words are kept.

A source that begins with a bracket and a label, or with two brackets, has trees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Final, NamedTuple

from treewhile.incremental.constituents.plain_phrases import plain_trees, written_words
from treewhile.incremental.output_files import system_errors_named
from treewhile.incremental.parsers.text_sources import Lines
from treewhile.incremental.parsers.text_sources import decoded as decoded_lines
from treewhile.incremental.parsers.words import WORD, is_word
from treewhile.incremental.treebanks.treebank import opened_source, source_name
from treewhile.oracles.constituents.phrase_trees import Leaf
from treewhile.oracles.errors import InputError
from treewhile.oracles.tabular_parsing import check_length

FIRST_TREE = re.compile(rb"\(\s*(\(|[^\s()]+\s*\(|[^\s()]+\s+[^\s()]+\))")

# Trees may begin on several lines, of which at most this many are examined.
MOST_LINES_BEFORE: Final = 100


class GivenSentence(NamedTuple):
    """Words in ordinary spelling, with the leaves of their tree, if any, and the place."""

    words: tuple[str, ...]
    own_leaves: tuple[Leaf, ...] | None
    where: str

    def leaves(self, tags: Sequence[str]) -> tuple[Leaf, ...]:
        """Return the leaves of a new tree: the given ones, or else the words with these tags."""
        return self.own_leaves or tuple(map(Leaf, tags, self.words))


def read_given(source: str, advance: Callable[[int], None] = lambda size: None) -> Generator[GivenSentence]:
    """Yield the sentences of a file, `-` being standard input; `advance` gets the number of bytes read.

    An InputError says which one cannot be parsed. To be closed.
    """
    name = source_name(source)
    with system_errors_named(f"read {name}"), opened_source(source) as stream:
        lines = Lines(stream, name, advance)
        read = _of_trees if begins_as_trees(lines) else _of_lines
        for sentence in read(lines):
            _check(sentence)
            yield sentence


def begins_as_trees(lines: Lines) -> bool:
    """Return whether the first lines that are not blank begin a tree."""
    text = b""
    for number, line in enumerate(lines.ahead(), 1):
        text = (text + line).lstrip()
        if number > MOST_LINES_BEFORE or not b"(".startswith(text[:1]) or FIRST_TREE.match(text):
            break
    return FIRST_TREE.match(text) is not None


def _of_trees(lines: Lines) -> Iterator[GivenSentence]:
    for tree in plain_trees(lines):
        leaves = tree.leaves
        yield GivenSentence(written_words(leaves), leaves, tree.where())


def _of_lines(lines: Lines) -> Iterator[GivenSentence]:
    number, rest = 1, ""
    for piece in decoded_lines(lines, lines.name):
        whole, rest = rest + piece, ""
        if not whole.endswith("\n") and piece:
            rest = whole
            continue
        if words := tuple(whole.split()):
            yield GivenSentence(words, None, f"{lines.name}:{number}")
        number += 1


def _check(sentence: GivenSentence) -> None:
    """Refuse a sentence that is too long, or has a form that is not a word."""
    try:
        check_length(len(sentence.words))
    except InputError as error:
        raise InputError(f"{error}, at {sentence.where}") from error
    for word in sentence.words:
        if not is_word(word):
            raise InputError(f"the word {word[:40]!r} has to be {WORD}, at {sentence.where}")
