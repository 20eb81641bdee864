"""Words and sentences of a document that changes: segmented from a text, or as given."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from treewhile.incremental.sessions.document_edits import (
    DocumentEdit,
    SentenceFinished,
    Splice,
    TextEdited,
    TextPositions,
    TypingPaused,
    WordsCame,
    WordsWent,
    splice_between,
    units,
)
from treewhile.incremental.sessions.messages import Positions
from treewhile.incremental.texts.segmented_text import Change, SegmentedText
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.text_words import (
    LOOKED_AT,
    has_final_punctuation,
    may_close_sentence,
)


class SentenceWords(NamedTuple):
    """Words of a sentence, with their spans relative to its start, in the units of the document."""

    forms: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def first(self, count: int) -> SentenceWords:
        """Return at most the first `count` words."""
        return self if count >= len(self.forms) else SentenceWords(self.forms[:count], self.spans[:count])

    def with_more(self, form: str, start: int, positions: Positions) -> SentenceWords:
        """Return the words with one more, which begins at a position in the sentence."""
        span = start, start + units(form, positions)
        return SentenceWords((*self.forms, form), (*self.spans, span))

    def with_last(self, form: str, positions: Positions) -> SentenceWords:
        """Return the words with another form of the last one."""
        start, _ = self.spans[-1]
        span = start, start + units(form, positions)
        return SentenceWords((*self.forms[:-1], form), (*self.spans[:-1], span))


NO_WORDS: Final = SentenceWords((), ())


class DocumentWords(Protocol):
    """Words of a document and ends of its sentences."""

    def apply(self, edit: DocumentEdit) -> Splice:
        """Apply a checked edit, and return its effect on sentences."""

    ends: Sequence[int]  # word counts at the ends of sentences, the last one included

    @property
    def is_finished(self) -> bool:
        """True if the last sentence has ended."""

    @property
    def is_whole(self) -> bool:
        """True if the last sentence is to be analysed as a whole one."""

    @property
    def awaits_pause(self) -> bool:
        """True if the last sentence would be a whole one after a pause in typing."""

    @property
    def typed_sentence(self) -> int | None:
        """Index of the sentence with the word that is being typed, if any."""

    @property
    def retyped_word(self) -> int | None:
        """Index of the word that the last edit added or changed, if it only moved other words."""

    @property
    def firm(self) -> int:
        """Number of leading words that are certain, with the sentence ends among them, if text is added."""

    def sentence(self, start: int, end: int) -> SentenceWords:
        """Return the words from `start` to `end`."""

    def starts(self, ends: Sequence[int]) -> list[int]:
        """Return the positions of the sentences' begins in the document."""


class WordsOfText:
    """Words found by the segmenter."""

    def __init__(self, segmenter: Segmenter, positions: Positions) -> None:
        self._text = SegmentedText(segmenter)
        self._positions = TextPositions(positions)
        self.ends: Sequence[int] = []
        self._starts: list[int] = []  # known begins of sentences, in characters
        self._last, self._last_start = NO_WORDS, 0  # last requested sentence
        self.is_finished = self._is_paused = False
        self.typed_sentence: int | None = None
        self.retyped_word: int | None = None

    def apply(self, edit: DocumentEdit) -> Splice:
        if isinstance(edit, TextEdited):
            return self._edited(edit)
        self.typed_sentence = self.retyped_word = None
        if isinstance(edit, TypingPaused):
            self._is_paused = True
        else:
            self.is_finished = isinstance(edit, SentenceFinished)
        count = len(self.ends)
        return splice_between(max(0, count - 1), 0, 0, count)

    def _edited(self, edit: TextEdited) -> Splice:
        start, end, new_text, _ = edit
        change = self._text.replace(start, end, new_text)
        self.ends = _with_last(self._text.sentence_ends, self._text.word_count)
        self._positions.replace(start, end, new_text)
        splice = self._splice(change, start)
        del self._starts[min(splice.first, bisect_left(self._starts, start)) :]
        self._last = self._last.first(max(0, change.from_word - self._last_start))
        self.is_finished = False
        self._is_paused &= not splice.changes_last
        self.typed_sentence = self._sentence_with(edit.caret) if edit.is_within_word else None
        self.retyped_word = change.from_word if change.is_one_word else None
        return splice

    def _splice(self, change: Change, start: int) -> Splice:
        """Return the sentences that an edit has changed, or the one whose words it has moved apart."""
        first, before, after = change[-3:]
        count = len(self.ends)
        if before == after == first:
            word = self._text.word_behind(start)
            sentence = bisect_right(self.ends, word)
            if 0 < word < self._text.word_count and (not sentence or self.ends[sentence - 1] < word):
                return splice_between(sentence, 1, 1, count)
        return splice_between(first, before - first, after - first, count)

    def _sentence_with(self, caret: int) -> int | None:
        """Return the sentence of the token that contains the caret, or ends there."""
        word = self._text.word_behind(caret - 1)
        if not caret or word == self._text.word_count or self._text.place_of(word) >= caret:
            return None
        return bisect_right(self.ends, word)

    @property
    def is_whole(self) -> bool:
        return self._is_paused and self._has_final_punctuation

    @property
    def awaits_pause(self) -> bool:
        return not (self._is_paused or self.is_finished) and self._has_final_punctuation

    @property
    def _has_final_punctuation(self) -> bool:
        n, ends = self._text.word_count, self.ends
        if n and not may_close_sentence(self._text.last_form):
            return False
        first = max(n - LOOKED_AT, ends[-2] if len(ends) > 1 else 0)
        return has_final_punctuation([word.form for word in self._text.words_between(first, n)])

    @property
    def firm(self) -> int:
        n = self._text.word_count
        return n if self.is_finished else n - self._text.provisional_ends

    def sentence(self, start: int, end: int) -> SentenceWords:
        known = self._last.first(end - start) if start == self._last_start else NO_WORDS
        in_units = self._positions.in_units
        origin = in_units(self._text.place_of(start))
        words = self._text.words_between(start + len(known.forms), end)
        spans = [(in_units(word.start) - origin, in_units(word.end) - origin) for word in words]
        forms = (*known.forms, *[word.form for word in words])
        self._last, self._last_start = SentenceWords(forms, (*known.spans, *spans)), start
        return self._last

    def starts(self, ends: Sequence[int]) -> list[int]:
        del self._starts[len(ends) :]
        known = len(self._starts)
        more = pairwise([ends[known - 1] if known else 0, *ends[known:]])
        self._starts += [self._text.place_of(first) for first, _ in more]
        if self._positions.has_wide:
            return [self._positions.in_units(start) for start in self._starts]
        return self._starts.copy()


class GivenWords:
    """Words and ends given by a client; their text is the words separated by spaces."""

    is_finished = is_whole = awaits_pause = False
    typed_sentence = retyped_word = None

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._words: list[str] = []
        self._places: list[int] = [0]  # positions of these words, and of the next one
        self._ends: list[int] = []  # ends that were set
        self._last, self._last_start = NO_WORDS, 0  # last requested sentence
        self.ends: Sequence[int] = []

    def apply(self, edit: DocumentEdit) -> Splice:
        before, first = len(self.ends), len(self._ends)
        if isinstance(edit, WordsCame):
            self._words += edit.words
            for word in edit.words:
                self._places.append(self._places[-1] + units(word, self._positions) + 1)
        elif isinstance(edit, WordsWent):
            kept = len(self._words) - edit.words
            del self._words[kept:], self._places[kept + 1 :]
            self._last = self._last.first(max(0, kept - self._last_start))
            while self._ends and self._ends[-1] > len(self._words):
                self._ends.pop()
        elif len(self._words) > (self._ends[-1] if self._ends else 0):
            self._ends.append(len(self._words))
        first = min(first, len(self._ends))
        self.ends = _with_last(self._ends, len(self._words))
        self.is_finished = bool(self._ends) and self._ends[-1] == len(self._words)
        return splice_between(first, before - first, len(self.ends) - first, len(self.ends))

    @property
    def firm(self) -> int:
        return len(self._words)

    def sentence(self, start: int, end: int) -> SentenceWords:
        known = self._last.first(end - start) if start == self._last_start else NO_WORDS
        more, origin = start + len(known.forms), self._places[start]
        bounds = pairwise(self._places[more : end + 1])
        spans = [(place - origin, next_place - origin - 1) for place, next_place in bounds]
        forms = (*known.forms, *self._words[more:end])
        self._last, self._last_start = SentenceWords(forms, (*known.spans, *spans)), start
        return self._last

    def starts(self, ends: Sequence[int]) -> list[int]:
        return [self._places[first] for first in [0, *ends[:-1]][: len(ends)]]


def _with_last(ends: Sequence[int], n: int) -> Sequence[int]:
    """Return the ends, with n appended if the last of n words is not an end."""
    return ends if n == (ends[-1] if ends else 0) else [*ends, n]
