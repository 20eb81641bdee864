"""Constraints as written: tokens, items and expressions with positions; names are not looked up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from treewhile.oracles.errors import InputError

ITEMS: Final = ("include", "section", "set", "constraint", "penalty")
LEXICON_ITEMS: Final = ("define", "table", "tags")  # not reserved: words of older grammars
RESERVED: Final = frozenset({*ITEMS, "and", "or", "not", "in", "true", "false", "X", "Y"})

DEEPEST: Final = 100  # levels of an expression
LONGEST_SHOWN: Final = 40  # maximum length of a quotation in a message, in characters

TOKEN: Final = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\["\\])*")
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<sign><->|->|!=|<=|>=|[=<>+\-*/(){},.:])""",
    re.VERBOSE,
)


class Place(NamedTuple):
    """Position in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


Idle: TypeAlias = tuple[str, Place]  # why something can never hold, and where it stands


class PlacedWords(NamedTuple):
    """Words of a set, and their places."""

    words: frozenset[str]
    places: Mapping[str, Place]

    @classmethod
    def of(cls, placed: Iterable[tuple[str, Place]]) -> PlacedWords:
        places = dict(placed)
        return cls(frozenset(places), places)


class Token(NamedTuple):
    kind: str  # text, number, name, sign, odd (no token) or end
    text: str
    place: Place


class GrammarError(InputError):
    """Mistake in a grammar, with its place."""

    def __init__(self, what: str, place: Place) -> None:
        super().__init__(what, place)
        self.what, self.place = what, place

    def __str__(self) -> str:
        return f"{self.what}, at {self.place}"


def problem(what: str, place: Place) -> GrammarError:
    return GrammarError(what, place)


def first_of(mistakes: Sequence[GrammarError]) -> GrammarError:
    """Return the mistake that stands first in the file of the first one."""
    file = mistakes[0].place.file
    return min((one for one in mistakes if one.place.file == file), key=lambda one: one.place)


def tokens(text: str, file: str, line: int = 1) -> Iterator[Token]:
    """Yield the tokens of a text from a line on; a quotation without an end is odd, up to its line's end."""
    at, line_start = 0, 0
    while at < len(text):
        place = Place(file, line, at - line_start + 1)
        match = TOKEN.match(text, at)
        if match is None:
            yield Token("odd", text[at], place)
            at = _line_end(text, at) if text[at] == '"' else at + 1
            continue
        if match.lastgroup != "space":
            yield Token(str(match.lastgroup), match[0], place)
        elif "\n" in match[0]:
            line += match[0].count("\n")
            line_start = at + match[0].rindex("\n") + 1
        at = match.end()
    yield Token("end", "", Place(file, line, at - line_start + 1))


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def no_token(token: Token) -> GrammarError:
    if token.text == '"':
        return problem('a text in quotes has to end with " on the same line', token.place)
    what = f"the character {token.text!r} has no meaning here: delete it, or put a text into quotes"
    return problem(what, token.place)


def number_of(token: Token) -> float:
    value = float(token.text)
    if not math.isfinite(value):
        raise problem(f"the number {shown(token.text)} is too large", token.place)
    return value


def unquoted(token: Token) -> str:
    return re.sub(r"\\(.)", r"\1", token.text[1:-1])


def shown(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


RELATIONS: Final = ("under one head", "in a chain", "crossing", "of any kind")

VARIABLE: Final = re.compile("[A-Z][0-9]?")  # of a quantifier, or of a definition
QUANTITIES: Final = ("some", "all", "no", "number")

Form: TypeAlias = Literal[
    "name", "text", "number", "truth", "set", "attribute", "call", "operation", "quantifier"
]


@dataclass(frozen=True, slots=True)
class Expression:
    """Part of a formula as written.

    `value` is the name, text, number or truth value itself, the words of a set with their places, the
    quantity, variable and extent of a quantifier, or the name of the operation on the operands.

    A text was quoted, a name was not.
    """

    form: Form
    value: Any
    operands: tuple[Expression, ...]
    place: Place
    depth: int
    name_place: Place | None = None  # of the name of an attribute; `place` is that of its point


@dataclass(frozen=True, slots=True)
class Include:
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class WordSet:
    name: str
    words: PlacedWords
    place: Place


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """Message of a constraint: texts, and expressions in braces between them; and the marked node."""

    parts: tuple[str | Expression, ...]
    marks: Expression | None


@dataclass(frozen=True, slots=True)
class WrittenConstraint:
    """Constraint before name lookup; `relation` is "" for one edge.

    It has a penalty or a message, or both.
    """

    name: str
    section: str
    penalty: Expression | None
    relation: str
    formula: Expression
    message: WrittenMessage | None
    examples: tuple[tuple[str, bool, Place], ...]  # sentences, and whether they are right
    place: Place


@dataclass(frozen=True, slots=True)
class Definition:
    """Named formula or other term, with the variables for its arguments."""

    name: str
    parameters: tuple[str, ...]
    formula: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class TableFile:
    """Table of words in a file."""

    name: str
    path: str
    place: Place


@dataclass(frozen=True, slots=True)
class SectionWeight:
    """Weight of all constraints in a section, those above included; 0 leaves them out."""

    name: str
    weight: float
    place: Place


@dataclass(frozen=True, slots=True)
class LikelyTags:
    """Choice among tags that are at least so likely, relative to the likeliest one; 1 is no choice."""

    least: float
    place: Place


@dataclass(frozen=True, slots=True)
class OtherPenalty:
    """Another penalty for a constraint defined before, or in an included grammar."""

    name: str
    penalty: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Broken:
    """Item with a mistake; its name is "" if the mistake comes before it."""

    item: str  # one of ITEMS
    name: str


Item: TypeAlias = (
    Include
    | WordSet
    | Definition
    | TableFile
    | SectionWeight
    | LikelyTags
    | WrittenConstraint
    | OtherPenalty
    | Broken
)
