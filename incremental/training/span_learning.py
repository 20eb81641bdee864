"""Learning of span scores on the states of a finished parser, which is not changed.

The states of all words are computed once. Spans learn with the decoder: the loss is the margin by which the
best tree, in which every wrong span counts one more and every right one less, exceeds the right tree (Taskar
et al. 2004; Stern, Andreas & Klein 2017). Labels, and the constituents that begin and end at words, have
losses of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_files import ModelFile, rounded
from treewhile.incremental.parsers.network_shapes import SLOPE, SPANS
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.span_layers import OPENINGS, Chain, SpanShape, fences_of
from treewhile.incremental.training.span_examples import (
    UNKNOWN,
    BracketedSentence,
    SpanExample,
    example_of,
    known_chains,
)
from treewhile.incremental.training.torch_layers import DROPOUT
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.constituents.span_trees import best_spans


class Spans(nn.Module):
    """Scores of spans, of their labels, and of the openings at words."""

    def __init__(self, state: int, shape: SpanShape, labels: int) -> None:
        super().__init__()
        self.pair = nn.Parameter(torch.zeros(shape.units + 1, shape.units))
        self.begin = nn.Linear(2 * state, shape.units)
        self.end = nn.Linear(2 * state, shape.units)
        self.label_begin = nn.Linear(2 * state, shape.label_units)
        self.label_end = nn.Linear(2 * state, shape.label_units)
        self.label = nn.Linear(shape.label_units, labels)
        self.openings = nn.Linear(shape.label_units, len(OPENINGS))
        nn.init.orthogonal_(self.pair[:-1], gain=0.3)

    def scores(self, fences: Tensor) -> Tensor:
        """Return [sequence, first, last] for states[sequence, fence, unit]; words count from 0."""
        begins, ends = self._dropped(self.begin(fences)), self._dropped(self.end(fences))
        pairs = begins @ self.pair[:-1].T @ ends.transpose(1, 2)
        return (pairs + begins @ self.pair[-1][:, None])[:, :-1, 1:]

    def label_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """Return [span, label] for the states of the fences before and behind spans."""
        scores: Tensor = self.label(self._units(befores, behinds))
        return scores

    def opening_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """Return [word, flag] for the states of the fences before and behind words."""
        scores: Tensor = self.openings(self._units(befores, behinds))
        return scores

    def _units(self, befores: Tensor, behinds: Tensor) -> Tensor:
        begin, end = self.label_begin(befores), self.label_end(behinds)
        return self._dropped(begin + end + begin * end)

    def _dropped(self, sums: Tensor) -> Tensor:
        return functional.dropout(functional.leaky_relu(sums, SLOPE), DROPOUT, self.training)


Half = npt.NDArray[np.float16]

PREFIXES: Final = 4  # of each sentence, half of which are in an epoch
IN_EPOCH: Final = 0.5
BATCH: Final = 64  # sentences and prefixes
SPREAD: Final = 4  # words by which the lengths in a batch differ
RATE: Final = 2e-3
WARM_UP: Final = 0.04  # share of the training while the rate grows
LEAST_RATE: Final = 0.02  # share of the rate at the end
LARGEST_GRADIENT: Final = 5.0
COST: Final = 3.0  # of a wrong span

SHAPE: Final = SpanShape()


@dataclass(frozen=True)
class SpanSettings:
    """Settings of learning, beside the trees and the parser."""

    epochs: int = 16
    seed: int = 1
    shape: SpanShape = SHAPE


class Prepared(NamedTuple):
    """Whole sentences and prefixes, with the states of their fences, and the known labels."""

    examples: Sequence[SpanExample]
    states: Sequence[Half]
    labels: Sequence[Chain]


def prepared(
    model: Model, trees: Sequence[Phrase], seed: int, advance: Callable[[int], object] = lambda trees: None
) -> Prepared:
    """Return the training data of plain trees, given the model on whose states spans are learnt."""
    generator, sentences = np.random.default_rng(seed), [*map(BracketedSentence.of, trees)]
    drawn = [generator.integers(1, len(one.words) + 1, PREFIXES).tolist() for one in sentences]
    asked = [
        [(len(sentence.words), False), *((t, True) for t in lengths)]
        for sentence, lengths in zip(sentences, drawn, strict=True)
    ]
    labels = known_chains(
        (sentence.seen(*part), part[0])
        for sentence, parts in zip(sentences, asked, strict=True)
        for part in parts
    )
    examples: list[SpanExample] = []
    states: list[Half] = []
    for sentence, parts in zip(sentences, asked, strict=True):
        examples += [example_of(sentence, *part, labels) for part in parts]
        states += states_of(model, sentence.words, parts)
        advance(1)
    return Prepared(examples, states, labels)


def states_of(model: Model, words: Sequence[str], asked: Sequence[tuple[int, bool]]) -> list[Half]:
    """Return the states of the fences of parts of a sentence, each with a number of words, open or not."""
    whole = snapshot_of(model, words)
    parts = [whole.part(t, is_open) for t, is_open in asked]
    fences = fences_of(model.around(parts), range(len(parts)))
    return [fences.states[start : start + size].astype(np.float16) for start, size, _ in fences.places()]


class SpanLearner:
    """Scorer of spans in training on prepared data."""

    def __init__(self, material: Prepared, settings: SpanSettings) -> None:
        torch.manual_seed(settings.seed)
        self._material, self._settings = material, settings
        self._generator = np.random.default_rng(settings.seed)
        state = material.states[0].shape[1] // 2
        self._spans = Spans(state, settings.shape, len(material.labels))
        self._optimizer = torch.optim.AdamW(
            self._spans.parameters(), RATE, betas=(0.9, 0.95), weight_decay=0.01, fused=True
        )
        self._batches_done = 0

    @property
    def words_of_epoch(self) -> int:
        """Approximate number of words in an epoch, prefixes included."""
        return round(sum(one.words * (IN_EPOCH if one.is_open else 1) for one in self._material.examples))

    def epoch(self, advance: Callable[[int], object] = lambda words: None) -> float:
        """Learn from every sentence and some prefixes once; return the mean loss of a word."""
        self._spans.train()
        losses, words = 0.0, 0
        for batch in self._batches():
            in_batch = sum(self._material.examples[number].words for number in batch)
            losses += self._learn(batch, in_batch)
            words += in_batch
            advance(in_batch)
        return losses / words

    def added_to(self, file: ModelFile, told: Mapping[str, object]) -> ModelFile:
        """Return the model with the learnt scorer, which fits only this model, and information on it."""
        state = self._spans.state_dict().items()
        arrays = rounded({f"{SPANS}.{name}": value.detach().numpy().copy() for name, value in state})
        labels = [[*chain] for chain in self._material.labels]
        said = {**self._settings.shape._asdict(), "labels": labels, **told}
        return ModelFile({**file.arrays, **arrays}, {**file.information, SPANS: said})

    def _batches(self) -> list[list[int]]:
        """Return batches of examples with similar lengths, in a new order each time."""
        examples = self._material.examples
        chances = self._generator.random((2, len(examples)))
        kept = [n for n, one in enumerate(examples) if not one.is_open or chances[0, n] < IN_EPOCH]
        kept.sort(key=lambda n: examples[n].words + SPREAD * chances[1, n])
        batches = [kept[start : start + BATCH] for start in range(0, len(kept), BATCH)]
        return [batches[place] for place in self._generator.permutation(len(batches))]

    def _learn(self, batch: Sequence[int], words: int) -> float:
        self._batches_done += 1
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * self._share_of_rate
        self._optimizer.zero_grad()
        loss = self._loss([self._material.examples[number] for number in batch], self._states(batch))
        (loss / words).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._spans.parameters(), LARGEST_GRADIENT)
        self._optimizer.step()
        return loss.item()

    @property
    def _share_of_rate(self) -> float:
        """Share of the learning rate, which grows at first and then falls until the end."""
        in_epoch = len(self._material.examples) * (1 + PREFIXES * IN_EPOCH) / (1 + PREFIXES) / BATCH
        done = self._batches_done / (self._settings.epochs * in_epoch)
        return max(LEAST_RATE, min(done / WARM_UP, 1 - done))

    def _states(self, batch: Sequence[int]) -> Tensor:
        """Return the states [sequence, fence, unit], padded."""
        return pad_sequence(
            [torch.from_numpy(self._material.states[number]) for number in batch], batch_first=True
        ).float()

    def _loss(self, examples: Sequence[SpanExample], fences: Tensor) -> Tensor:
        """Return the sum of the losses over the examples."""
        scores = self._spans.scores(fences)
        margin = (scores * _signs(examples, scores.detach().numpy())).sum()
        befores, behinds, labels = _rows_of_spans(examples)
        of_labels = self._spans.label_scores(fences[befores], fences[behinds])
        words, behind_words, flags = _rows_of_words(examples)
        of_words = self._spans.opening_scores(fences[words], fences[behind_words])
        return (
            margin
            + functional.cross_entropy(of_labels, labels, ignore_index=UNKNOWN, reduction="sum")
            + functional.binary_cross_entropy_with_logits(of_words, flags, reduction="sum")
        )


Places = tuple[Tensor, Tensor]  # numbers of sequences, and of fences in these


def _signs(examples: Sequence[SpanExample], scores: Array) -> Tensor:
    """Return [sequence, first, last]: 1 for spans wrongly in the best tree, -1 for spans missing there."""
    signs = np.zeros(scores.shape, np.float32)
    for own, example, sign in zip(scores, examples, signs, strict=True):
        size = example.words + example.is_open
        costs = np.full((size, size), np.float32(COST))
        first, last = example.spans.T
        costs[first, last] = -COST
        costs += own[:size, :size]
        costs[example.words :, example.words :] = 0  # the future alone
        found = best_spans(costs)
        assert found is not None  # without an interrupt
        sign[found[:, 0], found[:, 1]] += 1
        sign[first, last] -= 1
    return torch.from_numpy(signs)


def _rows_of_spans(examples: Sequence[SpanExample]) -> tuple[Places, Places, Tensor]:
    """Return the fences before and behind all gold spans, and their labels."""
    sequence = _numbers([len(one.spans) for one in examples])
    first, last = torch.from_numpy(np.concatenate([one.spans for one in examples])).T
    labels = torch.from_numpy(np.concatenate([one.labels for one in examples]))
    return (sequence, first), (sequence, last + 1), labels


def _rows_of_words(examples: Sequence[SpanExample]) -> tuple[Places, Places, Tensor]:
    """Return the fences before and behind all words, and the openings there."""
    sequence = _numbers([one.words for one in examples])
    place = torch.cat([torch.arange(one.words) for one in examples])
    flags = torch.from_numpy(np.concatenate([one.openings for one in examples]))
    return (sequence, place), (sequence, place + 1), flags


def _numbers(counts: Sequence[int]) -> Tensor:
    return torch.arange(len(counts)).repeat_interleave(torch.tensor(counts))
