"""Perceptrons that decide whether a token or a sentence ends after a symbol, in integer arithmetic.

Weights and activations are small integers, whose sums are exact in any order of addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import (
    BEGIN,
    BLANK_LINE,
    DIGIT,
    END,
    HIDDEN,
    LINE_END,
    MARK,
    Alphabet,
    Codes,
    Positions,
    is_white,
)

FACTOR = int(kernels.FACTOR)
INVERSE = pow(FACTOR, -1, 1 << 64)


@lru_cache(32)
def _powers(count: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return powers of the factor and of its inverse, which make hashes independent of positions."""
    powers = np.full((2, count), [[FACTOR], [INVERSE]], np.uint64)
    powers[:, 0] = 1
    np.multiply.accumulate(powers, axis=1, out=powers)
    return powers[0], powers[1]


class WordRuns:
    """Runs of letters and digits around any symbol, each identified by a case-insensitive hash."""

    def __init__(self, alphabet: Alphabet, codes: Codes) -> None:
        count = len(codes)
        classes = alphabet.classes[codes]
        is_word = (classes >= MARK) & (classes <= DIGIT)
        places = np.arange(count)
        self._last_word = np.maximum.accumulate(np.where(is_word, places, -1))
        self._last_gap = np.maximum.accumulate(np.where(is_word, -1, places))
        self._next_word = np.minimum.accumulate(np.where(is_word, places, count)[::-1])[::-1]
        self._next_gap = np.minimum.accumulate(np.where(is_word, count, places)[::-1])[::-1]
        powers, self._inverses = _powers(1 << count.bit_length())
        self._sums = np.zeros(count + 1, np.uint64)
        np.cumsum((alphabet.folded[codes] + np.uint64(1)) * powers[:count], out=self._sums[1:])

    def before(self, at: Positions, left: int) -> npt.NDArray[np.uint32]:
        """Return the hash of the last run up to each symbol, 0 if not entirely in `left` symbols."""
        end = self._last_word[at]
        start = self._last_gap[end] + 1
        return np.where((end >= 0) & (start > at - left), self._hash(start, end + 1), 0).astype(np.uint32)

    def after(self, at: Positions) -> tuple[npt.NDArray[np.uint32], Positions]:
        """Return the hash of the next run after each symbol, and the distance to the end of the run."""
        start = self._next_word[np.minimum(at + 1, len(self._next_word) - 1)]
        inside = np.minimum(start, len(self._next_gap) - 1)
        end = self._next_gap[inside]
        return self._hash(inside, np.maximum(inside, end)), end - at

    def _hash(self, start: Positions, end: Positions) -> npt.NDArray[np.uint32]:
        hashes = (self._sums[end] - self._sums[start]) * self._inverses[start] * kernels.FACTOR
        return np.asarray((hashes >> np.uint64(32)).astype(np.uint32))


class Window(NamedTuple):
    """Reach of a classifier: symbols to the left, to the right, and white spaces to the right.

    If `line` is not 0, inputs include whether the symbol is a token by itself, and the length of a line that
    ends, up to `line` symbols.
    """

    left: int
    right: int
    blanks: int
    line: int


def windows(codes: Codes, at: Positions, window: Window) -> Codes:
    """Return the symbols around each position, `[place, offset]`; HIDDEN behind the last white space."""
    rows = codes[at[:, None] + np.arange(-window.left, window.right + 1)]
    after = rows[:, window.left + 1 :]
    blank = is_white(after)
    after[np.cumsum(blank, axis=1) - blank >= window.blanks] = HIDDEN
    return np.asarray(rows)


def next_codes(codes: Codes, at: Positions) -> Codes:
    """Return the symbol after each position, skipping white space."""
    return np.asarray(codes[at + 1 + is_white(codes[at + 1])])


def line_lengths(codes: Codes, at: Positions, longest: int) -> Positions:
    """Return the length of a line that ends after each position, up to `longest`; 0 if none ends."""
    begins_line = (codes >= LINE_END) & (codes <= BLANK_LINE) | (codes == BEGIN)
    begins = np.maximum.accumulate(np.where(begins_line, np.arange(len(codes)), -1))
    return np.where(codes[at + 1] == LINE_END, np.minimum(at - begins[at], longest), 0)


def stand_alone(codes: Codes, at: Positions, ends: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return whether a token ends before each position, skipping white space; `ends` is by symbol."""
    before = at - 1 - is_white(codes[at - 1])
    return np.asarray(ends[before] | (codes[before] == BEGIN))


def visible(rows: Codes, window: Window) -> Positions:
    """Return the number of symbols to the right that each window shows, `[place]`."""
    after = rows[:, window.left + 1 :]
    hidden = (after == HIDDEN) | (after == END)
    return np.where(hidden.any(axis=1), hidden.argmax(axis=1), window.right)


# In units of an activation: the factor of a bias, and the maximum of an activation.
ONE, LARGEST = 64, kernels.LARGEST
WEIGHT_ONE = 1 << kernels.WEIGHT_BITS
EXACT = 1 << 24  # integers below this are exact in float32, in which classifiers are trained


@dataclass(frozen=True)
class Classifier:
    """Perceptron with two hidden layers over a window, in integer arithmetic.

    Each layer has its biases as the last row. An activation counts in units of 1/64, a weight in 1/128.
    """

    window: Window
    keys: npt.NDArray[np.uint32]  # [word - 1], hashes of the known words, ascending
    symbols: npt.NDArray[np.int8]  # [code, feature]
    words: npt.NDArray[np.int8]  # [word, feature]; word 0 is for no or an unknown word
    lines: npt.NDArray[np.int8]  # [length of the line that ends, feature]; 0 if none ends
    hidden: npt.NDArray[
        np.int8
    ]  # [features of each offset, of the words before and after, of the line; unit]
    second: npt.NDArray[np.int8]  # [unit, unit]
    output: npt.NDArray[np.int8]  # [unit, 0]

    def layers(self) -> kernels.Layers:
        """Return the kernel layout, with contributions of symbols and words to the first layer."""
        offsets, width = self.window.left + 1 + self.window.right, self.symbols.shape[1]
        ends = np.cumsum([offsets * width, 2 * self.words.shape[1], self.lines.shape[1]])
        by_symbol, by_word, by_line, alone = np.split(self.hidden[:-1], ends)
        units = self.hidden.shape[1]
        symbols = _products(self.symbols, by_symbol.reshape(offsets, width, units))
        before, after = _products(self.words, by_word.reshape(2, -1, units))
        lines = _products(self.lines, by_line)
        symbols[self.window.left] += self.hidden[-1] * np.int32(ONE) + lines[0]
        others = np.concatenate([before, after, lines - lines[0], alone * np.int32(ONE)])
        second, output = self.second.astype(np.int32), self.output[:, 0].astype(np.int32)
        second[-1] *= ONE
        output[-1] *= ONE
        return np.array(self.window), self.keys, symbols, others, second, output


def _products(features: npt.NDArray[np.int8], weights: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    return np.asarray((features.astype(float) @ weights.astype(float)).astype(np.int32))


def numbers_of(keys: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint32]) -> Positions:
    """Return the number of the word with each hash, 0 if it is not among the keys."""
    if not len(keys):
        return np.zeros(len(hashes), np.int64)
    places = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
    return np.where(keys[places] == hashes, places + 1, 0)
