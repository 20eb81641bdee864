"""Sentence ends of a text as word counts: by labels, and by a maximum length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.incremental.texts.text_words import TextWord


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
