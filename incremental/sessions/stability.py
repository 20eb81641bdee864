"""Which words will not change any more, by a setting from 0 to 1, and what holds new parses to that.

At 0 nothing is stable before the sentence has ended, and analyses are the best parses. Above, words become
stable some words after they came, if the arc is likely enough, and arcs and labels of the best parse before
get a bonus, among them to have a head that is still to come, or the one that has come for it.

Stable words are a prefix that is closed under heads: they hang on each other or on the root, so that nothing
that comes or goes behind them can touch them. They come from one projective tree, and the next parse has a
tree with their arcs: leave out what is gone, hang its children on the nearest word above, or, where there is
none, on the root's child; new words hang where an arc covers them, or on LATER.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.analyses import LATER, Analysis, Head
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
    """How many first words are stable, of which `firm` ones and their places in the sentence are certain."""
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


# --- what is known at once --------------------------------------------------------------------------------

Judged = tuple[Analysis, tuple[float | None, ...]]


def first_words(judged: Judged, t: int) -> Judged:
    """What is said of the first t words; what hung on anything else hangs on LATER."""
    analysis, confidences = judged
    if t == len(analysis.words):
        return judged
    heads: tuple[Head, ...] = tuple(
        head if isinstance(head, int) and head <= t else LATER for head in analysis.heads[:t]
    )
    words, tags, features = analysis.words[:t], analysis.tags[:t], analysis.features[:t]
    return Analysis(words, tags, features, heads, analysis.labels[:t]), confidences[:t]


def joined(before: Judged, committed: Judged) -> Judged:
    """What was said of the first words, and what is committed of the others."""
    (old, old_confidences), (new, confidences) = before, committed
    t = len(old.words)
    if not t and not old.expected:
        return committed
    return (
        Analysis(
            new.words,
            old.tags + new.tags[t:],
            old.features + new.features[t:],
            old.heads + new.heads[t:],
            old.labels + new.labels[t:],
            old.expected,
        ),
        old_confidences + confidences[t:],
    )


def completed(judged: Judged, committed: Analysis, root_label: str) -> Judged:
    """A tree with one root once the sentence has ended: who waits takes the committed head if that can be."""
    analysis, confidences = judged
    heads: list[Head] = list(analysis.heads)
    labels = list(analysis.labels)
    root = heads.index(0) + 1 if 0 in heads else heads.index(next(filter(_is_to_come, heads))) + 1
    waiting = [word for word, head in enumerate(heads, 1) if _is_to_come(head) or (head == 0 and word > root)]
    for word in waiting:
        head = committed.heads[word - 1]
        if word == root:
            heads[word - 1], labels[word - 1] = 0, root_label
        elif head == 0 or not isinstance(head, int) or _leads_to(heads, head, word):
            heads[word - 1] = root
        else:
            heads[word - 1], labels[word - 1] = head, committed.labels[word - 1]
    shown = Analysis(analysis.words, analysis.tags, analysis.features, tuple(heads), tuple(labels))
    return shown, tuple(
        None if word in waiting else confidence for word, confidence in enumerate(confidences, 1)
    )


def _is_to_come(head: Head) -> bool:
    return not isinstance(head, int)


def _leads_to(heads: Sequence[Head], node: Head, word: int) -> bool:
    while isinstance(node, int) and node:
        if node == word:
            return True
        node = heads[node - 1]
    return False
