"""Grammars: files of constraints, and those installed with treewhile by name: `load_grammar("english")`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf
from pathlib import Path
from time import thread_time
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.checking import (
    FollowOnError,
    Scope,
    suggestion,
    weighed_constraint,
)
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.lexicon import table_of
from treewhile.incremental.constraints.language.name_checks import check_names
from treewhile.incremental.constraints.language.syntax import LARGEST_TEXT, items_and_mistakes
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.language.written import (
    Broken,
    GrammarError,
    Include,
    Item,
    LikelyTags,
    Place,
    SectionWeight,
    TableFile,
    first_of,
    problem,
)
from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError

# Resolved, since an editable installation links here: a newly written grammar is available at once.
FOLDER: Final = Path(__file__).resolve().parent.parent / "grammars"
SUFFIX: Final = ".constraints"
MOST_FILES: Final = 100  # of a grammar
LARGEST_TABLE: Final = 1 << 24  # bytes


@dataclass(frozen=True)
class Grammar:
    """Constraints in the order of the files.

    A search may give words other tags that are at least so likely, relative to the likeliest; 1 is no choice.
    """

    name: str
    constraints: tuple[Constraint, ...]
    least_tag: float = 1.0
    doubts: tuple[GrammarError, ...] = field(default=(), compare=False)  # about what does nothing

    @property
    def chooses_tags(self) -> bool:
        """True if a search may give words other tags than the likeliest ones."""
        return self.least_tag < 1

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
    """Text of a grammar, its file in messages, its name, and the folder of its other files."""

    text: str
    file: str
    name: str
    folder: Path | None


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
        return GrammarText(text_of(path), path.name, path.stem, None)
    path = Path(name_or_path)
    if path.suffix != SUFFIX and not os.path.exists(path):  # False for too long a name, without an error
        names = ", ".join(installed)
        what = f"there is neither an installed grammar nor a file named {str(name_or_path)!r:.200}"
        raise InputError(f"{what}: give a file, or the name of one that is installed ({names})")
    return GrammarText(text_of(path), str(path), path.stem, path.parent)


def parse_grammar(
    text: str, file: str = "the given text", name: str = "given", folder: Path | None = None
) -> Grammar:
    """Return the grammar in a text; messages call it `file`, and tell the first mistake.

    Own files that it includes lie in a folder.
    """
    grammar, mistakes = grammar_and_mistakes(text, file, name, folder)
    if mistakes:
        raise first_of(mistakes)
    return grammar


def grammar_and_mistakes(
    text: str, file: str, name: str, folder: Path | None = None, seconds: float = inf
) -> tuple[Grammar, list[GrammarError]]:
    """Return the grammar of the items without mistakes, and the mistakes, one an item.

    Other files of the grammar lie in a folder, or below it. Reading ends with a mistake after some seconds of
    processor time.
    """
    reader = _Reader(file, folder, thread_time() + seconds)
    reader.read(text, file, folder)
    doubts = () if reader.mistakes else (*reader.doubts(),)
    return Grammar(name, reader.constraints(), reader.least_tag, doubts), reader.mistakes


class _Reader:
    """Reader of files in turn; each is included once."""

    def __init__(self, file: str, folder: Path | None, until: float = inf) -> None:
        self.scope = Scope()
        self._until = until  # on the clock `thread_time`
        self.mistakes: list[GrammarError] = []
        self._folder = folder
        self._included: set[str] = set()
        self._open = [] if folder is None else [str(Path(file).resolve())]  # files that are being read
        self._weights: dict[str, SectionWeight] = {}  # by section
        self.least_tag = 1.0

    def constraints(self) -> tuple[Constraint, ...]:
        """Return the constraints, as their sections weigh them."""
        found = self.scope.constraints.values()
        weights = {name: item.weight for name, item in self._weights.items()}
        weighed = ((constraint, weights.get(constraint.section, 1)) for constraint in found)
        return tuple(weighed_constraint(constraint, weight) for constraint, weight in weighed if weight > 0)

    def doubts(self) -> Iterator[GrammarError]:
        """Yield a doubt about each section that is weighed or off, and has no constraint."""
        sections = {constraint.section for constraint in self.scope.constraints.values()}
        for name, item in self._weights.items():
            if name not in sections:
                what = f"no constraint is in the section {name!r:.60}{suggestion(name, sections)}"
                yield problem(what, item.place)

    def read(self, text: str, file: str, folder: Path | None) -> None:
        """Read a file, whose own includes and tables are relative to its folder."""
        items, mistakes = items_and_mistakes(text, file)
        self.mistakes += mistakes
        for item in items:
            if thread_time() > self._until and not isinstance(item, Broken):
                what = "reading the grammar takes too long: define less in terms of other formulas"
                self.mistakes.append(problem(what, item.place))
                return
            try:
                self._add(item, folder)
            except FollowOnError:
                self.scope.refuse(item)
            except GrammarError as error:
                self.scope.refuse(item)
                self.mistakes.append(error)

    def _add(self, item: Item, folder: Path | None) -> None:
        match item:
            case Include():
                self._include(item.name, item.place, folder)
            case TableFile():
                path = self._own_file(item.path, item.place, folder)
                self.scope.add_table(
                    table_of(item.name, _table_text(path, item.place), item.path, item.place), item.place
                )
            case SectionWeight():
                self._weights[item.name] = item
            case LikelyTags():
                self.least_tag = item.least
            case _:
                self.scope.add(item)

    def _include(self, name: str, place: Place, folder: Path | None) -> None:
        installed = installed_grammars()
        if name in installed:
            path, file, below = installed[name], installed[name].name, None
        elif name.endswith(SUFFIX):
            path = self._own_file(name, place, folder)
            file, below = str(path), path.parent
        else:
            names = ", ".join(installed)
            what = f"no grammar named {name!r:.60} is installed: include one of {names}"
            raise problem(f'{what}, or a file of your own, "...{SUFFIX}"', place)
        if str(path) in self._open:
            raise problem(f"{name!r:.60} includes itself, by way of this file: leave this out", place)
        if name in installed and self._is_new:
            self._begin_with(_read_installed(name, _stamps(installed)))
        elif str(path) not in self._included:
            self._included.add(str(path))
            self._open.append(str(path))
            if len(self._included) > MOST_FILES:
                raise problem(f"the grammar has more than {MOST_FILES} files: join some", place)
            with _told_at(place):
                text = text_of(path)
            self.read(text, file, below)
            self._open.pop()

    @property
    def _is_new(self) -> bool:
        """True if nothing has been read yet."""
        return (
            self.scope.is_empty
            and not (self._included or self._weights or self.mistakes)
            and self.least_tag == 1
        )

    def _begin_with(self, other: _Reader) -> None:
        """Take over what another reader has read."""
        self.scope, self.mistakes = other.scope.copy(), [*other.mistakes]
        self._included, self._weights = {*other._included}, {**other._weights}
        self.least_tag = other.least_tag

    def _own_file(self, name: str, place: Place, folder: Path | None) -> Path:
        """Return a file of the grammar, which may not lie outside its folder."""
        if folder is None or self._folder is None:
            raise problem(f"{name!r:.60} is a file, and this text has no folder: save the text first", place)
        path = (folder / name).resolve()
        if Path(name).is_absolute() or not path.is_relative_to(self._folder.resolve()):
            raise problem(f"{name!r:.60} lies outside the grammar's folder: move it there", place)
        if path.exists() and not path.is_file():  # to open a pipe may take for ever
            raise problem(f"{name!r:.60} is a folder, a pipe or a device: name a file", place)
        return path


def _stamps(installed: Mapping[str, Path]) -> tuple[int, ...]:
    """Return the times at which the installed grammars were written."""
    return tuple(path.stat().st_mtime_ns for path in installed.values())


@lru_cache(maxsize=8)
def _read_installed(name: str, _: tuple[int, ...]) -> _Reader:
    """Return a reader that has read one installed grammar, as long as none of them is written anew."""
    path = installed_grammars()[name]
    reader = _Reader(path.name, None)
    reader._included.add(str(path))
    reader._open.append(str(path))
    reader.read(text_of(path), path.name, None)
    reader._open.pop()
    return reader


@contextmanager
def _told_at(place: Place) -> Iterator[None]:
    """Name the place of an include whose file cannot be read."""
    try:
        yield
    except GrammarError:
        raise
    except InputError as error:
        raise problem(str(error), place) from None


def text_of(path: Path, largest: int = LARGEST_TEXT) -> str:
    """Return the text of a file, or too long a text of a file that is too large."""
    with system_errors_named(f"read {path}"), open(path, "rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest > LARGEST_TEXT:
        raise InputError(f"{path} has more than {largest} bytes: keep the words that matter")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        if len(content) > largest:
            return content.decode(errors="replace")
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        byte = content[error.start]
        what = f"the byte 0x{byte:02x} is no part of a text in UTF-8, save the file as UTF-8"
        raise problem(what, Place(str(path), line, column)) from None


def _table_text(path: Path, place: Place) -> str:
    """Return the text of a table; a larger one than LARGEST_TABLE is refused."""
    with _told_at(place):
        return text_of(path, LARGEST_TABLE)
