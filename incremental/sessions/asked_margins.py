"""Margins of arcs that a client has asked about, and their form in messages."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from treewhile.incremental.parsers.alternatives import Alternative
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.sessions.jobs import Job, WeighedArc
from treewhile.incremental.sessions.messages import AlternativeView, MarginView, Prediction, RivalView
from treewhile.incremental.sessions.messages import Head as HeadView
from treewhile.incremental.sessions.words_to_come import head_view

DIGITS: Final = 4  # decimal places of margins, penalties and probabilities
MOST_ALTERNATIVES: Final = 3  # to one arc


class AskedMargins:
    """Words of a sentence whose arcs were asked about, and what is known of them."""

    __slots__ = ("found", "running", "wanted")

    def __init__(self) -> None:
        self.wanted: set[int] = set()
        self.found: tuple[Analysis, dict[int, WeighedArc]] | None = None  # of one shown analysis
        self.running: Job | None = None

    def ask(self, words: Iterable[int]) -> None:
        """Want the margins of more arcs."""
        self.wanted |= {*words}

    def missing(self, analysis: Analysis) -> list[int]:
        """Return the wanted words whose margins in an analysis are not known."""
        if self.found is None or self.found[0] is not analysis:
            self.found = analysis, {}
        known = self.found[1]
        return [word for word in sorted(self.wanted) if word <= len(analysis.words) and word not in known]

    def take(self, analysis: Analysis, arcs: Iterable[WeighedArc]) -> bool:
        """Keep margins in an analysis; return whether all that is wanted is known."""
        missing = self.missing(analysis)
        assert self.found is not None
        self.found[1].update((arc.margin.word, arc) for arc in arcs)
        return all(word in self.found[1] for word in missing)

    def taken(self) -> list[WeighedArc]:
        """Return what was wanted, once, the least sure first."""
        known = self.found[1] if self.found else {}
        arcs = [known[word] for word in sorted(self.wanted) if word in known]
        self.wanted, self.found = set(), None
        return sorted(arcs, key=lambda arc: arc.margin.margin)

    def give_up(self) -> None:
        """Forget what is wanted, since it cannot be had."""
        self.wanted, self.found = set(), None

    def hand_back(self, job: Job) -> None:
        """Note that a job has returned, with any result."""
        if job is self.running:
            self.running = None


def margin_view(arc: WeighedArc, prediction: Prediction) -> MarginView:
    """Return a margin in the notation of messages."""
    (word, (head, label), margin, rival, alternatives), deciding = arc
    return MarginView(
        word,
        head_view(head, prediction),
        label,
        round(margin, DIGITS) if math.isfinite(margin) else None,
        None if rival is None else RivalView(head_view(rival.head, prediction), rival.label),
        None if deciding is None else deciding.constraint,
        None if deciding is None else round(deciding.penalty, DIGITS),
        _alternative_views(alternatives, prediction) or None,
    )


def _alternative_views(alternatives: Iterable[Alternative], prediction: Prediction) -> list[AlternativeView]:
    """Return the likeliest alternatives; those that read the same, as on words to come, count as one."""
    sums = defaultdict[tuple[HeadView, str], float](float)
    for (head, label), probability in alternatives:
        sums[head_view(head, prediction), label] += probability
    likeliest = sorted(sums.items(), key=lambda one: -one[1])[:MOST_ALTERNATIVES]
    return [AlternativeView(*arc, round(probability, DIGITS)) for arc, probability in likeliest]
