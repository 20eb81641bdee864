"""Analyses of sentences as messages say them."""

from __future__ import annotations

from treewhile.incremental.parsers.analyses import LATER, Head, Virtual
from treewhile.incremental.parsers.growing_parse import UNATTACHED
from treewhile.incremental.sessions.messages import ConflictView, Prediction, VirtualView, WordView
from treewhile.incremental.sessions.messages import Head as HeadView
from treewhile.incremental.sessions.open_sentences import OpenSentence

DIGITS = 4  # of probabilities


def word_views(sentence: OpenSentence, prediction: Prediction) -> list[WordView]:
    """The words with their arcs."""
    attached = sentence.attached
    assert attached is not None
    analysis, confidences = sentence.judged
    parts = zip(
        *attached.words, analysis.tags, analysis.features, analysis.decisions, confidences, strict=True
    )
    return [
        _word_view(form, span, tag, features, head_view(head, prediction), label, confidence)
        for form, span, tag, features, (head, label), confidence in parts
    ]


def _word_view(
    form: str,
    span: tuple[int, int],
    tag: str,
    features: str,
    head: HeadView,
    label: str,
    confidence: float | None,
) -> WordView:
    said = None if head is None or label == UNATTACHED else label
    rounded = None if confidence is None else round(confidence, DIGITS)
    return WordView(form, *span, tag, features, head, said, rounded)


def virtual_views(sentence: OpenSentence, prediction: Prediction) -> list[VirtualView]:
    """The virtual nodes in use."""
    if prediction != "virtual":
        return []
    return [
        VirtualView(
            expected.node.number, expected.node.tag, head_view(expected.head, prediction), expected.label
        )
        for expected in sentence.judged[0].expected
    ]


def conflict_views(sentence: OpenSentence) -> list[ConflictView]:
    return [ConflictView(name, penalty, [*words]) for name, penalty, words in sentence.conflicts]


def head_view(head: Head, prediction: Prediction) -> HeadView:
    """A head as clients asked for it."""
    if isinstance(head, int):
        return head
    if prediction == "none":
        return None
    return -head.number if isinstance(head, Virtual) and prediction == "virtual" else LATER
