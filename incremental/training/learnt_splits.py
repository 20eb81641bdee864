"""Splits of multiword tokens, learnt by counting: whole tokens, and endings for unseen tokens."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import takewhile

from treewhile.incremental.texts.splits import Split, Splits, is_form, lower_case

LONGEST_CONTEXT = 2  # characters before the removed ones that may belong to a known ending
LEAST_TYPES = 3  # tokens that have to show the split of an ending


def learn_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> Splits:
    """Return the splits of multiword tokens, from counts of forms for each surface.

    A token gets its most frequent split. An ending counts each token with it once; of two endings the longer
    one decides, so endings that add nothing are left out, and then the tokens that their endings decide well.
    """
    splits = _usual_splits(tokens)
    endings = _without_needless(_usual_endings(splits))
    by_ending = Splits({}, endings)
    by_token = {
        surface: split
        for surface, split in splits.items()
        if _words(split, surface) != by_ending.words(surface)
    }
    return Splits(by_token, endings)


def _usual_splits(tokens: Counter[tuple[str, tuple[str, ...]]]) -> dict[str, Split | None]:
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for (surface, forms), times in tokens.items():
        counts[lower_case(surface)][_split(lower_case(surface), forms)] += times
    return {surface: splits.most_common(1)[0][0] for surface, splits in counts.items()}


def _split(surface: str, forms: Sequence[str]) -> Split | None:
    if len(forms) < 2 or not all(map(is_form, forms)):
        return None
    first, *others = map(lower_case, forms)
    kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(surface, first, strict=False)))
    return Split(len(surface) - kept, first[kept:], tuple(others))


def _usual_endings(splits: dict[str, Split | None]) -> dict[str, Split | None]:
    """Return the most frequent split of tokens by ending, where the ending is removed in one of the tokens.

    A few characters before the removed ones may belong to the ending.
    """
    go = {surface[-split.strip :] for surface, split in splits.items() if split and split.strip}
    longest = max(map(len, go), default=0) + LONGEST_CONTEXT
    counts: defaultdict[str, Counter[Split | None]] = defaultdict(Counter)
    for surface, split in splits.items():
        for at in range(max(1, len(surface) - longest), len(surface)):
            if any(surface[at + more :] in go for more in range(LONGEST_CONTEXT + 1)):
                counts[surface[at:]][split] += 1
    usual = {ending: times.most_common(1)[0] for ending, times in counts.items()}
    return {ending: split for ending, (split, times) in usual.items() if times >= LEAST_TYPES}


def _without_needless(endings: dict[str, Split | None]) -> dict[str, Split | None]:
    """Return the endings with another split than the longest known ending within them."""
    needed: dict[str, Split | None] = {}
    for ending in sorted(endings, key=len):
        shorter = next((ending[at:] for at in range(1, len(ending)) if ending[at:] in needed), None)
        if endings[ending] != (needed[shorter] if shorter else None):
            needed[ending] = endings[ending]
    return needed


def _words(split: Split | None, surface: str) -> tuple[str, ...]:
    return split.words(surface) if split else (surface,)
