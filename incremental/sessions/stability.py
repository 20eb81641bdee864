"""Which words will not change any more, by a setting from 0 to 1, and what holds new parses to that.

At 0 nothing is stable before the sentence has ended, and analyses are the best parses. Above, words become
stable some words after they came, if the arc is likely enough, and arcs and labels of the best parse before
get a bonus, among them to have a head that is still to come, or the one that has come for it.

Stable words are a prefix that is closed under heads: they hang on each other or on the root, so that nothing
that comes or goes behind them can touch them. They come from one tree, and the next parse has a tree with
their arcs. If that tree was projective: leave out what is gone, hang its children on the nearest word above,
or, where there is none, on the root's child; new words hang where an arc covers them, or on LATER. If it was
in MH4, the items of heads that derive it derive the stable words, too, without what stands behind; the root's
child leaves them last, so it can take all new words. If the class has no tree with their arcs, since a search
found them or the sentence has become too long for the class, they are lifted while the others are looked for
(`Preference.decodable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference

# In natural logarithms, at the strictest setting: what halves the edit overhead on EWT's dev part, see
# tests/benchmarks/bench_session.py.
LARGEST_BONUS: Final = 18.0

LONGEST_DELAY, SHORTEST_DELAY = 8, 2  # after how many further words one can be stable
LEAST_CONFIDENCE: Final = 0.9


def delay_at(stability: float) -> int:
    """After how many further words a word can be stable."""
    return round(LONGEST_DELAY + stability * (SHORTEST_DELAY - LONGEST_DELAY))


def stable_length(
    analysis: Analysis, confidences: Sequence[float | None], firm: int, stability: float
) -> int:
    """How many of the first words are stable; `firm` ones and their places in the sentence are certain."""
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
    """How many of the first t words are closed under heads."""
    reach = closed = 0
    for word, head in enumerate(analysis.heads[:t], 1):
        reach = max(reach, head if isinstance(head, int) else len(analysis.heads) + 1)
        if reach <= word:
            closed = word
    return closed


def preference(shown: Analysis, promised: int, best: Analysis, stability: float) -> Preference:
    """What the next parse has to keep of what is shown, and what it should keep of the best one before."""
    fixed = dict(enumerate(shown.decisions[:promised], 1)) if promised else {}
    if not stability:
        return Preference(fixed) if fixed else NO_PREFERENCE
    wanted = {word: decision for word, decision in enumerate(best.decisions, 1) if word > promised}
    return Preference(fixed, wanted, LARGEST_BONUS * stability, len(best.words))
