"""Perceptrons that decide whether a token or a sentence ends after a symbol, in integer arithmetic.

Weights and activations are small integers, whose sums are exact in any order of addition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts import kernels
from treewhile.incremental.texts.alphabets import Positions
from treewhile.incremental.texts.windows import Window

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
