"""Scores of the step scorer on given sentences, by walks in lockstep, and the temperature of a model.

The likelihood of the right choices has a single maximum over 1 / temperature, since its logarithm is concave
there: the slope, the mean score of the right choice less the expected score, falls through 0 once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST
from treewhile.incremental.parsers.shift_reduce import LabelledComputation
from treewhile.incremental.training.batches import Batch, Batches, PrefixesOf, all_prefixes, one_prefix
from treewhile.incremental.training.examples import Example, Examples, Lesson
from treewhile.incremental.training.exploration import UNKNOWN, Explorer, Visited
from treewhile.incremental.training.explored_batches import Decide, scorer_of, walked
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.torch_layers import Explored
from treewhile.incremental.training.torch_network import TorchNetwork
from treewhile.incremental.treebanks.treebank import Sentence

HALVINGS: Final = 40


class Choices(NamedTuple):
    """Choices among places, one for every row, and the right ones."""

    scores: Tensor  # [choice, place], -inf for impossible places
    right: Tensor  # [choice]


def fitted_temperature(choices: Sequence[Choices]) -> float:
    """Return the temperature under which the right choices are likeliest; 1 where there are none."""
    if not any(len(right) for _, right in choices):
        return 1.0
    low, high = 1 / HOTTEST, 1 / COLDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(choices, middle) > 0 else (low, middle)
    return 2 / (low + high)


def _slope(choices: Sequence[Choices], inverse: float) -> float:
    """Return the slope of the log-likelihood over the inverse of the temperature."""
    return sum(_slope_of(scores.double(), right, inverse) for scores, right in choices)


def _slope_of(scores: Tensor, right: Tensor, inverse: float) -> float:
    chances = (scores * inverse).softmax(-1)
    expected = (chances * scores.masked_fill(scores == -torch.inf, 0)).sum(-1)
    return float((scores.gather(-1, right[:, None]).squeeze(-1) - expected).sum())


DELAYS: Final = (1, 3)  # in words
UAS_AT_DELAYS: Final = tuple(f"UAS at delay {delay}" for delay in DELAYS)
AWAITING: Final = "awaiting"


class StepScores:
    """Sentences whose heads are all known, on which a network is scored."""

    def __init__(self, sentences: Sequence[Sentence], inventory: Inventory, settings: Settings) -> None:
        as_they_are = replace(settings, learn_from="all", explore="original")
        self._examples = Examples(inventory, [Lesson(one.words) for one in sentences], as_they_are)
        self._batches = Batches(self._examples, forgets=False)
        self._explorer = Explorer(inventory.labels, inventory.root_labels)
        self._kinds = len(inventory.labels)

    @torch.no_grad()
    def scores(self, network: TorchNetwork) -> dict[str, float]:
        """Return the percentages of right heads in the committed parse, and of right awaited heads."""
        right, asked = Counter[str](), Counter[str]()
        for batch in self._all_batches(network, one_prefix):
            explore = _Tried(self._explorer, self._kinds)
            awaiting = network(batch, explore, steps_alone=True)["awaiting"].argmax(-1)
            words = sum(example.n for example in batch.examples)
            right.update({AWAITING: int((awaiting == batch.targets["awaiting"]).sum()), **explore.right})
            asked.update({AWAITING: len(awaiting), **dict.fromkeys(UAS_AT_DELAYS, words)})
        return {name: 100 * right[name] / asked[name] for name in (*UAS_AT_DELAYS, AWAITING)}

    @torch.no_grad()
    def temperature(self, network: TorchNetwork) -> float:
        """Return the temperature that makes the heads of words in all prefixes likeliest."""
        batches = self._all_batches(network, all_prefixes)
        return fitted_temperature([_choices(batch, network(batch)["arcs"].float()) for batch in batches])

    def _all_batches(self, network: TorchNetwork, prefixes_of: PrefixesOf) -> Iterator[Batch]:
        """Yield batches of all sentences, always with the same prefixes."""
        generator = np.random.default_rng(0)
        device = network.steps.missing.device
        for examples in self._examples.groups(generator):
            yield self._batches.batch(examples, generator, whole=False, prefixes_of=prefixes_of).to(device)


class _Tried:
    """Exploration with each delay, without learning: counts of right heads."""

    def __init__(self, explorer: Explorer, kinds: int) -> None:
        self._explorer, self._kinds = explorer, kinds
        self.right: dict[str, int] = {}

    def __call__(self, batch: Batch, projected: Tensor, decide: Decide) -> Explored:
        score = scorer_of(len(batch.examples), projected, decide)
        for name, delay in zip(UAS_AT_DELAYS, DELAYS, strict=True):
            visited = walked(self._explorer, batch, [delay] * len(batch.examples), score)
            self.right[name] = self._right(batch.examples, visited)
        return Explored(batch.role_rows, batch.optimal_steps, projected.new_zeros(len(batch.role_rows)))

    def _right(self, examples: Sequence[Example], visited: Visited) -> int:
        """Return the number of right heads in the trees in which the walks end."""
        walks = [LabelledComputation(self._kinds, example.n) for example in examples]
        for sentence, step_class in zip(visited.sentence.tolist(), visited.taken.tolist(), strict=True):
            walks[sentence].take(step_class)
        return sum(
            walk.attachments[word].head == head
            for walk, example in zip(walks, examples, strict=True)
            for word, head in enumerate(example.gold.heads, 1)
        )


def _choices(batch: Batch, arcs: Tensor) -> Choices:
    """Return the choices of heads of the words of prefixes, given arcs[sequence, child, head]."""
    places = torch.arange(arcs.shape[1], device=arcs.device)
    is_word = (places > 0) & (places <= batch.last_words[:, None])
    chosen = is_word & (batch.targets["arcs"] != UNKNOWN)
    return Choices(arcs[chosen].cpu(), batch.targets["arcs"][chosen].cpu())
