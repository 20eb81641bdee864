"""All mistakes of a grammar in one run, for people."""

from __future__ import annotations

from itertools import islice
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.grammars import (
    Grammar,
    GrammarText,
    grammar_and_mistakes,
    grammar_text,
)
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.name_checks import (
    division_mistakes,
    idle_mistakes,
    name_mistakes,
    relation_mistakes,
)
from treewhile.incremental.constraints.language.written import GrammarError

MOST_NAMES: Final = 1000  # mistakes of names that are told: a set may have many, and each is given a hint


class Mistake(NamedTuple):
    """Mistake in a grammar, in one sentence; lines and columns count from 1."""

    line: int
    column: int
    message: str
    file: str

    @classmethod
    def of(cls, error: GrammarError) -> Mistake:
        return cls(error.place.line, error.place.column, error.what, error.place.file)


class CheckedText(NamedTuple):
    """Grammar of the items without errors; with errors it cannot be used, with doubts it can."""

    grammar: Grammar
    errors: list[GrammarError]
    doubts: list[GrammarError]


def find_mistakes(name_or_path: str | Path, known: KnownNames | None = None) -> list[Mistake]:
    """Return the mistakes of an installed grammar or a file, with those of names if the known ones are given.

    An InputError says that there is no such file, or that it cannot be read.
    """
    try:
        given = grammar_text(name_or_path)
    except GrammarError as error:
        return [Mistake.of(error)]
    return mistakes_in(given.text, known, given.file, given.folder)


def mistakes_in(
    text: str, known: KnownNames | None = None, file: str = "the given text", folder: Path | None = None
) -> list[Mistake]:
    """Return the mistakes in the text of a grammar, as `find_mistakes`, in the order of the text."""
    _, errors, doubts = checked_text(GrammarText(text, file, "given", folder), known)
    found = {Mistake.of(error) for error in (*errors, *doubts)}
    return sorted(found, key=lambda one: (one.file, *one[:3]))


def checked_text(given: GrammarText, known: KnownNames | None, seconds: float = inf) -> CheckedText:
    """Return the grammar in a text with its mistakes, those of names if the known ones are given.

    Reading ends with a mistake after some seconds of processor time.
    """
    grammar, errors = grammar_and_mistakes(*given, seconds)
    errors += idle_mistakes(grammar.constraints)
    errors += relation_mistakes(grammar.constraints)
    if known is not None:
        errors += islice(name_mistakes(grammar.constraints, known), MOST_NAMES)
    return CheckedText(grammar, errors, [*grammar.doubts, *division_mistakes(grammar.constraints)])
