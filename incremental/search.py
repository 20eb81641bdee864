"""What a session asks of a search for better analyses, and what the search answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored
from treewhile.oracles.interrupts import Interrupt


class Conflict(NamedTuple):
    """A constraint that an analysis does not meet; it concerns some words, and says so in a sentence."""

    constraint: str
    penalty: float
    words: tuple[int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """All that is known of a sentence, or of its words so far.

    `fixed` words have to keep head and label; what the preference wants should be kept, as in L1.
    """

    rescored: Rescored  # tags, features, and the probabilities of all arcs and labels; its tree is that of L1
    committed: Analysis
    is_open: bool
    previous: Analysis | None = None  # the best analysis found of these words, or of the first of them
    fixed: Mapping[int, Decision] = field(default_factory=dict)
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
    """The best analysis so far; the higher the score the better."""

    analysis: Analysis
    score: float
    conflicts: tuple[Conflict, ...] = ()
    is_settled: bool = True  # nothing would improve any more
    unfinished: object | None = None  # what the searcher goes on with if it is not settled


class Searcher(Protocol):
    """Looks for better analyses; one searcher serves all sentences, from several threads at once."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        """The best found until the interrupt is set, or earlier; if not settled, it is called again.

        None if nothing was found until then.
        """
