"""Sentence and words at an offset of a document."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.sessions.messages import AnalysisMessage


def sentence_around(sentences: Sequence[AnalysisMessage | None], place: int) -> AnalysisMessage | None:
    """Return the sentence that contains an offset or ends there."""
    return next((one for one in sentences if one and one.words and touches(span_of(one), place)), None)


def words_around(sentence: AnalysisMessage, place: int) -> list[int]:
    """Return the numbers of words at an offset, several for a contraction, or that of a word ending there."""
    inside = place - sentence.start
    within = [n for n, word in enumerate(sentence.words, 1) if word.start <= inside < word.end]
    return within or [n for n, word in enumerate(sentence.words, 1) if word.end == inside]


def span_of(sentence: AnalysisMessage) -> tuple[int, int]:
    """Return the start of the first word and the end of the last, in the document."""
    ends = (sentence.words[0].start, max(word.end for word in sentence.words))
    return sentence.start + ends[0], sentence.start + ends[1]


def touches(span: tuple[int, int], place: int) -> bool:
    return span[0] <= place <= span[1]
