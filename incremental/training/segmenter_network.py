"""Classifier of a segmenter in training, in torch."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import cat, from_numpy
from torch.nn.functional import binary_cross_entropy_with_logits, embedding

from treewhile.incremental.texts.alphabets import CLASSES, Alphabet
from treewhile.incremental.texts.classifiers import LARGEST, ONE, WEIGHT_ONE, Classifier
from treewhile.incremental.training.segmenter_samples import (
    BYTES,
    SampleBatch,
    Samples,
    random_state,
    set_random_state,
)

SYMBOL_FEATURES, WORD_FEATURES, LINE_FEATURES, HIDDEN_UNITS, SECOND_UNITS = 16, 16, 8, 64, 32


class SegmenterNetwork:
    """Classifier in training: its weights are fractions, which can be rounded to whole units."""

    def __init__(self, samples: Samples, alphabet: Alphabet, seed: int) -> None:
        line, self._knows_more = samples.window.line, samples.window.line > 0
        line_features = LINE_FEATURES * self._knows_more
        features = samples.rows.shape[1] * SYMBOL_FEATURES + 2 * WORD_FEATURES
        features += line_features + self._knows_more
        self.classes, self._dropped = alphabet.classes, samples.dropped
        self._random = np.random.default_rng(seed)
        self._symbols = self._parameter(len(self.classes), SYMBOL_FEATURES, scale=0.3)
        self._symbol_classes = self._parameter(CLASSES, SYMBOL_FEATURES, scale=0.3)
        self._words = self._parameter(len(samples.keys) + 1, WORD_FEATURES, scale=0.1)
        self._lines = self._parameter(line + 1, line_features, scale=0.1)
        sizes = pairwise([features, HIDDEN_UNITS, SECOND_UNITS, 1])
        self._layers = [self._parameter(size + 1, units, scale=size**-0.5) for size, units in sizes]
        self.parameters = [self._symbols, self._symbol_classes, self._words, self._lines, *self._layers]

    def _parameter(self, *shape: int, scale: float) -> torch.Tensor:
        return from_numpy(
            self._random.standard_normal(shape, np.float32) * np.float32(scale)
        ).requires_grad_()

    def loss(self, batch: SampleBatch, are_whole: bool) -> torch.Tensor:
        """Return the loss of the network on the answers, with random dropout."""
        rounded = _whole if are_whole else _as_is
        symbols, words, lines = (rounded(table, ONE) for table in self._tables())
        of_tables = (batch.rows, symbols), (batch.before, words), (batch.after, words), (batch.lines, lines)
        parts = [embedding(from_numpy(of.astype(np.int64)), table).flatten(1) for of, table in of_tables]
        activation = cat([self._thinned(cat(parts[:-1], 1)), parts[-1]], 1)
        if self._knows_more:
            activation = cat([activation, from_numpy(batch.alone.astype(np.float32))[:, None]], 1)
        *inner, last = (rounded(layer, WEIGHT_ONE) for layer in self._layers)
        for layer in inner:
            activation = self._thinned(_activation(activation @ layer[:-1] + layer[-1], are_whole))
        answer = (activation @ last[:-1] + last[-1])[:, 0]
        return binary_cross_entropy_with_logits(answer, from_numpy(batch.answers.astype(np.float32)))

    def _tables(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        symbols = self._symbols + self._symbol_classes[self.classes.astype(np.int64)]
        return symbols, self._words, self._lines

    def _thinned(self, activation: torch.Tensor) -> torch.Tensor:
        drawn = self._random.integers(BYTES, size=tuple(activation.shape), dtype=np.uint8)
        kept = (drawn >= self._dropped).astype(np.float32) * np.float32(BYTES / (BYTES - self._dropped))
        return activation * from_numpy(kept)

    def state(self) -> dict[str, Any]:
        """Return the weights, and the state of the random generator."""
        return {
            "numbers": [one.detach() for one in self.parameters],
            "random": random_state(self._random),
        }

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on from a state of a network of the same size."""
        with torch.no_grad():
            for parameter, numbers in zip(self.parameters, state["numbers"], strict=True):
                parameter.copy_(numbers)
        set_random_state(self._random, state["random"])

    def classifier(self, samples: Samples) -> Classifier:
        """Return the learnt classifier; without a single sample, one by which nothing ends."""
        tables = [_bytes(table, ONE) for table in self._tables()]
        layers = [_bytes(layer, WEIGHT_ONE) for layer in self._layers]
        layers[-1] *= bool(len(samples))
        return Classifier(samples.window, samples.keys, *tables, *layers)


def _as_is(numbers: torch.Tensor, one: int) -> torch.Tensor:
    return numbers


def _whole(numbers: torch.Tensor, one: int) -> torch.Tensor:
    """Return the nearest whole units, with the gradient of the numbers themselves."""
    units = (numbers * one).round().clamp(-LARGEST, LARGEST) / one
    return numbers + (units - numbers).detach()


def _activation(sums: torch.Tensor, are_whole: bool) -> torch.Tensor:
    activation = sums.clamp(0, LARGEST / ONE)
    return activation + ((activation * ONE).floor() / ONE - activation).detach() if are_whole else activation


def _bytes(numbers: torch.Tensor, one: int) -> npt.NDArray[np.int8]:
    units = (numbers.detach() * one).round().clamp(-LARGEST, LARGEST)
    return np.asarray(units.numpy(), np.int8)
