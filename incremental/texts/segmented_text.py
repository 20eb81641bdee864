"""Text that grows and changes, with its words at any moment: identical to those of a fresh segmentation.

An edit reclassifies the symbols whose window it touches and the last one of its line, and rebuilds the words
from the first changed label up to the first token that begins as before. If that is one word, as while it is
typed, nothing else is visited. None of this depends on the length of the text. Behind an edit, positions
shift: of characters and sentences at once, of words once they are requested, or an edit comes behind them. So
only words between one edit and the next take time, beside those that change.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from operator import attrgetter, eq
from typing import NamedTuple

from treewhile.incremental.texts.labelled_text import LabelledText, SymbolEdit
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE, SENTENCE_END, Segmenter, as_segmenter
from treewhile.incremental.texts.text_words import TextSentence, TextWord


class SentenceEnds:
    """Ends, in whole words; the words behind the last one are a sentence so far."""

    def __init__(self) -> None:
        self._labelled: list[int] = []  # ends by labels
        self.ends: list[int] = []  # ends by labels or `LONGEST_SENTENCE`

    def before(self, word: int) -> int:
        """Return the number of sentences that end up to a word."""
        return bisect_right(self.ends, word)

    def is_labelled(self, end: int) -> bool:
        """Return whether a sentence ends after a number of words by its label."""
        place = bisect_right(self._labelled, end)
        return place > 0 and self._labelled[place - 1] == end

    def start(self, sentence: int) -> int:
        """Return the first word of a sentence."""
        return self.ends[sentence - 1] if sentence else 0

    def ends_from(self, first: int, word_count: int) -> list[int]:
        """Return the ends of the sentences from `first` on, with that of the open one."""
        is_open = self.start(len(self.ends)) < word_count
        return [*self.ends[first:], word_count] if is_open else self.ends[first:]

    def splice(
        self, from_word: int, to_word: int, ends: Sequence[int], words: Sequence[TextWord], more: int
    ) -> None:
        """Replace the ends between two words, given the new `words`, of which there are `more`."""
        first, behind = bisect_right(self._labelled, from_word), bisect_right(self._labelled, to_word)
        if ends or first < len(self._labelled):
            later = [end + more for end in self._labelled[behind:]]
            self._labelled[first:] = [*(from_word + end for end in ends), *later]
        kept = self.before(from_word)
        start = self.start(kept)
        if kept < len(self.ends) or self._labelled[first:] or len(words) - start >= LONGEST_SENTENCE:
            self.ends[kept:] = self._bounded(start, words)

    def _bounded(self, start: int, words: Sequence[TextWord]) -> Iterator[int]:
        """Yield the ends of the sentences from word `start` on, cut at the maximum length."""
        for end in self._labelled[bisect_right(self._labelled, start) :]:
            yield from _cuts(start, end - 1, words)
            yield end
            start = end
        yield from _cuts(start, len(words), words)


def _cuts(start: int, last: int, words: Sequence[TextWord]) -> Iterator[int]:
    """Yield the cuts of the words from `start` on, up to the end `last`: never within a token."""
    while (cut := start + LONGEST_SENTENCE) <= last:
        while cut < len(words) and words[cut].token is words[cut - 1].token:
            cut += 1
        if cut <= last:
            yield cut
        start = cut


NEAR = 8  # words
TOKEN_END = attrgetter("token.end")  # of a word


class Change(NamedTuple):
    """Effect of an edit: `words[from_word:to_word_before]` became `words[from_word:to_word_after]`.

    Sentences are given in the same way; one counts as changed if its words or its bounds are. Words behind
    the change only have other positions.
    """

    from_word: int
    to_word_before: int
    to_word_after: int
    from_sentence: int
    to_sentence_before: int
    to_sentence_after: int

    @property
    def is_one_word(self) -> bool:
        """True if one word is new or has another form, in an old sentence, and nothing else has changed."""
        word, sentence = self.from_word + 1, self.from_sentence + 1
        return self.to_word_after == word >= self.to_word_before and self[4:] == (sentence, sentence)


class SegmentedText:
    """Text with its words and sentences."""

    def __init__(self, segmenter: Segmenter, text: str = "") -> None:
        self._segmenter = as_segmenter(segmenter)
        self._symbols = LabelledText(segmenter)
        self._words: list[TextWord] = []
        self._moved_from, self._moved = (
            0,
            0,
        )  # words from one on are a number of characters behind their recorded positions
        self._ends = SentenceEnds()
        if text:  # an empty text needs no kernel, which may not be compiled yet
            self.append(text)

    def __len__(self) -> int:
        return len(self._symbols.characters)

    @property
    def text(self) -> str:
        return "".join(self._symbols.characters)

    @property
    def classified(self) -> int:
        """Number of symbols that were classified for edits."""
        return self._symbols.classified

    @property
    def words(self) -> Sequence[TextWord]:
        """Words, which the next edit changes in place."""
        self._move_as_far_as(len(self._words))
        self._moved = 0
        return self._words

    @property
    def word_count(self) -> int:
        return len(self._words)

    @property
    def last_form(self) -> str:
        """Form of the last word, which must exist."""
        return self._words[-1].form

    def words_between(self, start: int, end: int) -> list[TextWord]:
        """Return some of the words, in time proportional to their number."""
        as_they_stand = min(max(start, self._moved_from), end)
        moved = _shifted(self._words[as_they_stand:end], self._moved)
        return [*self._words[start:as_they_stand], *moved]

    def place_of(self, word: int) -> int:
        """Return the begin of a word in the text."""
        return self._words[word].start + (self._moved if word >= self._moved_from else 0)

    @property
    def sentence_ends(self) -> Sequence[int]:
        """Word counts at which sentences end; the words behind the last one are a sentence so far."""
        return self._ends.ends

    @property
    def sentences(self) -> list[TextSentence]:
        """Sentences, in time proportional to the length of the text."""
        words = self.words
        bounds = pairwise([0, *self._ends.ends_from(0, len(words))])
        return [self._sentence(words, *one) for one in bounds]

    def _sentence(self, all_words: Sequence[TextWord], start: int, end: int) -> TextSentence:
        words = tuple(all_words[start:end])
        next_start = all_words[end].token.start if end < len(all_words) else len(self)
        is_closed = end <= self._ends.start(len(self._ends.ends))
        return TextSentence(words, words[-1].token.end < next_start, is_closed)

    # --- what may still change ----------------------------------------------------------------------------

    @property
    def provisional(self) -> int:
        """Number of words at the end that may still change if text is added."""
        return self._words_from(self._symbols.unsettled_tokens)

    @property
    def provisional_ends(self) -> int:
        """Number of words at the end after which a sentence end may still appear or vanish."""
        return self._words_from(self._symbols.unsettled_ends)

    def _words_from(self, symbol: int) -> int:
        """Return the number of words from the token with a symbol, or the next token, on."""
        return len(self._words) - self.word_behind(self._symbols.place(symbol))

    def word_behind(self, place: int) -> int:
        """Return the first word whose token reaches beyond a position in the text."""
        near = max(0, self._moved_from - NEAR)  # the last edit, where the next one mostly is
        first = near if near and self._words[near - 1].token.end <= place else 0
        word = bisect_right(self._words, place, first, self._moved_from, key=TOKEN_END)
        if word < self._moved_from:
            return word
        return bisect_right(self._words, place - self._moved, word, key=TOKEN_END)

    # --- edits --------------------------------------------------------------------------------------------

    def append(self, characters: str) -> Change:
        """Append characters, and return the effect."""
        return self.replace(len(self), len(self), characters)

    def replace(self, start: int, end: int, new_text: str) -> Change:
        """Replace the characters from `start` to `end` by `new_text`, and return the effect."""
        edit = self._symbols.replace(start, end, new_text)
        word = self.word_behind(start - 1) if start else self.word_count
        if word < self.word_count and self._is_within_word(edit, start, end, word):
            sentence = self._ends.before(word)
            return Change(word, word + 1, word + 1, sentence, sentence + 1, sentence + 1)
        return self._replaced(edit)

    def _is_within_word(self, edit: SymbolEdit, start: int, end: int, word: int) -> bool:
        """Apply an edit that only changes the form of a word that is a token; return False for others."""
        self._move_as_far_as(word)
        (before, _, _, token), moved = self._words[word], self._moved
        token_start, token_end = token.start + moved, token.end + moved + edit.shift
        if not (token.words == 1 and token_start < start and end - moved <= token.end):
            return False
        last = self._symbols.token_within(edit, token_start, token_end)
        if last is None or (last == SENTENCE_END) != self._ends.is_labelled(word + 1):
            return False
        first = self._symbols.symbol_at(token_start)
        shown = self._symbols.shown(first, first + token_end - token_start)
        words = self._segmenter.words(shown, token_start, token_end)
        if len(words) > 1 or (not edit.shift and words[0].form == before):
            return False
        self._splice_words(edit, word, word + 1, words)
        return True

    def _replaced(self, edit: SymbolEdit) -> Change:
        from_word = self.word_behind(min(edit.place, self._symbols.place(edit.relabelled_from)))
        self._move_as_far_as(from_word)
        first, word_count = self._ends.before(from_word), len(self._words)
        ends_before = self._ends.ends_from(first, word_count)
        words, ends, to_word = self._new_words(edit, from_word)
        same = _equal(words, self.words_between(from_word, to_word))
        self._splice_words(edit, from_word, to_word, words)
        self._ends.splice(from_word, to_word, ends, self._words, len(self._words) - word_count)
        ends_after = self._ends.ends_from(first, len(self._words))
        change = (from_word + same, to_word, from_word + len(words))
        return _with_sentences(change, first, self._ends.start(first), ends_before, ends_after)

    def _new_words(self, edit: SymbolEdit, from_word: int) -> tuple[list[TextWord], list[int], int]:
        """Return the new words, the word counts at sentence ends, and the first old word that stays."""
        begin = self._symbols.symbol_at(self._words[from_word - 1].token.end) if from_word else 0
        words: list[TextWord] = []
        ends: list[int] = []
        to_word, shift = from_word, edit.shift + self._moved
        for first, stop, label in self._symbols.token_spans(begin):
            start = self._symbols.place(first)
            to_word = self._old_word(to_word, start - shift)
            if first >= edit.relabelled_to and self._begins_token(to_word, start - shift):
                return words, ends, to_word
            end = self._symbols.place(stop - 1) + 1
            words += self._segmenter.words(self._symbols.shown(first, stop), start, end)
            if label == SENTENCE_END:
                ends.append(len(words))
        return words, ends, len(self._words)

    def _old_word(self, word: int, start: int) -> int:
        """Return the first word from `word` on whose token does not begin before a position."""
        while word < len(self._words) and self._words[word].token.start < start:
            word += 1
        return word

    def _begins_token(self, word: int, start: int) -> bool:
        return word < len(self._words) and self._words[word].token.start == start

    def _splice_words(self, edit: SymbolEdit, from_word: int, to_word: int, words: list[TextWord]) -> None:
        self._words[from_word:to_word] = words
        self._moved_from = from_word + len(words)
        self._moved = self._moved + edit.shift if self._moved_from < len(self._words) else 0

    def _move_as_far_as(self, word: int) -> None:
        """Let the words with recorded positions that are behind begin with this one."""
        if self._moved and word != self._moved_from:
            first, end = sorted((word, self._moved_from))
            by = self._moved if word == end else -self._moved
            self._words[first:end] = _shifted(self._words[first:end], by)
        self._moved_from = word


def _equal(some: Sequence[object], others: Sequence[object]) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(bool, map(eq, some, others)))


def _shifted(words: Sequence[TextWord], shift: int) -> Iterator[TextWord]:
    """Return the words at shifted positions; those of one token still share it."""
    if not shift:
        return iter(words)
    return _at_other_places(words, shift)


def _at_other_places(words: Sequence[TextWord], shift: int) -> Iterator[TextWord]:
    token = before = None
    for word in words:
        if word.token is not before:
            before = word.token
            token = before._replace(start=before.start + shift, end=before.end + shift)
        assert token
        yield TextWord(word.form, word.start + shift, word.end + shift, token)


def _with_sentences(
    words: tuple[int, int, int], first: int, start: int, before: Sequence[int], after: Sequence[int]
) -> Change:
    """Return the change with that of sentences added, given the ends from sentence `first` on."""
    from_word, to_word_before, to_word_after = words
    if len(before) == len(after) == 1 and from_word < max(to_word_before, to_word_after):
        return Change(*words, first, first + 1, first + 1)
    as_far_as = from_word if from_word < max(to_word_before, to_word_after) else sys.maxsize
    ends = zip(before, after, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] <= as_far_as, ends))
    more = to_word_after - to_word_before
    old = [(a + more, b + more) for a, b in list(pairwise([start, *before]))[same:] if a >= to_word_before]
    same_behind = _equal(old[::-1], list(pairwise([start, *after]))[same:][::-1])
    to_sentences = (first + len(before) - same_behind, first + len(after) - same_behind)
    return Change(*words, first + same, *to_sentences)
