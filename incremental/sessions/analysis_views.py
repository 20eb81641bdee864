"""Analyses of sentences as messages say them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress, count
from operator import ne
from typing import TypeAlias

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.nodes import Head
from treewhile.incremental.search import Conflict
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.head_views import head_view
from treewhile.incremental.sessions.messages import ConflictView, Prediction, VirtualView, WordView
from treewhile.incremental.sessions.open_sentences import OpenSentence
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.standing_constituents import Constituents
from treewhile.incremental.sessions.standing_trees import RatedAnalysis
from treewhile.oracles.constituents.phrase_trees import Constituent

DIGITS = 4  # of probabilities

Row: TypeAlias = tuple[str, tuple[int, int], str, str, Head, str, float | None]


def word_views(sentence: OpenSentence, prediction: Prediction) -> list[WordView]:
    """The words with their arcs; of what was sent before, those that have changed are made anew."""
    attached, sent = sentence.attached, sentence.sent
    assert attached is not None
    rows, views = [*_rows(attached.words, sentence.standing.shown)], list[WordView]()
    if sent is not None and sent.prediction == prediction:
        views = sent.message.words[: len(rows)]
        for place in compress(count(), map(ne, rows, _rows(sent.words, sent.shown))):
            views[place] = _word_view(rows[place], prediction)
    return views + [_word_view(row, prediction) for row in rows[len(views) :]]


def _rows(words: SentenceWords, rated: RatedAnalysis) -> Iterator[Row]:
    """What is said of each word."""
    analysis, confidences = rated
    return zip(
        *words, analysis.tags, analysis.features, analysis.heads, analysis.labels, confidences, strict=True
    )


def _word_view(row: Row, prediction: Prediction) -> WordView:
    form, (start, end), tag, features, head, label, confidence = row
    seen = head if isinstance(head, int) else head_view(head, prediction)
    said = None if seen is None or label == UNATTACHED else label
    rounded = None if confidence is None else round(confidence, DIGITS)
    return WordView(form, start, end, tag, features, seen, said, rounded)


def virtual_views(analysis: Analysis, prediction: Prediction) -> list[VirtualView]:
    """The virtual nodes in use."""
    if prediction != "virtual":
        return []
    return [
        VirtualView(
            expected.node.number, expected.node.tag, head_view(expected.head, prediction), expected.label
        )
        for expected in analysis.expected
    ]


def conflict_views(conflicts: Iterable[Conflict]) -> list[ConflictView]:
    return [ConflictView(name, penalty, [*words], message) for name, penalty, words, message in conflicts]


def constituent_views(
    constituents: Constituents | None, options: DocumentOptions
) -> list[Constituent] | None:
    """Those that are known, where they are asked for."""
    return None if constituents is None or not options.tells_constituents else [*constituents]
