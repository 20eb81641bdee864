r"""Bracketed treebanks as a lazy stream of trees that are written back byte for byte.

The format is that of the Penn Treebank: `(S (NP (PRP She)) (VP (VBD left)))`, one tree on many lines or many
on one, each with or without an unlabelled bracket around it. Only blanks, tabs and line ends separate words:
U+00A0 and U+2028 can be inside words. Words are kept unchanged, including `-LRB-`. Neither reading nor
writing recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

from treewhile.incremental.output_files import system_errors_named
from treewhile.incremental.treebanks.treebank import (
    LONGEST_LINE,
    LineSource,
    Source,
    decoded,
    opened_source,
    source_name,
)
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, fold
from treewhile.oracles.errors import InputError

# Limits for trees, far above any treebank: characters, and depth of brackets.
LONGEST_TREE: Final = 16 << 20
DEEPEST: Final = 1000

WIDTH: Final = 70  # width of the lines of a tree on many, before a phrase goes to lines of its own

# A whole leaf on one line, as most tokens are; else a bracket, a word, or blanks.
TOKEN = re.compile(r"\(([^ \t\r\n\f\v()]+)[ \t]+([^ \t\r\n\f\v()]+)\)|[()]|[^ \t\r\n\f\v()]+|[ \t\r\n\f\v]+")
BLANK = re.compile(r"[ \t\r\n\f\v]")
BRACKETS: Final = {"(": "-LRB-", ")": "-RRB-"}


class Place(NamedTuple):
    """Begin of a token; both count from 1, columns in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class BracketedTree:
    """Tree as in a file; `str` gives exactly that text, a change gives a new tree.

    Blanks and line ends belong to the tree before them, those at the start of a file to its first one. A
    bracket without label is a phrase whose label is empty; so is the bracket around a tree that is a single
    leaf.
    """

    phrase: Phrase
    blank_before: str
    text: str | None  # None for a tree that is new or has changed
    blank_after: str
    on_many_lines: bool
    file_name: str
    first_line: int
    word_places: tuple[Place, ...]  # in the file as read

    def __str__(self) -> str:
        text = self.text
        if text is None:
            text = on_lines(self.phrase) if self.on_many_lines else on_one_line(self.phrase)
        return self.blank_before + text + self.blank_after

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return self.phrase.leaves

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(leaf.word for leaf in self.leaves)

    def where(self, number: int | None = None) -> str:
        """Return the place of a word, or of the tree, for an error message: `dev.ptb:812, column 7`."""
        if number is None or len(self.word_places) < number:
            return f"{self.file_name}:{self.first_line}"
        return _where(self.file_name, self.word_places[number - 1])

    def with_phrase(self, phrase: Phrase) -> BracketedTree:
        """Return this tree with another phrase: on one line, or on many like the old one."""
        return self if phrase == self.phrase else replace(self, phrase=phrase, text=None)


def read_trees(source: Source) -> Iterator[BracketedTree]:
    """Yield the trees of a file (compressed if named `.gz`), of standard input (`-`) or of a stream.

    Each is yielded when the next one begins: only then are the blanks between them known.
    """
    name = source_name(source)
    with system_errors_named(f"read {name}"), opened_source(source) as stream:
        yield from _trees(stream, name)


def on_one_line(phrase: Phrase) -> str:
    """Return the phrase in brackets, without a line end."""
    return fold(phrase, _leaf, lambda label, parts: f"({checked_label(label)} {' '.join(parts)})")


def on_lines(phrase: Phrase) -> str:
    """Return the phrase in brackets on many lines: a child per line unless a phrase fits on one."""
    lengths = _lengths(phrase)
    lines = []
    waiting: list[tuple[Phrase | Leaf, int, int]] = [(phrase, 0, 0)]  # node, indentation, brackets to close
    while waiting:
        node, indent, closing = waiting.pop()
        if isinstance(node, Leaf) or lengths[id(node)] + indent < WIDTH:
            text = _leaf(node) if isinstance(node, Leaf) else on_one_line(node)
            lines.append(" " * indent + text + ")" * closing)
            continue
        lines.append(f"{' ' * indent}({checked_label(node.label)}")
        *others, last = node.children
        waiting.append((last, indent + 2, closing + 1))
        waiting.extend((child, indent + 2, 0) for child in reversed(others))
    return "\n".join(lines)


def checked_label(label: str) -> str:
    """Return the label or tag of a new tree, if it can be written in brackets."""
    if BLANK.search(label) or "(" in label or ")" in label:
        raise InputError(f"the label {label!r:.40} cannot stand in brackets: take out blanks and brackets")
    return label


def _leaf(leaf: Leaf) -> str:
    """Return the leaf in brackets, with brackets in its word spelt out."""
    word = "".join(BRACKETS.get(letter, letter) for letter in leaf.word)
    if not word or BLANK.search(word):
        raise InputError(f"the word {word!r:.40} cannot stand in brackets: it has blanks, or no characters")
    if not leaf.tag:
        raise InputError(f"the word {word!r:.40} has an empty tag: give it one")
    return f"({checked_label(leaf.tag)} {word})"


def _lengths(phrase: Phrase) -> dict[int, int]:
    """Return the number of characters of each phrase on one line, by its id."""
    lengths: dict[int, int] = {}
    for node in reversed([*phrase]):
        if isinstance(node, Phrase):
            children = sum(
                len(_leaf(child)) if isinstance(child, Leaf) else lengths[id(child)]
                for child in node.children
            )
            lengths[id(node)] = len(node.label) + 2 + len(node.children) + children
    return lengths


@dataclass(slots=True)
class _Bracket:
    """Open bracket."""

    place: Place
    word_place: Place
    label: str | None = None
    word: str | None = None
    children: list[Phrase | Leaf] = field(default_factory=list)


class _Growing:
    """Tree that is being read, token by token, with the blanks around it."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._opened: list[_Bracket] = []
        self._places: list[Place] = []
        self._before: list[str] = []
        self._text: list[str] = []
        self._after: list[str] = []
        self._characters = 0
        self._first = Place(1, 1)
        self._phrase: Phrase | None = None

    @property
    def is_closed(self) -> bool:
        return self._phrase is not None

    def take(self, match: re.Match[str], line: int) -> None:
        """Add a leaf, bracket, word or blanks of this tree."""
        token, place = match[0], Place(line, match.start() + 1)
        self._count(token)
        if BLANK.match(token):
            self._blank_run().append(token)
            return
        self._text.append(token)
        if match[2]:
            self._leaf(Leaf(match[1], match[2]), place, Place(line, match.start(2) + 1))
        elif token == "(":
            self._open(place)
        elif token == ")":
            self._close(place)
        else:
            self._word(token, place)

    def _blank_run(self) -> list[str]:
        """Return the list for blanks: before the tree, in the tree or behind it."""
        if self._opened:
            return self._text
        return self._before if self._phrase is None else self._after

    def tree(self) -> BracketedTree | None:
        """Return the tree, None if there were no tokens; refuse an unclosed one."""
        if self._opened:
            missing = len(self._opened)
            what = f"the tree is not closed, it lacks {missing} more bracket{'s' * (missing > 1)} ')'"
            raise self._problem(what, self._first)
        if self._phrase is None:
            if self._before:
                raise self._problem("there is nothing but blanks, where trees have to stand", self._first)
            return None
        ends = ("".join(part) for part in (self._before, self._text, self._after))
        before, text, after = ends
        places = tuple(self._places)
        return BracketedTree(
            self._phrase, before, text, after, "\n" in text, self._name, self._first.line, places
        )

    def _count(self, token: str) -> None:
        self._characters += len(token)
        if self._characters > LONGEST_TREE:
            what = f"no tree and no blanks around it may have more than {LONGEST_TREE} characters"
            raise self._problem(f"{what}, is there a bracket to close?", self._first)

    def _leaf(self, leaf: Leaf, place: Place, word_place: Place) -> None:
        self._begin(place)
        self._places.append(word_place)
        self._end(leaf)

    def _open(self, place: Place) -> None:
        self._begin(place)
        if len(self._opened) == DEEPEST:
            raise self._problem(f"more than {DEEPEST} brackets are open, make the tree less deep", place)
        self._opened.append(_Bracket(place, place))

    def _begin(self, place: Place) -> None:
        if self._opened:
            self._check_parent(self._opened[-1])
        else:
            self._first = place

    def _check_parent(self, parent: _Bracket) -> None:
        """Refuse a bracket in which no other one can be opened."""
        if parent.word is not None:
            what = f"the word {parent.word!r:.40} stands beside brackets, give it a tag and its own"
            raise self._problem(what, parent.word_place)
        if parent.label is None and len(self._opened) > 1:
            raise self._problem("this bracket has no label, only the outermost may have none", parent.place)

    def _word(self, token: str, place: Place) -> None:
        if not self._opened:
            what = f"{token!r:.40} stands between trees, put it into brackets or delete it"
            raise self._problem(what, place)
        bracket = self._opened[-1]
        if bracket.label is None and not bracket.children:
            bracket.label = token
        elif bracket.word is None and not bracket.children:
            bracket.word, bracket.word_place = token, place
        else:
            raise self._problem(f"the word {token!r:.40} has no tag, give it brackets of its own", place)

    def _close(self, place: Place) -> None:
        if not self._opened:
            raise self._problem("this bracket closes none, delete it or open one before it", place)
        bracket = self._opened.pop()
        self._end(self._node(bracket))

    def _end(self, node: Phrase | Leaf) -> None:
        if self._opened:
            self._opened[-1].children.append(node)
        else:
            self._phrase = node if isinstance(node, Phrase) else Phrase("", (node,))

    def _node(self, bracket: _Bracket) -> Phrase | Leaf:
        if bracket.word is not None and bracket.label is not None:
            self._places.append(bracket.word_place)
            return Leaf(bracket.label, bracket.word)
        if not bracket.children:
            whole = f"the bracket {bracket.label!r:.40}" if self._opened else "the tree"
            raise self._problem(f"{whole} has no words, add some or delete it", bracket.place)
        return Phrase(bracket.label or "", tuple(bracket.children))

    def _problem(self, what: str, place: Place) -> InputError:
        return InputError(f"{what}, at {_where(self._name, place)}")


def _trees(stream: LineSource, name: str) -> Iterator[BracketedTree]:
    growing = _Growing(name)
    for match, line in _tokens(stream, name):
        if growing.is_closed and not BLANK.match(match[0]):
            if tree := growing.tree():
                yield tree
            growing = _Growing(name)
        growing.take(match, line)
    if tree := growing.tree():
        yield tree


def _tokens(stream: LineSource, name: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield leaves, brackets, words and blanks, which together are the whole text, with their lines."""
    lines = iter(partial(stream.readline, LONGEST_LINE + 1), b"")
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            what = f"this line has to be shorter, at most {LONGEST_LINE} bytes"
            raise InputError(f"{what}, at {name}:{number}")
        for match in TOKEN.finditer(decoded(line, name, number)):
            yield match, number


def _where(file_name: str, place: Place) -> str:
    return f"{file_name}:{place.line}, column {place.column}"
