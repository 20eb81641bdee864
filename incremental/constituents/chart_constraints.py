"""Constraints that close cells of a chart, by the odds that each word is open.

Roark, Hollingshead & Bodenstab 2012, Section 6.2; the names are those of Table 4:

    ghp     closes words whose odds of being closed exceed a threshold
    hp      closes, in each sentence, a share of the words that are more likely closed than open
    quad    opens the most likely words while there are fewer than so many open cells a word
    linear  opens so many words, the most likely first: those that begin, if constituents grow to the right (a
            left-binarized grammar), else those that end
    unary   closes single words to phrases, as ghp does

`ghp`, `hp`, `quad` and `linear` do not affect single words. With quad a chart is filled in O(n^2), with
linear in O(n). A union closes what any of its parts closes, so it keeps all their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np

from treewhile.incremental.constituents.chart_taggers import Openness, Scores
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.openings import Flags, Openings
from treewhile.oracles.errors import InputError

NONE: Final = "none"


@dataclass(frozen=True)
class OperatingPoints:
    """Parameters of the constraints; the paper's own by default."""

    ghp: float = 40.0
    hp: float = 0.95
    quad: float = 4.0
    linear: float = 12.0
    unary: float = 40.0


def high_precision(openness: Openness, threshold: float) -> Openings:
    """Return openings that close words at least e^threshold times as likely closed as open."""
    return _with_ends(openness.begins >= -threshold, openness.ends >= -threshold)


def sentence_high_precision(openness: Openness, share: float) -> Openings:
    """Return openings that close this share of the words that are more likely closed, likeliest first."""
    return _with_ends(*(_least_likely_closed(scores, share) for scores in openness[:2]))


def quadratic(openness: Openness, cells: float) -> Openings:
    """Return openings that open the likeliest begins and ends, with fewer than `cells` open cells a word."""
    n = len(openness.begins)
    begins, ends = [0] * n, [0] * n
    begins[:1] = ends[-1:] = [1] * min(n, 1)
    both = np.concatenate([openness.begins, openness.ends])
    order = np.argsort(-both, kind="stable")
    count = min(n - 1, 1)
    for place in order[np.isfinite(both[order])].tolist():
        word, is_end = place % n, place >= n
        count += sum(begins[:word] if is_end else ends[word + 1 :])
        if count >= cells * n:
            break
        (ends if is_end else begins)[word] = 1
    return _with_ends(np.array(begins, np.bool_), np.array(ends, np.bool_))


def linear(openness: Openness, words: int, side: Side) -> Openings:
    """Return openings with so many begins, for left-binarized grammars, or ends, for right-binarized ones."""
    every = np.ones(len(openness.begins), np.bool_)
    if side == "left":
        return _with_ends(_most_likely(openness.begins, words), every)
    return _with_ends(every, _most_likely(openness.ends, words))


def unary(openness: Openness, threshold: float) -> Openings:
    """Return openings that close single words e^threshold times as likely without phrases over them."""
    every = Openings.all_open(len(openness.begins))
    return every._replace(unaries=openness.unaries >= -threshold)


def union(one: Openings, other: Openings) -> Openings:
    """Return openings that close what either closes."""
    return Openings(*map(np.logical_and, one, other))


CONSTRAINTS: Final[Mapping[str, Callable[[Openness, OperatingPoints, Side], Openings]]] = {
    "ghp": lambda openness, points, side: high_precision(openness, points.ghp),
    "hp": lambda openness, points, side: sentence_high_precision(openness, points.hp),
    "quad": lambda openness, points, side: quadratic(openness, points.quad),
    "linear": lambda openness, points, side: linear(openness, int(points.linear), side),
    "unary": lambda openness, points, side: unary(openness, points.unary),
}


def constraint_names(text: str) -> tuple[str, ...]:
    """Return the names in a union such as "ghp+unary+quad", none for "none"; raise InputError."""
    names = tuple(text.split("+"))
    if names == (NONE,):
        return ()
    for name in names:
        if name not in CONSTRAINTS:
            known = ", ".join([NONE, *CONSTRAINTS])
            raise InputError(f"{name!r:.40} is no constraint: give one of {known}, or several joined by +")
    return names


def closed_openings(
    openness: Openness, names: tuple[str, ...], points: OperatingPoints, side: Side
) -> Openings:
    """Return the openings of a union of constraints."""
    found = (CONSTRAINTS[name](openness, points, side) for name in names)
    return reduce(union, found, Openings.all_open(len(openness.begins)))


def _with_ends(begins: Flags, ends: Flags) -> Openings:
    """Return openings with the begin and the end of the sentence, and single words, open."""
    begins[:1] = ends[-1:] = True
    return Openings(begins, ends, np.ones(len(begins), np.bool_))


def _least_likely_closed(scores: Scores, share: float) -> Flags:
    order = np.argsort(scores, kind="stable")
    open_flags = np.ones(len(scores), np.bool_)
    open_flags[order[: int(share * (scores < 0).sum())]] = False
    return open_flags


def _most_likely(scores: Scores, words: int) -> Flags:
    """Return a mask of the likeliest words, without those that cannot be open."""
    open_flags = np.zeros(len(scores), np.bool_)
    open_flags[np.argsort(-scores, kind="stable")[:words]] = True
    return open_flags & (scores > -np.inf)
