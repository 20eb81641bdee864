"""Models with a grammar, taggers, and parameters of constraints, as a text that people can read.

    [constraints]
    usual ghp+unary+quad
    ghp 40.0
    ...

comes before the sections of the grammar (`grammar_files`) and of the taggers (`tagger_files`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from treewhile.incremental.constituents.chart_constraints import (
    OperatingPoints,
    constraint_names,
)
from treewhile.incremental.constituents.chart_taggers import ChartTaggers
from treewhile.incremental.constituents.grammar_files import grammar_in, grammar_sections
from treewhile.incremental.constituents.sectioned_files import (
    Section,
    read_sections,
    section_of,
    write_sections,
)
from treewhile.incremental.constituents.tagger_files import read_taggers, tagger_sections
from treewhile.incremental.constituents.treebank_grammars import TreebankGrammar
from treewhile.oracles.errors import InputError

SECTION: Final = "constraints"
USUAL: Final = "usual"
COMPRESSED: Final = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class GrammarModel:
    """Grammar with taggers, parameters of constraints, and the default constraints."""

    grammar: TreebankGrammar
    taggers: ChartTaggers
    points: OperatingPoints
    usual: tuple[str, ...]


def write_grammar_model(path: str | Path, model: GrammarModel) -> None:
    """Write the model, compressed if the name ends in `.gz`."""
    parts = {SECTION: _constraint_lines(model), **grammar_sections(model.grammar)}
    write_sections(path, parts | tagger_sections(model.taggers))


def read_grammar_model(path: str | Path) -> GrammarModel:
    """Return the model of a file; raise InputError."""
    sections = read_sections(path)
    usual, points = _constraints(section_of(sections, SECTION, path))
    return GrammarModel(grammar_in(sections, path), read_taggers(sections, path), points, usual)


def is_grammar_model(path: str | Path) -> bool:
    """Return whether a file begins like a grammar model."""
    try:
        with open(path, "rb") as file:
            start = file.read(2)
    except OSError:
        return False
    return start == COMPRESSED or start[:1] == b"["


def _constraint_lines(model: GrammarModel) -> Iterator[str]:
    yield f"{USUAL} {'+'.join(model.usual) or 'none'}"
    for field in fields(OperatingPoints):
        yield f"{field.name} {getattr(model.points, field.name)}"


def _constraints(section: Section) -> tuple[tuple[str, ...], OperatingPoints]:
    """Return the default constraints, and the parameters of all."""
    known = {field.name for field in fields(OperatingPoints)}
    usual: tuple[str, ...] = ()
    points: dict[str, float] = {}
    for line in section.lines:
        name, _, value = line.text.partition(" ")
        if name != USUAL and name not in known:
            section.refuse(f"{name!r:.40} is no constraint", line)
        try:
            if name == USUAL:
                usual = constraint_names(value)
            else:
                points[name] = float(value)
        except InputError as error:
            section.refuse(str(error), line)
        except ValueError:
            section.refuse(f"{line.text!r:.40} has to be a constraint and a number", line)
    return usual, OperatingPoints(**points)
