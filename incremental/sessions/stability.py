"""Stable words by a setting from 0 to 1, and the preferences that keep new parses consistent with them.

At 0 no word is stable before the sentence has ended, and analyses are the best parses. Above, words become
stable some words after they came, if the arc is likely enough, and arcs and labels of the last best parse get
a bonus, also those to a head that is still to come, or the one that has come for it.

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
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference

# In natural logarithms, at the strictest setting: the value that halves the edit overhead on EWT's dev part,
# see tests/benchmarks/bench_session.py.
LARGEST_BONUS: Final = 18.0

LONGEST_DELAY, SHORTEST_DELAY = 8, 2  # number of further words after which a word can be stable
LEAST_CONFIDENCE: Final = 0.9


def delay_at(stability: float) -> int:
    """Return the number of further words after which a word can be stable."""
    return round(LONGEST_DELAY + stability * (SHORTEST_DELAY - LONGEST_DELAY))


def stable_length(
    analysis: Analysis, confidences: Sequence[float | None], firm: int, stability: float
) -> int:
    """Return the number of leading stable words; the first `firm` words and positions are certain."""
    if not stability:
        return 0
    t = min(firm, len(analysis.words) - delay_at(stability))
    stable = reach = 0
    for word in range(1, t + 1):
        head, confidence = analysis.heads[word - 1], confidences[word - 1]
        if not isinstance(head, int) or confidence is None or confidence < LEAST_CONFIDENCE:
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


def preference(shown: Analysis, promised: int, best: Analysis, stability: float) -> Preference:
    """Return the arcs that the next parse must keep, and those of the last best parse that get a bonus."""
    fixed = dict(enumerate(shown.decisions[:promised], 1)) if promised else {}
    if not stability:
        return Preference(fixed) if fixed else NO_PREFERENCE
    wanted = {word: decision for word, decision in enumerate(best.decisions, 1) if word > promised}
    return Preference(fixed, wanted, LARGEST_BONUS * stability, len(best.words))
