"""Shown analysis of a sentence, from the first one of its words to the best one, and promises about it.

Words become stable by a setting from 0 to 1. At 0 no word is stable before the sentence has ended, and
analyses are the best parses. Above, words become stable some words after they came, if the arc is likely
enough, and arcs and labels of the last best parse get a bonus, also those to a head that is still to come, or
the one that has come for it. What was declared stable is promised.

Stable words are a prefix that is closed under heads: their heads are stable words or the root, so no change
behind them affects them. They come from one tree, and the next parse has a tree with their arcs. If that tree
was projective: leave out removed words, attach their children to the nearest ancestor, or, without one, to
the root's child; new words attach below a covering arc, or to LATER. If it was in MH4, the items of heads
that derive it derive the stable words, too, without the words behind; the root's child leaves them last, so
it can take all new words. If the class has no tree with their arcs, since a search found them or the sentence
has become too long for the class, they are lifted while the others are decoded (`Preference.decodable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.corrections import NO_CORRECTIONS, Corrections
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored
from treewhile.incremental.search import Conflict, SearchResult, Violation
from treewhile.incremental.sessions.document_parses import Attached
from treewhile.incremental.sessions.messages import Level
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.standing_trees import (
    Constituents,
    LemmaColumns,
    RatedAnalysis,
    carried,
    carried_constituents,
    completed,
    first_words,
    joined,
    places_before,
    still_told,
    with_corrections,
    with_promised,
    with_waiting,
)

# What each setting costs is measured by tests/benchmarks/bench_session.py. At the strictest one the bonus, in
# natural logarithms, halves the edit overhead on EWT's dev part; most of its cost is at the last settings.
LARGEST_BONUS: Final = 14.0
STEEPNESS: Final = 3  # power of the setting by which the bonus grows

LONGEST_DELAY, SHORTEST_DELAY = 8, 1  # number of further words after which a word can be stable
HIGHEST_CONFIDENCE: Final = 0.9  # that it has to have at the mildest setting
# Power by which it falls: bonuses keep arcs of low confidence, which had fewer words promised at 0.9 than at
# 0.5 when it fell evenly.
FALL: Final = 5


def delay_at(stability: float) -> int:
    """Return the number of further words after which a word can be stable."""
    return round(LONGEST_DELAY + stability * (SHORTEST_DELAY - LONGEST_DELAY))


def confidence_at(stability: float) -> float:
    """Return the confidence from which a word can be stable."""
    return HIGHEST_CONFIDENCE * (1 - stability) ** FALL


def bonus_at(stability: float) -> float:
    """Return the bonus of arcs and labels that the last best parse had."""
    return LARGEST_BONUS * stability**STEEPNESS


def stable_length(
    analysis: Analysis, confidences: Sequence[float | None], firm: int, stability: float
) -> int:
    """Return the number of leading stable words; the first `firm` words and positions are certain."""
    if not stability:
        return 0
    t, least = min(firm, len(analysis.words) - delay_at(stability)), confidence_at(stability)
    stable = reach = 0
    for word in range(1, t + 1):
        head, confidence = analysis.heads[word - 1], confidences[word - 1]
        if not isinstance(head, int) or confidence is None or confidence < least:
            break
        reach = max(reach, head)
        if reach <= word:
            stable = word
    return stable


def closed_length(analysis: Analysis, t: int) -> int:
    """Return the number of leading words, up to t, that are closed under heads."""
    reach = closed = 0
    for word, head in enumerate(analysis.heads[:t], 1):
        reach = max(reach, head if isinstance(head, int) else len(analysis.heads) + 1)
        if reach <= word:
            closed = word
    return closed


def preference(
    shown: Analysis,
    promised: int,
    best: Analysis,
    stability: float,
    corrections: Corrections = NO_CORRECTIONS,
) -> Preference:
    """Return the arcs that the next parse must keep, and those of the last best parse that get a bonus."""
    fixed = dict(enumerate(shown.decisions[:promised], 1)) if promised else {}
    if not stability:
        is_any = fixed or corrections
        return Preference(fixed, corrections=corrections) if is_any else NO_PREFERENCE
    wanted = {
        word: decision
        for word, decision in enumerate(best.decisions, 1)
        if word > promised and word not in corrections
    }
    return Preference(fixed, wanted, bonus_at(stability), len(best.words), corrections)


NOTHING: Final = Analysis((), (), (), (), ())


class Standing:
    """Shown analysis, the best one behind it, and promises about both."""

    __slots__ = (
        "best",
        "broken",
        "conflicts",
        "constituents",
        "corrections",
        "is_proven",
        "levels",
        "parsed",
        "promised",
        "score",
        "shown",
    )

    def __init__(self) -> None:
        self.shown: RatedAnalysis = (NOTHING, ())
        self.best: RatedAnalysis = (NOTHING, ())  # of L1 or L2, of at least the first words
        self.parsed = NOTHING  # last result of L1
        self.levels: tuple[Level, ...] = ("L0",)
        self.score: float | None = None
        self.conflicts: tuple[Conflict, ...] = ()
        self.broken: tuple[Violation, ...] = ()  # constraints of the last search, if they were asked for
        self.is_proven = False  # a search has shown that no tree has a higher score
        self.constituents: Constituents | None = None  # None if they are not known
        self.promised = 0  # number of leading words that do not change any more
        self.corrections: Corrections = NO_CORRECTIONS  # what somebody has decided, by word

    @property
    def told(self) -> tuple[object, ...]:
        """Values whose change is sent."""
        return self.shown[0], self.score, self.conflicts, self.broken, self.parsed.lemmas

    def lemmas(self, are_wanted: bool) -> LemmaColumns:
        """Return lemma and XPOS of the shown words that the last L1 had."""
        words, parsed = self.shown[0].words, self.parsed
        if not (are_wanted and parsed.lemmas):
            return (None,) * len(words), (None,) * len(words)
        places = range(len(words)) if words == parsed.words else places_before(parsed.words, words)
        lemmas, xpos = (
            [column[place] if column and place is not None else None for place in places]
            for column in (parsed.lemmas, parsed.xpos)
        )
        return lemmas, xpos

    @property
    def holds_corrections(self) -> bool:
        """True if the shown analysis has all that somebody has decided."""
        shown = self.shown[0]
        return all(
            word <= len(shown.words)
            and correction.holds(shown.heads[word - 1], shown.labels[word - 1])
            and correction.tag in (None, shown.tags[word - 1])
            for word, correction in self.corrections.items()
        )

    def correct(self, corrections: Corrections) -> None:
        """Set what somebody has decided, which ends promises."""
        self.corrections, self.promised = corrections, 0

    def keep_words(self, kept: int, alike: int, keeps_promises: bool) -> None:
        """Keep the first `kept` words; up to `alike` they differ in capitals alone, behind that they are new.

        Results for words with other capitals stay until L1 has judged them, so a repeated transcript with
        capitals changes nothing visible.
        """
        if not keeps_promises:
            self.promised = 0
        elif kept < self.promised:
            self.promised = closed_length(self.shown[0], kept)
        self.best = first_words(self.best, min(alike, len(self.best[1])))

    def show_committed(self, attached: Attached, stands_still: bool, is_refined: bool) -> None:
        """Show the committed results for the current words."""
        before, committed = self.shown, (attached.at_once, attached.confidences)
        self._carry_constituents(attached, is_refined)
        if attached.is_begun and len(before[1]) == len(attached.confidences) - 1:
            self.shown = with_waiting(before, attached.at_once.words[-1], attached.at_once.tags[-1])
        elif stands_still:
            self.shown = carried(before, committed, attached.trees, binds=not attached.is_begun)
        else:
            goes_on = is_refined and len(self.best[1]) >= self.promised
            first = self.best if goes_on else first_words(before, self.promised)
            self.shown = joined(first, committed, attached.trees)
        if attached.is_closed and self.shown[0] is not attached.at_once:
            self.shown = completed(self.shown, attached.at_once, attached.root_label, attached.trees)
        self.conflicts = still_told(self.conflicts, before[0], self.shown[0])
        self.levels, self.score, self.is_proven = ("L0",), None, False

    def _carry_constituents(self, attached: Attached, is_refined: bool) -> None:
        """Show the previous constituents, carried to the current words."""
        if self.constituents is None or not is_refined:
            self.constituents = None
            return
        before = self.shown[0].words
        places = places_before(before, attached.at_once.words)
        self.constituents = carried_constituents(self.constituents, places, len(before), attached.is_closed)

    def show_parsed(self, rescored: Rescored, firm: int, stability: float, is_corrected: bool) -> None:
        """Show the best parse; if a search is to follow, with the corrections of the last search."""
        before, said = self.shown[0], (rescored.analysis, rescored.confidences)
        self.shown = said
        self._show_constituents(rescored.constituents)
        self.promise(firm, stability)
        if is_corrected:
            shown = with_corrections(said[0], self.parsed, self.best[0], self.promised, rescored.trees)
            self.shown = shown, rescored.confidences_of(shown)
        self.conflicts = still_told(self.conflicts, before, self.shown[0])
        self.best, self.parsed = said, said[0]
        self.score, self.levels, self.is_proven = rescored.score, ("L0", "L1"), False

    def _show_constituents(self, found: Constituents | None) -> None:
        """Show the constituents of the best parse, but keep promised ones."""
        stands = self.constituents if self.promised else None
        if found is not None and stands is not None:
            self.constituents = with_promised(found, stands, self.promised)
        else:
            self.constituents = found

    def show_found(self, result: SearchResult, rescored: Rescored, firm: int, stability: float) -> None:
        """Show the result of a search, unless its score is worse."""
        if "L2" in self.levels and self.score is not None and result.score < self.score:
            return
        self.best = self.shown = result.analysis, rescored.confidences_of(result.analysis)
        self.score, self.conflicts, self.levels = result.score, result.conflicts, ("L0", "L1", "L2")
        self.broken, self.is_proven = result.broken, result.is_proven
        self.promise(firm, stability)

    def promise(self, firm: int, stability: float) -> None:
        """Promise the words that have become stable; the first `firm` words are certain."""
        self.promised = max(self.promised, stable_length(*self.shown, firm, stability))

    def drop_conflicts_of_before(self) -> None:
        """Drop conflicts that no search of the current words has found."""
        if "L2" not in self.levels:
            self.conflicts = ()

    def preference(self, options: DocumentOptions, is_whole: bool) -> Preference:
        """Return the preference of the next parse for shown arcs; none once promises have ended."""
        if is_whole and not options.keep_promises:
            return Preference(corrections=self.corrections) if self.corrections else NO_PREFERENCE
        return preference(self.shown[0], self.promised, self.best[0], options.stability, self.corrections)

    @property
    def fixed(self) -> Preference:
        """Arcs that a search must keep."""
        return preference(self.shown[0], self.promised, self.best[0], 0.0, self.corrections)

    def allows(self, analysis: Analysis) -> bool:
        """Return whether an analysis is about the current words, and keeps the promised ones."""
        shown, promised = self.shown[0], slice(self.promised)
        return (
            analysis.words == shown.words
            and analysis.heads[promised] == shown.heads[promised]
            and analysis.labels[promised] == shown.labels[promised]
            and all(
                correction.holds(analysis.heads[word - 1], analysis.labels[word - 1])
                for word, correction in self.corrections.items()
            )
        )
