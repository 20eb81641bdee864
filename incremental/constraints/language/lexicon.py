"""Words of a grammar's lexicon: patterns of forms, matched in linear time, and tables of words."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from treewhile.incremental.constraints.language.written import Place, problem

MOST_STATES: Final = 1000  # of a pattern, repetitions written out
DEEPEST_GROUP: Final = 20
LONGEST_MATCHED: Final = 250  # characters of a word
MOST_ROWS: Final = 200_000

ATOM: Final = re.compile(
    r"""(?P<escape>\\[dwsDWS]|\\[^0-9A-Za-z])
    |(?P<set>\[\^?\]?(?:\\[dwsDWS]|\\[^0-9A-Za-z]|[^\]\\])*\])
    |(?P<count>\{(?P<least>[0-9]{1,4})(?P<comma>,(?P<most>[0-9]{0,4}))?\})
    |(?P<sign>[()|*+?])
    |(?P<plain>[^\\\[\]{}()|*+?])""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Pattern:
    """Regular expression for whole forms: `.`, `[a-z]`, `\\d`, `|`, `( )`, `*`, `+`, `?`, `{2,3}`.

    It runs as an automaton (Thompson 1968), in the length of the word times that of the pattern. Words that
    are longer than any real one match no pattern.
    """

    text: str

    def matches(self, word: str) -> bool:
        if len(word) > LONGEST_MATCHED:
            return False
        automaton = self.automaton
        states = automaton.closed({0})
        for character in word:
            states = automaton.closed(
                {
                    target
                    for state in states
                    for test, target in automaton.steps[state]
                    if test is not None and test.fullmatch(character)
                }
            )
        return automaton.end in states

    @property
    def capital(self) -> str | None:
        """First character that no case-folded word has; None if there is none."""
        plain = (text for text, match in _atoms(self.text) if match["plain"])
        return next((text for text in plain if text != text.casefold()), None)

    @cached_property
    def automaton(self) -> Automaton:
        return Automaton(self.text)


class PatternError(ValueError):
    """Error for a pattern that is not one of those allowed."""


Step = tuple[re.Pattern[str] | None, int]  # the test of a character, None for no character; the next state


class Automaton:
    """States with steps between them, from state 0 to the end."""

    def __init__(self, text: str) -> None:
        self.steps: list[list[Step]] = [[]]
        self._atoms = [*_atoms(text)]
        self._place = self._nesting = 0
        self.end = self._either(0)
        if self._place < len(self._atoms):
            raise PatternError("a ) has no counterpart")

    def closed(self, states: set[int]) -> set[int]:
        """Return the states that are reached without a character."""
        found, todo = set(states), [*states]
        while todo:
            for test, target in self.steps[todo.pop()]:
                if test is None and target not in found:
                    found.add(target)
                    todo.append(target)
        return found

    def _state(self) -> int:
        if len(self.steps) >= MOST_STATES:
            raise PatternError(f"it has more than {MOST_STATES} states: shorten it, or repeat less")
        self.steps.append([])
        return len(self.steps) - 1

    def _now(self) -> str:
        return self._atoms[self._place][0] if self._place < len(self._atoms) else ""

    def _either(self, start: int) -> int:
        """Add alternatives from a state, and return their common end."""
        ends = [self._sequence(start)]
        while self._now() == "|":
            self._place += 1
            ends.append(self._sequence(start))
        if len(ends) == 1:
            return ends[0]
        end = self._state()
        for one in ends:
            self.steps[one].append((None, end))
        return end

    def _sequence(self, start: int) -> int:
        start = self._stepped(start)
        while self._now() not in ("", "|", ")"):
            start = self._repeated(start)
        return start

    def _stepped(self, start: int) -> int:
        """Return a new state behind one."""
        state = self._state()
        self.steps[start].append((None, state))
        return state

    def _repeated(self, start: int) -> int:
        """Add the next atom with its repetitions, which are written out."""
        first = self._place
        end = self._one(start)
        least, most = self._counts()
        behind = self._place
        if (least, most) == (1, 1):
            return end
        ends = [start] if least == 0 else []
        for number in range(2, 1 + max(least, most or 0, 1)):
            if number > least:
                ends.append(end)
            end = self._again(first, self._stepped(end))
        if most is None:
            before = self._stepped(end)
            end = self._again(first, before)
            self.steps[end].append((None, before))
            ends.append(before)
        if most == 0:
            end = self._state()
        self._place = behind
        last = self._stepped(end)
        for one in ends:
            self.steps[one].append((None, last))
        return last

    def _again(self, place: int, start: int) -> int:
        self._place = place
        return self._one(start)

    def _counts(self) -> tuple[int, int | None]:
        """Return the least and the greatest number of repetitions; None for any number."""
        text, match = self._atoms[self._place] if self._place < len(self._atoms) else ("", None)
        known = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        counts: tuple[int, int | None] = known.get(text, (1, 1))
        if match is not None and match["count"]:
            least, most = int(match["least"]), match["most"]
            counts = least, (least if match["comma"] is None else int(most) if most else None)
            if counts[1] is not None and counts[1] < least:
                raise PatternError(f"{text} counts backwards")
        elif text not in known:
            return counts
        self._place += 1
        if self._now() in known or self._now().startswith("{"):
            raise PatternError(f"{self._now()} repeats a repetition: put it into parentheses")
        return counts

    def _one(self, start: int) -> int:
        """Add a character or a group, and return the state behind it."""
        text, match = self._atoms[self._place]
        self._place += 1
        if text == "(":
            self._nesting += 1
            if self._nesting > DEEPEST_GROUP:
                raise PatternError(f"it nests more than {DEEPEST_GROUP} levels deep")
            end = self._either(self._stepped(start))
            self._nesting -= 1
            if self._now() != ")":
                raise PatternError("a ( has no counterpart")
            self._place += 1
            return self._stepped(end)
        if text in ("^", "$"):
            whole = "a pattern matches the whole form: leave out ^ and $, and write .* where the form goes on"
            raise PatternError(f"{text} stands for no end here; {whole}")
        if match["sign"] or match["count"]:
            raise PatternError(f"{text} has nothing to repeat")
        end = self._state()
        is_class = match["escape"] or match["set"] or text == "."
        self.steps[start].append((_character(text if is_class else re.escape(text)), end))
        return end


def _character(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.DOTALL)
    except re.error as error:
        raise PatternError(f"{text} is no set of characters: {error.msg}") from None


def _atoms(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    at = 0
    while at < len(text):
        match = ATOM.match(text, at)
        if match is None:
            raise PatternError(f"{text[at : at + 2]} has no meaning: write a backslash before a sign")
        yield match[0], match
        at = match.end()


@dataclass(frozen=True, eq=False)
class Table:
    """Table of words: rows by the case-folded word in the first column, values by the name of a column."""

    name: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]] = field(repr=False)

    @cached_property
    def values(self) -> Mapping[str, frozenset[str]]:
        """All values of each column; several in one cell are separated by commas."""
        return {
            column: frozenset(
                value for row in self.rows.values() for value in row.get(column, "").split(",") if value
            )
            for column in self.columns
        }


def table_of(name: str, text: str, file: str, place: Place) -> Table:
    """Return the table in a text of comma-separated values with a header; empty cells are missing."""
    lines = csv.reader(text.removeprefix("\ufeff").splitlines())
    try:
        header = next(lines, [])
        if len(header) < 2 or len({*header}) < len(header) or "" in header:
            raise problem(f"{file} has no header with a word and at least one other name", place)
        rows: dict[str, dict[str, str]] = {}
        for cells in lines:
            if len(rows) >= MOST_ROWS:
                raise problem(f"{file} has more than {MOST_ROWS} rows: keep the words that matter", place)
            if cells:
                _add_row(rows, header, cells, f"{file}:{lines.line_num}", place)
    except csv.Error as error:
        raise problem(f"{file}:{lines.line_num} is no row of a table: {error}", place) from None
    return Table(name, (*header[1:],), rows)


def _add_row(
    rows: dict[str, dict[str, str]], header: list[str], cells: list[str], where: str, place: Place
) -> None:
    """Add a row; the values of a word that stands twice are joined."""
    if len(cells) != len(header):
        raise problem(f"{where} has {len(cells)} cells, and the header {len(header)}", place)
    row = rows.setdefault(cells[0].strip().casefold(), {})
    for column, cell in zip(header[1:], cells[1:], strict=True):
        values = [value.strip() for value in cell.split(",") if value.strip()]
        joined = dict.fromkeys([*filter(None, row.get(column, "").split(",")), *values])
        if joined:
            row[column] = ",".join(joined)
