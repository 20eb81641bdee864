"""Grammars that are offered for one model: files and installed ones by name, and texts that people edit.

The text of a grammar comes from strangers: it includes installed grammars alone, has so many constraints, and
looks at so many combinations of words, since a search cannot stop within one round of judging, or while it
matches patterns with a word.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from treewhile.incremental.constraints.language.checking import tries_of
from treewhile.incremental.constraints.language.grammars import (
    GrammarText,
    installed_grammars,
    load_grammar,
)
from treewhile.incremental.constraints.language.lexicon import Pattern
from treewhile.incremental.constraints.language.mistakes import checked_text
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.language.written import GrammarError, problem
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, known_names
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import CompiledGrammar, Searcher, TextMistake

EDITED: Final = "the grammar"  # what messages call a text
MOST_CONSTRAINTS: Final = 300  # of a text, with those of grammars that it includes
MOST_MISTAKES: Final = 100  # that are told of a text
MOST_STATES: Final = 2_000  # of all patterns of a text: each word takes so many steps a character
MOST_TERMS: Final = 20_000  # of all formulas of a text, definitions written out
SECONDS: Final = 1.0  # of a processor, for reading a text
MOST_TRIES: Final = 100_000  # combinations of words that a text looks at in a sentence of 20 words


class OfferedGrammars:
    """Grammars for the documents of a model.

    files     names or files of grammars, by the names that documents use; installed ones need none
    may_edit  whether documents may bring texts of their own
    """

    def __init__(self, model: Model, files: Mapping[str, str], may_edit: bool = False) -> None:
        self._model, self.may_edit = model, may_edit
        self._files = files
        self._known = known_names(model)
        self._searchers: dict[str, Searcher] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        """Names of the files, then of installed grammars."""
        return offered_names(self._files)

    def named(self, name: str) -> Searcher:
        """Return the searcher under a grammar, which is read once; raise InputError if it has a mistake."""
        with self._lock:
            if name not in self._searchers:
                grammar = load_grammar(self._files.get(name, name))
                self._searchers[name] = ConstraintSearcher(self._model, grammar)
            return self._searchers[name]

    def edited(self, text: str) -> CompiledGrammar:
        """Return the searcher under a text; mistakes that are only told do not prevent it."""
        given = GrammarText(text, EDITED, EDITED, None)
        grammar, errors, doubts = checked_text(given, self._known, SECONDS)
        constraints = grammar.constraints
        errors += _too_much(constraints)
        told = sorted({_mistake(error) for error in (*errors, *doubts)})[:MOST_MISTAKES]
        if errors:
            return CompiledGrammar(None, told)
        return CompiledGrammar(ConstraintSearcher(self._model, grammar), told, len(constraints))


def offered_names(files: Iterable[str]) -> list[str]:
    """Return the names of grammars that documents can choose, given those of files."""
    return [*dict.fromkeys([*files, *installed_grammars()])]


def _too_much(constraints: tuple[Constraint, ...]) -> list[GrammarError]:
    """Return a mistake at the constraint with which a grammar becomes too large to be searched for others."""
    for number, (constraint, terms, states, tries) in enumerate(_added_up(constraints), 1):
        if number > MOST_CONSTRAINTS:
            what = f"the grammar has more than {MOST_CONSTRAINTS} constraints: leave some out"
        elif terms > MOST_TERMS:
            what = f"up to here the formulas have more than {MOST_TERMS} terms, definitions written out"
            what = f"{what}: shorten them"
        elif states > MOST_STATES:
            what = f"up to here the patterns have more than {MOST_STATES} states"
            what = f"{what}: shorten them, or repeat less"
        elif tries > MOST_TRIES:
            what = f"up to here the grammar looks at about {tries} combinations of words in a sentence of 20"
            what = f"{what}, and {MOST_TRIES} are allowed: quantify less"
        else:
            continue
        return [problem(what, constraint.place)]
    return []


def _added_up(constraints: tuple[Constraint, ...]) -> Iterator[tuple[Constraint, int, int, int]]:
    """Yield each constraint with the terms, states of patterns, and tries of all up to it."""
    terms = states = tries = 0
    patterns = set[Pattern]()
    for constraint in constraints:
        new = {part.value[1] for part in constraint.parts if part.operation == "matches"} - patterns
        patterns |= new
        terms, tries = terms + len(constraint.parts), tries + tries_of(constraint)
        states += sum(len(pattern.automaton.steps) for pattern in new)
        yield constraint, terms, states, tries


def _mistake(error: GrammarError) -> TextMistake:
    """Return a mistake; one in an included grammar stands at the beginning of the text."""
    place = error.place
    if place.file == EDITED:
        return TextMistake(place.line, place.column, error.what)
    return TextMistake(1, 1, f"{place.file}, line {place.line}: {error.what}")
