"""Grammars: files of constraints, and those installed with treewhile by name: `load_grammar("english")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.checking import Scope
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.name_checks import check_names
from treewhile.incremental.constraints.language.syntax import LARGEST_TEXT, items_and_mistakes
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.language.written import GrammarError, Include, Item, Place, problem
from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError

# Resolved, since an editable installation links here: a newly written grammar is available at once.
FOLDER: Final = Path(__file__).resolve().parent.parent / "grammars"
SUFFIX: Final = ".constraints"


@dataclass(frozen=True)
class Grammar:
    """Constraints in the order of the files."""

    name: str
    constraints: tuple[Constraint, ...]

    @cached_property
    def predictors(self) -> tuple[str, ...]:
        """Names of all predictors that constraints use."""
        return tuple(sorted({name for constraint in self.constraints for name in constraint.predictors}))

    @cached_property
    def weighing(self) -> Grammar:
        """Grammar of the constraints with a penalty, which count in a search."""
        return self._where(lambda constraint: constraint.penalty is not None)

    @cached_property
    def telling(self) -> Grammar:
        """Grammar of the constraints with a message for people."""
        return self._where(lambda constraint: constraint.message is not None)

    def _where(self, is_meant: Callable[[Constraint], bool]) -> Grammar:
        return replace(self, constraints=tuple(filter(is_meant, self.constraints)))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each constraint by its name."""
        return {constraint.name: number for number, constraint in enumerate(self.constraints)}

    def with_penalties(self, penalties: Mapping[str, float]) -> Grammar:
        """Return the grammar with other penalties for some constraints."""
        for name, penalty in penalties.items():
            if name not in self.numbers:
                raise InputError(f"the grammar {self.name} has no constraint {name!r:.60}: correct the name")
            if not 0 <= penalty <= 1:
                raise InputError(f"the penalty {penalty:g} of {name!r:.60} has to be a number from 0 to 1")
        changed = [
            constraint.with_penalty(penalties[constraint.name])
            if constraint.name in penalties
            else constraint
            for constraint in self.constraints
        ]
        return replace(self, constraints=tuple(changed))


def installed_grammars() -> dict[str, Path]:
    """Return the grammar files by name, in alphabetical order."""
    return {path.stem: path for path in sorted(FOLDER.glob(f"*{SUFFIX}"))}


class GrammarText(NamedTuple):
    """Text of a grammar, the name of its file in messages, and that of the grammar."""

    text: str
    file: str
    name: str


def load_grammar(name_or_path: str | Path, known: KnownNames | None = None) -> Grammar:
    """Return the installed grammar with a name, or the one in a file; refuse names that are not known."""
    grammar = parse_grammar(*grammar_text(name_or_path))
    if known is not None:
        check_names(grammar.constraints, known)
    return grammar


def grammar_text(name_or_path: str | Path) -> GrammarText:
    """Return the text of the installed grammar with a name, or of the one in a file."""
    installed = installed_grammars()
    if str(name_or_path) in installed:
        path = installed[str(name_or_path)]
        return GrammarText(text_of(path), path.name, path.stem)
    path = Path(name_or_path)
    if path.suffix != SUFFIX and not os.path.exists(path):  # False for too long a name, without an error
        names = ", ".join(installed)
        what = f"there is neither an installed grammar nor a file named {str(name_or_path)!r:.200}"
        raise InputError(f"{what}: give a file, or the name of one that is installed ({names})")
    return GrammarText(text_of(path), str(path), path.stem)


def parse_grammar(text: str, file: str = "the given text", name: str = "given") -> Grammar:
    """Return the grammar in a text; messages call it `file`, and tell the first mistake."""
    grammar, mistakes = grammar_and_mistakes(text, file, name)
    if mistakes:
        raise mistakes[0]
    return grammar


def grammar_and_mistakes(text: str, file: str, name: str) -> tuple[Grammar, list[GrammarError]]:
    """Return the grammar of the items without mistakes, and the mistakes, one an item."""
    reader = _Reader()
    reader.read(text, file)
    return Grammar(name, tuple(reader.scope.constraints.values())), reader.mistakes


class _Reader:
    """Reader of files in turn; each is included once."""

    def __init__(self) -> None:
        self.scope = Scope()
        self.mistakes: list[GrammarError] = []
        self._included: set[str] = set()

    def read(self, text: str, file: str) -> None:
        items, mistakes = items_and_mistakes(text, file)
        self.mistakes += mistakes
        for item in items:
            try:
                self._add(item)
            except GrammarError as error:
                self.mistakes.append(error)

    def _add(self, item: Item) -> None:
        if isinstance(item, Include):
            self._include(item.name, item.place)
        else:
            self.scope.add(item)

    def _include(self, name: str, place: Place) -> None:
        if name in self._included:
            return
        if name not in installed_grammars():
            names = ", ".join(installed_grammars())
            raise problem(f"no grammar named {name!r:.60} is installed: include one of {names}", place)
        self._included.add(name)
        path = installed_grammars()[name]
        self.read(text_of(path), path.name)


def text_of(path: Path) -> str:
    with system_errors_named(f"read {path}"), open(path, "rb") as file:
        content = file.read(LARGEST_TEXT + 1)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        if len(content) > LARGEST_TEXT:
            return content.decode(errors="replace")
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        byte = content[error.start]
        what = f"the byte 0x{byte:02x} is no part of a text in UTF-8, save the file as UTF-8"
        raise problem(what, Place(str(path), line, column)) from None
