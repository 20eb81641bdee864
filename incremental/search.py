"""Requests and results of the search for better analyses."""

from __future__ import annotations

from collections.abc import Mapping
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
