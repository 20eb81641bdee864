"""Constraints that close cells of a chart, chosen by how much speaks for each word's being open.

Roark, Hollingshead & Bodenstab 2012, Section 6.2; their names here are those of Table 4:

    ghp     closes what is more likely to be closed by more than a threshold
    hp      closes, in each sentence, so large a share of what is more likely to be closed than not
    quad    opens as much as leaves less than so many open cells a word, the most likely first
    linear  opens so many words, the most likely first: where constituents grow to the right (a left-binarized
            grammar) those that begin, otherwise those that end
    unary   closes single words to phrases, as ghp does

`ghp`, `hp`, `quad` and `linear` leave single words alone. With quad a chart is filled in O(n^2), with linear
in O(n). A union closes what any of its parts closes, so it keeps all their bounds.
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
    """How much each constraint closes; the paper's own where nothing else is said."""

    ghp: float = 40.0
    hp: float = 0.95
    quad: float = 4.0
    linear: float = 12.0
    unary: float = 40.0


def high_precision(openness: Openness, threshold: float) -> Openings:
    """Closed is what is e^threshold times as likely to be closed as to be open, or more."""
    return _with_ends(openness.begins >= -threshold, openness.ends >= -threshold)


def sentence_high_precision(openness: Openness, share: float) -> Openings:
    """Closed is this share of the words that are more likely to be closed, the most likely ones."""
    return _with_ends(*(_least_likely_closed(scores, share) for scores in openness[:2]))


def quadratic(openness: Openness, cells: float) -> Openings:
    """Opened are the most likely begins and ends while there are less than `cells` open cells a word."""
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
    """Opened are so many begins, for a left-binarized grammar, or so many ends, for a right-binarized one."""
    every = np.ones(len(openness.begins), np.bool_)
    if side == "left":
        return _with_ends(_most_likely(openness.begins, words), every)
    return _with_ends(every, _most_likely(openness.ends, words))


def unary(openness: Openness, threshold: float) -> Openings:
    """Closed to phrases over them alone are words that are e^threshold times as likely to have none."""
    every = Openings.all_open(len(openness.begins))
    return every._replace(unaries=openness.unaries >= -threshold)


def union(one: Openings, other: Openings) -> Openings:
    """Closed is what either closes."""
    return Openings(*map(np.logical_and, one, other))


CONSTRAINTS: Final[Mapping[str, Callable[[Openness, OperatingPoints, Side], Openings]]] = {
    "ghp": lambda openness, points, side: high_precision(openness, points.ghp),
    "hp": lambda openness, points, side: sentence_high_precision(openness, points.hp),
    "quad": lambda openness, points, side: quadratic(openness, points.quad),
    "linear": lambda openness, points, side: linear(openness, int(points.linear), side),
    "unary": lambda openness, points, side: unary(openness, points.unary),
}


def constraint_names(text: str) -> tuple[str, ...]:
    """The names in a union such as "ghp+unary+quad", none for "none"; raises InputError."""
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
    """What a union of constraints leaves open."""
    found = (CONSTRAINTS[name](openness, points, side) for name in names)
    return reduce(union, found, Openings.all_open(len(openness.begins)))


def _with_ends(begins: Flags, ends: Flags) -> Openings:
    """With the first word that begins the sentence and the last one that ends it, and single words open."""
    begins[:1] = ends[-1:] = True
    return Openings(begins, ends, np.ones(len(begins), np.bool_))


def _least_likely_closed(scores: Scores, share: float) -> Flags:
    order = np.argsort(scores, kind="stable")
    open_flags = np.ones(len(scores), np.bool_)
    open_flags[order[: int(share * (scores < 0).sum())]] = False
    return open_flags


def _most_likely(scores: Scores, words: int) -> Flags:
    """So many open flags; what cannot be open stays closed."""
    open_flags = np.zeros(len(scores), np.bool_)
    open_flags[np.argsort(-scores, kind="stable")[:words]] = True
    return open_flags & (scores > -np.inf)
