"""Completeness of the last sentence of a document, as a message."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.attached_sentences import AttachedSentences
from treewhile.incremental.sessions.messages import CompletenessMessage

DIGITS: Final = 4  # decimal places of probabilities


def completeness_message(document: str, sentences: AttachedSentences) -> CompletenessMessage | None:
    """Return the current message; None while words wait, or if the model does not predict completeness."""
    place = len(sentences) - 1
    last = sentences[place] if place >= 0 else None
    if last is None or last.attached is None or last.attached.completeness is None:
        return None
    if not sentences.is_up_to_date(last):
        return None
    may_end, ends = last.attached.completeness()
    rounded = round(may_end, DIGITS), round(ends, DIGITS)
    return CompletenessMessage(document, sentences.version, place, len(last.forms), *rounded)
