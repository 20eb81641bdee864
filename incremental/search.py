"""Requests and results of the search for better analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored
from treewhile.oracles.interrupts import Interrupt


class Conflict(NamedTuple):
    """Constraint that an analysis violates, with its words and its message."""

    constraint: str
    penalty: float
    words: tuple[int, ...]
    message: str


class Violation(NamedTuple):
    """Constraint that counts in a search and that an analysis violates, with its words, of which x is X."""

    constraint: str
    section: str
    penalty: float
    words: tuple[int, ...]
    x: int | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Data of a sentence, or of its words so far, for a search.

    What is `fixed` must stay; the preference has soft bonuses, as in L1.
    """

    rescored: Rescored  # tags, features, and the probabilities of all arcs and labels; its tree is that of L1
    committed: Analysis
    is_open: bool
    previous: Analysis | None = None  # the best analysis found of these words, or of the first ones
    fixed: Preference = NO_PREFERENCE
    preference: Preference = NO_PREFERENCE
    unfinished: object | None = None  # of the last result for the same words
    tells_broken: bool = False  # whether the result lists all broken constraints

    @property
    def words(self) -> tuple[str, ...]:
        return self.rescored.analysis.words

    @property
    def tags(self) -> tuple[str, ...]:
        return self.rescored.analysis.tags

    @property
    def features(self) -> tuple[str, ...]:
        return self.rescored.analysis.features


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Best analysis so far; higher scores are better."""

    analysis: Analysis
    score: float
    conflicts: tuple[Conflict, ...] = ()
    is_settled: bool = True  # no further search would improve it
    unfinished: object | None = None  # state from which the searcher can continue, if not settled
    broken: tuple[Violation, ...] = ()  # if they were asked for, the hardest first
    is_proven: bool = False  # settled, and no tree that keeps what is fixed has a higher score


class Searcher(Protocol):
    """Interface of a searcher, which serves all sentences, from several threads at once."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        """Return the best analysis until the interrupt, or earlier; if not settled, it is called again.

        None if there was none until then.
        """


class DecidingConstraint(NamedTuple):
    """Constraint that speaks most for an arc and against its rival, with the penalty of its violations."""

    constraint: str
    penalty: float


@runtime_checkable
class Explainer(Searcher, Protocol):
    """Interface of a searcher that tells why an analysis has its arcs."""

    def deciding(
        self, request: SearchRequest, analysis: Analysis, rivals: Mapping[int, Decision]
    ) -> Mapping[int, DecidingConstraint]:
        """Return the constraints that decided against rivals of the arcs of an analysis, by word."""


class TextMistake(NamedTuple):
    """Mistake in the text of a grammar, in one sentence; line and column count from 1."""

    line: int
    column: int
    message: str


class CompiledGrammar(NamedTuple):
    """Searcher under a grammar with so many constraints, or the mistakes in its text."""

    searcher: Searcher | None
    mistakes: Sequence[TextMistake] = ()
    constraints: int = 0


class Grammars(Protocol):
    """Grammars for the documents of one model; any thread may compile them.

    names      those that documents can name
    may_edit   whether documents may bring texts of their own
    """

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def may_edit(self) -> bool: ...

    def named(self, name: str) -> Searcher:
        """Return the searcher under a grammar; raise InputError if it cannot be read."""

    def edited(self, text: str) -> CompiledGrammar:
        """Return the searcher under a text, or the mistakes in it."""
