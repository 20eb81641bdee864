"""Batches of samples for a segmenter's classifiers, in a random order that can be resumed."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts.alphabets import END, Codes, Positions, is_white
from treewhile.incremental.training.segmenter_samples import Samples

BATCH: Final = 512

CUT = 0.2  # share of examples whose text ends early; below, the shares of symbols and words made unknown
TO_CLASS, NO_WORD = 0.02, 0.1
OTHER_LENGTH = 2  # greatest random change of a line's length, so that similar lengths are learnt alike


class Rounds:
    """Random samples without end, each once a round."""

    def __init__(self, samples: int, random: np.random.Generator) -> None:
        self._samples, self._random = samples, random
        self._order, self._at = np.zeros(0, np.int64), 0
        self._before = random_state(random)  # state before the round

    def next(self) -> Positions:
        """Return the samples of the next batch."""
        if self._at >= len(self._order):
            self._begin()
        chosen: Positions = self._order[self._at : self._at + BATCH]
        self._at += BATCH
        return chosen

    def _begin(self) -> None:
        self._before = random_state(self._random)
        self._order, self._at = self._random.permutation(self._samples), 0

    def state(self) -> dict[str, Any]:
        """Return the state that decides all further batches."""
        return {"before": self._before, "now": random_state(self._random), "at": self._at}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on from a state for the same number of samples."""
        set_random_state(self._random, state["before"])
        self._begin()
        self._at = state["at"]
        set_random_state(self._random, state["now"])


def random_state(random: np.random.Generator) -> str:
    """Return the state of a random generator as text."""
    return json.dumps(random.bit_generator.state)


def set_random_state(random: np.random.Generator, state: str) -> None:
    """Set the state of a random generator."""
    random.bit_generator.state = json.loads(state)


class SampleBatch(NamedTuple):
    """Inputs of some samples, as in `Samples`, and the answers."""

    rows: Codes
    before: Positions
    after: Positions
    lines: Positions
    alone: npt.NDArray[np.bool_]
    answers: npt.NDArray[np.bool_]


def sample_batch(
    samples: Samples, chosen: Positions, classes: Codes, random: np.random.Generator
) -> SampleBatch:
    """Return the chosen samples, some of them made harder."""
    rows, shown = samples.rows[chosen], samples.visible[chosen]
    cuts = _cuts(samples, rows, shown, random)
    rows[:, samples.window.left + 1 :][np.arange(samples.window.right) >= cuts[:, None]] = END
    rows = np.where(_some(TO_CLASS, rows, random), classes[rows], rows)
    before = np.where(_some(NO_WORD, shown, random), 0, samples.before[chosen])
    is_hidden = _some(NO_WORD, shown, random) | (samples.after_end[chosen] > np.minimum(cuts, shown))
    after = np.where(is_hidden, 0, samples.after[chosen])
    lines, alone = _other_lengths(samples, chosen, random), samples.alone[chosen]
    return SampleBatch(rows, before, after, lines, alone, samples.answers[chosen])


def _cuts(samples: Samples, rows: Codes, shown: Positions, random: np.random.Generator) -> Positions:
    """Return the number of symbols to the right after which each text ends: at least those asked about."""
    least = 1 + is_white(rows[:, samples.window.left + 1])
    cuts = least + np.floor(random.random(len(shown)) * (shown - least)).astype(np.int64)
    is_cut = _some(CUT, shown, random) & (cuts < shown)
    return np.where(is_cut, cuts, samples.window.right)


def _other_lengths(samples: Samples, chosen: Positions, random: np.random.Generator) -> Positions:
    lines = samples.lines[chosen]
    others = np.clip(
        lines + random.integers(-OTHER_LENGTH, OTHER_LENGTH + 1, len(lines)), 1, samples.window.line
    )
    return np.where(lines, others, 0)


def _some(share: float, like: npt.NDArray[Any], random: np.random.Generator) -> npt.NDArray[np.bool_]:
    return random.random(like.shape) < share
