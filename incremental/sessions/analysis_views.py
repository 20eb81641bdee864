"""Analyses of sentences as messages, in full or as deltas against the last message.

Changes are found in the analyses; views are made only of changed words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import ne
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET, UnsetType

from treewhile.incremental.parsers.analyses import ExpectedWord
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.corrections import Corrections
from treewhile.incremental.parsers.nodes import Head
from treewhile.incremental.search import Conflict
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    ConflictView,
    ConstituentsView,
    DeltaMessage,
    Prediction,
    VirtualView,
    WordView,
)
from treewhile.incremental.sessions.standing_trees import Constituents, LemmaColumns, RatedAnalysis
from treewhile.incremental.sessions.words_to_come import head_view
from treewhile.oracles.constituents.phrase_trees import Constituent

DIGITS = 2  # decimal places of probabilities: with more, most words would change with every new word

Row: TypeAlias = tuple[
    str, tuple[int, int], str, str, Head, str, float | None, str | None, str | None
]  # with lemma and XPOS last


class Shown(NamedTuple):
    """Analysis of a sentence as shown to clients."""

    words: SentenceWords
    rated: RatedAnalysis
    conflicts: tuple[Conflict, ...]
    constituents: Constituents | None
    lemmas: LemmaColumns
    corrections: Corrections
    prediction: Prediction


class Said(NamedTuple):
    """Last message about a sentence: sequence number, shown analysis, its rows by word, and their views."""

    number: int
    shown: Shown
    rows: list[Row]
    views: list[WordView]


Message: TypeAlias = AnalysisMessage | DeltaMessage


def message_of(
    shown: Shown, shared: dict[str, Any], before: Said | None, deltas: bool
) -> tuple[Message, Said]:
    """Return the shown analysis as a message, and its record; `shared` are the other fields of messages.

    The message is a delta against the last one if allowed, unless most words have changed.
    """
    rows = _rows(shown)
    views, changed = _views(rows, shown, before)
    said = Said(shared["number"], shown, rows, views)
    if before is None or not deltas or 2 * len(changed) > len(rows) + 1:
        full = AnalysisMessage(
            words=[*views],
            virtual=_virtual_views(shown.rated[0].expected, shown.prediction),
            conflicts=_conflict_views(shown.conflicts),
            constituents=None if shown.constituents is None else [*shown.constituents],
            **shared,
        )
        return full, said
    changes = _changes(before.shown, shown)
    return DeltaMessage(base=before.number, length=len(rows), words=changed, **changes, **shared), said


def _rows(shown: Shown) -> list[Row]:
    """Return the shown values of each word."""
    analysis, confidences = shown.rated
    of_tree = analysis.tags, analysis.features, analysis.heads, analysis.labels, confidences
    return [*zip(*shown.words, *of_tree, *shown.lemmas, strict=True)]


def _views(
    rows: Sequence[Row], shown: Shown, before: Said | None
) -> tuple[list[WordView], dict[int, WordView]]:
    """Return the views of all words, and those of new or changed words by number."""
    views: list[WordView] = []
    changed: dict[int, WordView] = {}
    if before is not None:
        views = before.views[: len(rows)]
        was = before.shown
        is_same_way = (was.prediction, was.corrections) == (shown.prediction, shown.corrections)
        others = compress(count(), map(ne, rows, before.rows)) if is_same_way else range(len(views))
        for place in others:
            view = _word_view(place + 1, rows[place], shown)
            if view != views[place]:
                views[place] = changed[place + 1] = view
    for row in rows[len(views) :]:
        views.append(_word_view(len(views) + 1, row, shown))
        changed[len(views)] = views[-1]
    return views, changed


def _word_view(number: int, row: Row, shown: Shown) -> WordView:
    form, (start, end), tag, features, head, label, confidence, lemma, xpos = row
    seen = head if isinstance(head, int) else head_view(head, shown.prediction)
    correction = shown.corrections.get(number)
    said = None if seen is None or label == UNATTACHED else label
    rounded = None if confidence is None else round(confidence, DIGITS)
    fixed = [*correction.parts] if correction else None
    return WordView(form, start, end, tag, features, seen, said, rounded, lemma, xpos, fixed)


def _changes(before: Shown, after: Shown) -> dict[str, Any]:
    """Return the changed lists of a delta."""
    (old, _), (new, _) = before.rated, after.rated
    is_same_way = before.prediction == after.prediction
    return {
        "virtual": UNSET
        if is_same_way and old.expected == new.expected
        else _virtual_views(new.expected, after.prediction),
        "conflicts": UNSET if before.conflicts == after.conflicts else _conflict_views(after.conflicts),
        "constituents": changed_constituents(before.constituents, after.constituents),
    }


def _virtual_views(expected: Iterable[ExpectedWord], prediction: Prediction) -> list[VirtualView]:
    """Return the views of the virtual nodes in use."""
    if prediction != "virtual":
        return []
    return [
        VirtualView(one.node.number, one.node.tag, head_view(one.head, prediction), one.label)
        for one in expected
    ]


def _conflict_views(conflicts: Iterable[Conflict]) -> list[ConflictView]:
    return [ConflictView(name, penalty, [*words], message) for name, penalty, words, message in conflicts]


def changed_constituents(
    before: Constituents | None, after: Constituents | None
) -> ConstituentsView | UnsetType | None:
    """Return the changed stretch of constituents; None if constituents are no longer known."""
    if before == after:
        return UNSET
    if before is None or after is None:
        return None if after is None else ConstituentsView(0, 0, [*after])
    first = _common(before, after)
    behind = _common(before[first:][::-1], after[first:][::-1])
    return ConstituentsView(first, len(before) - behind - first, [*after[first : len(after) - behind]])


def _common(some: Sequence[Constituent], others: Sequence[Constituent]) -> int:
    """Return the length of the common prefix."""
    places = (place for place, (one, other) in enumerate(zip(some, others, strict=False)) if one != other)
    return next(places, min(len(some), len(others)))
