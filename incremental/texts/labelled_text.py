"""Text as symbols, with labels of ends after each; an edit only relabels symbols near it.

How long the text is does not matter to that, but that the places of all symbols behind an edit shift.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import WHITE_SPACE
from treewhile.incremental.texts.segmenter import (
    LONGEST_TEXT,
    LONGEST_TOKEN,
    Segmenter,
    check_text,
    token_spans,
)
from treewhile.oracles.errors import InputError


class SymbolEdit(NamedTuple):
    """Edit in symbols: those from `first` to `stop_before` became those from `first` to `stop_after`.

    `place` is their begin in the text. From `relabelled_from` to `relabelled_to` labels may have changed,
    too. `shift` is the number of characters by which the text behind has moved.
    """

    first: int
    stop_before: int
    stop_after: int
    place: int
    shift: int
    relabelled_from: int = 0
    relabelled_to: int = 0


class LabelledText:
    """Text with labelled symbols; `classified` counts the symbols that were classified for edits."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self.characters: list[str] = []
        self._codes = array("H")  # by symbol, as the next two
        self._starts = array("q")
        self._labels = bytearray()
        self.classified = 0

    def replace(self, start: int, end: int, new_text: str) -> SymbolEdit:
        """Replace the characters from `start` to `end` by `new_text`, and return the changes."""
        self._check(start, end, new_text)
        return self._relabelled(self._spliced(start, end, new_text))

    def place(self, symbol: int) -> int:
        """Return the begin of a symbol in the text."""
        return self._starts[symbol] if symbol < len(self._starts) else len(self.characters)

    def symbol_at(self, place: int) -> int:
        """Return the first symbol that does not begin before a position."""
        return bisect_left(self._starts, place)

    def token_spans(self, begin: int) -> Iterator[tuple[int, int, int]]:
        """Return an iterator over the tokens from a symbol on, as `segmenter.token_spans` yields them."""
        return token_spans(self._codes, self._labels, begin)

    def token_within(self, edit: SymbolEdit, start: int, end: int) -> int | None:
        """Return the label of a token from `start` to `end` without white space, if an edit is within it.

        Return None if there is no such token, or if a label outside may have changed.
        """
        first, last = self.symbol_at(start), self.symbol_at(end) - 1
        is_outside = edit.relabelled_from < first or edit.relabelled_to > max(last + 1, edit.stop_after)
        if is_outside or last - first != end - start - 1 or last - first >= LONGEST_TOKEN:
            return None
        return self._labels[last] if not any(self._labels[first:last]) and self._labels[last] else None

    def shown(self, first: int, stop: int) -> str:
        """Return the symbols from `first` to `stop`, white space as one space."""
        if not self._segmenter.joins_spaces:
            return "".join(self.characters[self._starts[first] : self._starts[stop - 1] + 1])
        symbols = zip(self._codes[first:stop], self._starts[first:stop], strict=True)
        return "".join(" " if code in WHITE_SPACE else self.characters[start] for code, start in symbols)

    @property
    def unsettled_tokens(self) -> int:
        """First symbol whose token may change if text is added.

        Without tokens that contain white space, no token before the last white space may, and behind it only
        those within reach of the window of the end.
        """
        window = self._segmenter.token_ends.window
        return self._unsettled(max(window.right, 2), window.blanks, len(self._codes))

    @property
    def unsettled_ends(self) -> int:
        """First symbol after which a sentence may still come to end, or cease to."""
        blanks = self._segmenter.sentence_ends.window.blanks
        seen = len(self._codes)
        if seen and self._codes[-1] in WHITE_SPACE:
            seen -= 1  # it may become another kind of white space
        return min(self._unsettled(self._segmenter.right, blanks, seen), self.unsettled_tokens)

    def _unsettled(self, right: int, blanks: int, seen: int) -> int:
        """Return the first symbol whose window reaches beyond the first `seen` symbols."""
        nearest = max(0, seen - right)
        for symbol in range(seen - 1, nearest, -1):
            blanks -= self._codes[symbol] in WHITE_SPACE
            if not blanks:
                return symbol
        return nearest

    def _check(self, start: int, end: int, new_text: str) -> None:
        check_text(new_text)
        if not 0 <= start <= end <= len(self.characters):
            what = f"the characters from {start} to {end} have to lie within the text"
            raise InputError(f"{what}, which has {len(self.characters)}")
        length = len(self.characters) - (end - start) + len(new_text)
        if length > LONGEST_TEXT:
            raise InputError(
                f"a text may have at most {LONGEST_TEXT} characters, not {length}, cut it in parts"
            )

    def _spliced(self, start: int, end: int, new_text: str) -> SymbolEdit:
        """Return the edit after updating characters and symbols; adjacent white space is read anew."""
        first, stop = bisect_left(self._starts, start), bisect_left(self._starts, end)
        first -= first > 0 and self._codes[first - 1] in WHITE_SPACE
        stop += stop < len(self._codes) and self._codes[stop] in WHITE_SPACE and self._starts[stop] == end
        place, place_behind = self.place(first), self.place(stop)
        known = ""
        if place < start == self.place(first + 1):
            known = WHITE_SPACE[self._codes[first]]  # regardless of its length, since it is not read again
        self.characters[start:end] = new_text
        shift = len(new_text) - (end - start)
        read_from = start if known else place
        read = known + "".join(self.characters[read_from : place_behind + shift])
        codes, starts = self._segmenter.alphabet.codes(read)
        starts = array("q", map((read_from - len(known)).__add__, starts))
        if starts:
            starts[0] = place
        edit = SymbolEdit(first, stop, first + len(starts), place, shift)
        self._splice_symbols(edit, codes, starts)
        return edit

    def _splice_symbols(self, edit: SymbolEdit, codes: array[int], starts: array[int]) -> None:
        replaced = slice(edit.first, edit.stop_before)
        self._codes[replaced] = codes
        self._starts[replaced] = starts
        self._labels[replaced] = bytes(len(codes))
        if edit.shift and edit.stop_after < len(self._starts):
            np.frombuffer(self._starts, np.int64)[edit.stop_after :] += edit.shift

    def _relabelled(self, edit: SymbolEdit) -> SymbolEdit:
        """Return the edit after relabelling, with the range of changed labels."""
        first = self._unsettled(self._segmenter.right, self._segmenter.blanks, edit.first)
        codes, labels = np.frombuffer(self._codes, np.uint16), np.frombuffer(self._labels, np.uint8)
        new = edit.first, edit.stop_after
        *others, classified = kernels.relabel(codes, first, *new, self._segmenter.tables, labels)
        self.classified += classified
        return SymbolEdit(*edit[:-2], *others)
