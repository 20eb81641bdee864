"""All mistakes of a grammar in one run, for people."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from treewhile.incremental.constraints.language.grammars import grammar_and_mistakes, grammar_text
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.name_checks import (
    division_mistakes,
    name_mistakes,
    relation_mistakes,
)
from treewhile.incremental.constraints.language.written import GrammarError


class Mistake(NamedTuple):
    """Mistake in a grammar, in one sentence; lines and columns count from 1."""

    line: int
    column: int
    message: str
    file: str

    @classmethod
    def of(cls, error: GrammarError) -> Mistake:
        return cls(error.place.line, error.place.column, error.what, error.place.file)


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
    grammar, errors = grammar_and_mistakes(text, file, "given", folder)
    found = [*errors, *relation_mistakes(grammar.constraints), *division_mistakes(grammar.constraints)]
    found += name_mistakes(grammar.constraints, known) if known is not None else []
    return sorted({Mistake.of(error) for error in found}, key=lambda one: (one.file, *one[:3]))
