"""A text that grows and changes, and its words at any moment: those that segmenting it afresh would give.

An edit classifies anew the symbols whose window it touches and the last one of its line, and makes anew the
words from the first label that is another one up to the first token that begins as before. Neither depends on
how long the text is. Behind an edit, places shift: of characters and sentences at once, of words once they
are asked for, or an edit comes behind them. So only words between one edit and the next take time, beside
those that change.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from operator import eq
from typing import NamedTuple

import numpy as np

from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import WHITE_SPACE
from treewhile.incremental.texts.segmenter import (
    LONGEST_SENTENCE,
    LONGEST_TEXT,
    SENTENCE_END,
    Segmenter,
    token_spans,
)
from treewhile.incremental.texts.text_words import TextSentence, TextWord
from treewhile.oracles.errors import InputError

NEAR = 8  # words


class Change(NamedTuple):
    """What an edit did: `words[from_word:to_word_before]` became `words[from_word:to_word_after]`.

    Likewise for sentences, where one is another if its words or its bounds are. Words behind the change only
    have other places.
    """

    from_word: int
    to_word_before: int
    to_word_after: int
    from_sentence: int
    to_sentence_before: int
    to_sentence_after: int


class _Edit(NamedTuple):
    """An edit in symbols: those from `first` to `stop_before` became those from `first` to `stop_after`.

    `place` is where they begin in the text. From `relabelled_from` to `relabelled_to` there may be other
    labels too. `shift` is by how many characters the text behind has moved.
    """

    first: int
    stop_before: int
    stop_after: int
    place: int
    shift: int
    relabelled_from: int = 0
    relabelled_to: int = 0


class SegmentedText:
    """A text with its words and sentences; `classified` counts the symbols that edits have had classified."""

    def __init__(self, segmenter: Segmenter, text: str = "") -> None:
        self._segmenter = segmenter
        self._characters: list[str] = []
        self._codes = array("H")  # of each symbol, as the next two
        self._starts = array("q")
        self._labels = bytearray()
        self._words: list[TextWord] = []
        self._moved_from, self._moved = 0, 0  # words from one on stand so many characters behind their places
        self._full_ends: list[int] = []  # after how many words a sentence ends by its label
        self._ends: list[int] = []  # likewise, with what `LONGEST_SENTENCE` ends
        self.classified = 0
        self.append(text)

    def __len__(self) -> int:
        return len(self._characters)

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self._characters)

    @property
    def words(self) -> Sequence[TextWord]:
        """Its words, which the next edit changes in place."""
        self._move_as_far_as(len(self._words))
        self._moved = 0
        return self._words

    @property
    def word_count(self) -> int:
        """How many words it has."""
        return len(self._words)

    def words_between(self, start: int, end: int) -> list[TextWord]:
        """Some of its words, which takes time for these alone."""
        as_they_stand = min(max(start, self._moved_from), end)
        moved = _shifted(self._words[as_they_stand:end], self._moved)
        return [*self._words[start:as_they_stand], *moved]

    def place_of(self, word: int) -> int:
        """Where a word begins."""
        return self._words[word].start + (self._moved if word >= self._moved_from else 0)

    @property
    def sentence_ends(self) -> Sequence[int]:
        """After how many words each sentence ends; the words behind the last one are a sentence so far."""
        return self._ends

    @property
    def sentences(self) -> list[TextSentence]:
        """Its sentences, which takes time for all of them."""
        words = self.words
        return [self._sentence(words, *bounds) for bounds in pairwise([0, *self._ends_from(0, self._ends)])]

    def _sentence(self, all_words: Sequence[TextWord], start: int, end: int) -> TextSentence:
        words = tuple(all_words[start:end])
        next_start = all_words[end].token.start if end < len(all_words) else len(self)
        is_closed = end <= (self._ends[-1] if self._ends else 0)
        return TextSentence(words, words[-1].token.end < next_start, is_closed)

    def _ends_from(self, first: int, ends: Sequence[int]) -> list[int]:
        """The ends of the sentences from `first` on, with that of the open one."""
        is_open = (ends[-1] if ends else 0) < len(self._words)
        return [*ends[first:], len(self._words)] if is_open else list(ends[first:])

    # --- what may still change ----------------------------------------------------------------------------

    @property
    def provisional(self) -> int:
        """How many words at the end may still become others if the text goes on.

        Without tokens that have white space in them, these are the words since the last white space, and of
        those only what the window of the end reaches.
        """
        return self._words_from(self._unsettled_end)

    @property
    def provisional_ends(self) -> int:
        """After how many words at the end it may still change whether a sentence ends there."""
        blanks = self._segmenter.sentence_ends.window.blanks
        seen = len(self._codes)
        if seen and self._codes[-1] in WHITE_SPACE:
            seen -= 1  # it may become another white space
        unsettled = self._unsettled(self._segmenter.right, blanks, seen)
        return self._words_from(min(unsettled, self._unsettled_end))

    @property
    def _unsettled_end(self) -> int:
        """The first symbol that may get another token, if the text goes on."""
        window = self._segmenter.token_ends.window
        return self._unsettled(max(window.right, 2), window.blanks, len(self._codes))

    def _unsettled(self, right: int, blanks: int, seen: int) -> int:
        """The first symbol about which more than the first `seen` symbols can say something new."""
        nearest = max(0, seen - right)
        for symbol in range(seen - 1, nearest, -1):
            blanks -= self._codes[symbol] in WHITE_SPACE
            if not blanks:
                return symbol
        return nearest

    def _words_from(self, symbol: int) -> int:
        """How many words there are from the token that has the symbol, or that comes next."""
        return len(self._words) - self.word_behind(self._place(symbol))

    def word_behind(self, place: int) -> int:
        """The first word whose token reaches beyond a place in the text."""
        near = max(0, self._moved_from - NEAR)  # the last edit, where the next one mostly is
        first = near if near and self._words[near - 1].token.end <= place else 0
        word = bisect_right(self._words, place, first, self._moved_from, key=_token_end)
        if word < self._moved_from:
            return word
        return bisect_right(self._words, place - self._moved, word, key=_token_end)

    # --- edits --------------------------------------------------------------------------------------------

    def append(self, characters: str) -> Change:
        """What changes when the text goes on."""
        return self.replace(len(self), len(self), characters)

    def replace(self, start: int, end: int, new_text: str) -> Change:
        """What changes when `new_text` takes the place of the characters from `start` to `end`."""
        self._check(start, end, new_text)
        edit = self._relabelled(self._spliced(start, end, new_text))
        return self._rebuilt(edit)

    def _check(self, start: int, end: int, new_text: str) -> None:
        if not 0 <= start <= end <= len(self):
            what = f"the characters from {start} to {end} have to lie within the text"
            raise InputError(f"{what}, which has {len(self)}")
        length = len(self) - (end - start) + len(new_text)
        if length > LONGEST_TEXT:
            raise InputError(
                f"a text may have at most {LONGEST_TEXT} characters, not {length}, cut it in parts"
            )

    def _spliced(self, start: int, end: int, new_text: str) -> _Edit:
        """The edit, once characters and symbols are as after it; white space around it is read anew."""
        first, stop = bisect_left(self._starts, start), bisect_left(self._starts, end)
        first -= first > 0 and self._codes[first - 1] in WHITE_SPACE
        stop += stop < len(self._codes) and self._codes[stop] in WHITE_SPACE and self._starts[stop] == end
        place, place_behind = self._place(first), self._place(stop)
        known = ""
        if place < start == self._place(first + 1):
            known = WHITE_SPACE[self._codes[first]]  # however much it is, since it is not read again
        self._characters[start:end] = new_text
        shift = len(new_text) - (end - start)
        read_from = start if known else place
        read = known + "".join(self._characters[read_from : place_behind + shift])
        codes, starts = self._segmenter.alphabet.codes(read)
        starts = array("q", map((read_from - len(known)).__add__, starts))
        if starts:
            starts[0] = place
        edit = _Edit(first, stop, first + len(starts), place, shift)
        self._splice_symbols(edit, codes, starts)
        return edit

    def _place(self, symbol: int) -> int:
        return self._starts[symbol] if symbol < len(self._starts) else len(self)

    def _splice_symbols(self, edit: _Edit, codes: array[int], starts: array[int]) -> None:
        replaced = slice(edit.first, edit.stop_before)
        self._codes[replaced] = codes
        self._starts[replaced] = starts
        self._labels[replaced] = bytes(len(codes))
        if edit.shift and edit.stop_after < len(self._starts):
            np.frombuffer(self._starts, np.int64)[edit.stop_after :] += edit.shift

    def _relabelled(self, edit: _Edit) -> _Edit:
        """The edit with the labels that it has changed, once they are."""
        first = self._unsettled(self._segmenter.right, self._segmenter.blanks, edit.first)
        codes, labels = np.frombuffer(self._codes, np.uint16), np.frombuffer(self._labels, np.uint8)
        new = edit.first, edit.stop_after
        *others, classified = kernels.relabel(codes, first, *new, self._segmenter.tables, labels)
        self.classified += classified
        return _Edit(*edit[:-2], *others)

    # --- words --------------------------------------------------------------------------------------------

    def _rebuilt(self, edit: _Edit) -> Change:
        """What has changed, once words and sentences are as after the edit."""
        from_word = self.word_behind(min(edit.place, self._place(edit.relabelled_from)))
        self._move_as_far_as(from_word)
        kept_sentences = bisect_right(self._ends, from_word)
        ends_before = self._ends_from(kept_sentences, self._ends)
        words, full_ends, to_word = self._new_words(edit, from_word)
        same = _equal(words, self.words_between(from_word, to_word))
        self._splice_words(edit, from_word, to_word, words)
        self._splice_ends(from_word, to_word, len(words), full_ends)
        ends_after = self._ends_from(kept_sentences, self._ends)
        change = (from_word + same, to_word, from_word + len(words))
        start = self._ends[kept_sentences - 1] if kept_sentences else 0
        return _with_sentences(change, kept_sentences, start, ends_before, ends_after)

    def _new_words(self, edit: _Edit, from_word: int) -> tuple[list[TextWord], list[int], int]:
        """The new words, after how many of them sentences end, and the first old word that stays."""
        begin = bisect_left(self._starts, self._words[from_word - 1].token.end) if from_word else 0
        words: list[TextWord] = []
        ends: list[int] = []
        to_word, shift = from_word, edit.shift + self._moved
        for first, stop, label in token_spans(self._codes, self._labels, begin):
            start = self._starts[first]
            to_word = self._old_word(to_word, start - shift)
            if first >= edit.relabelled_to and self._begins_token(to_word, start - shift):
                return words, ends, to_word
            words += self._segmenter.words(self._shown(first, stop), start, self._starts[stop - 1] + 1)
            if label == SENTENCE_END:
                ends.append(len(words))
        return words, ends, len(self._words)

    def _shown(self, first: int, stop: int) -> str:
        """The symbols from `first` to `stop`, white space as one space."""
        if not self._segmenter.joins_spaces:
            return "".join(self._characters[self._starts[first] : self._starts[stop - 1] + 1])
        symbols = zip(self._codes[first:stop], self._starts[first:stop], strict=True)
        return "".join(" " if code in WHITE_SPACE else self._characters[start] for code, start in symbols)

    def _old_word(self, word: int, start: int) -> int:
        """The first word from `word` on whose token does not begin before a place."""
        while word < len(self._words) and self._words[word].token.start < start:
            word += 1
        return word

    def _begins_token(self, word: int, start: int) -> bool:
        return word < len(self._words) and self._words[word].token.start == start

    def _splice_words(self, edit: _Edit, from_word: int, to_word: int, words: list[TextWord]) -> None:
        self._words[from_word:to_word] = words
        self._moved_from = from_word + len(words)
        self._moved = self._moved + edit.shift if self._moved_from < len(self._words) else 0

    def _move_as_far_as(self, word: int) -> None:
        """From now on, words from this one on are those that stand behind their places."""
        if self._moved and word != self._moved_from:
            first, end = sorted((word, self._moved_from))
            by = self._moved if word == end else -self._moved
            self._words[first:end] = _shifted(self._words[first:end], by)
        self._moved_from = word

    def _splice_ends(self, from_word: int, to_word: int, new_words: int, full_ends: list[int]) -> None:
        first, behind = bisect_right(self._full_ends, from_word), bisect_right(self._full_ends, to_word)
        if full_ends or first < len(self._full_ends):
            more = new_words - (to_word - from_word)
            later = [end + more for end in self._full_ends[behind:]]
            self._full_ends[first:] = [*(from_word + end for end in full_ends), *later]
        kept = bisect_right(self._ends, from_word)
        self._ends[kept:] = self._bounded_ends(self._ends[kept - 1] if kept else 0)

    def _bounded_ends(self, start: int) -> Iterator[int]:
        """The ends of the sentences from word `start` on, none of which is much longer than the bound."""
        for end in self._full_ends[bisect_right(self._full_ends, start) :]:
            yield from self._cuts(start, end - 1)
            yield end
            start = end
        yield from self._cuts(start, len(self._words))

    def _cuts(self, start: int, last: int) -> Iterator[int]:
        """Where the words from `start` on have to be cut, up to the end `last`: never within a token."""
        while (cut := start + LONGEST_SENTENCE) <= last:
            while cut < len(self._words) and self._words[cut].token is self._words[cut - 1].token:
                cut += 1
            if cut <= last:
                yield cut
            start = cut


def _token_end(word: TextWord) -> int:
    return word.token.end


def _equal(some: Sequence[object], others: Sequence[object]) -> int:
    """How many of both are equal before the first that differ."""
    return sum(1 for _ in takewhile(bool, map(eq, some, others)))


def _shifted(words: Sequence[TextWord], shift: int) -> Iterator[TextWord]:
    """The words at other places; those of one token still share it."""
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
    """The change of `words` with that of sentences, told by the ends of those from `first` on."""
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
