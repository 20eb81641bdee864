"""What stands at a place of a document: the sentence, and the words of it."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.sessions.messages import AnalysisMessage


def sentence_around(sentences: Sequence[AnalysisMessage | None], place: int) -> AnalysisMessage | None:
    """The sentence that a place is in, or that ends there."""
    return next((one for one in sentences if one and one.words and touches(span_of(one), place)), None)


def words_around(sentence: AnalysisMessage, place: int) -> list[int]:
    """The numbers of the words there, of which one may have several; else of that which ends there."""
    inside = place - sentence.start
    within = [n for n, word in enumerate(sentence.words, 1) if word.start <= inside < word.end]
    return within or [n for n, word in enumerate(sentence.words, 1) if word.end == inside]


def span_of(sentence: AnalysisMessage) -> tuple[int, int]:
    """From the first word to the last one, in the document."""
    ends = (sentence.words[0].start, max(word.end for word in sentence.words))
    return sentence.start + ends[0], sentence.start + ends[1]


def touches(span: tuple[int, int], place: int) -> bool:
    return span[0] <= place <= span[1]
