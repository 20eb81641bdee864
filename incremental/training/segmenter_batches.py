"""Batches of samples for a segmenter's classifiers, in a random order that can be gone on with."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts.alphabets import END, Codes, Positions, is_white
from treewhile.incremental.training.segmenter_samples import Samples

BATCH: Final = 512

CUT = 0.2  # the share of examples whose text ends early; below, what else is made unknown at random
TO_CLASS, NO_WORD = 0.02, 0.1
OTHER_LENGTH = 2  # how far the length of a line is put off, so that what is like others is learnt as such


class Rounds:
    """Random samples without end, each once a round."""

    def __init__(self, samples: int, random: np.random.Generator) -> None:
        self._samples, self._random = samples, random
        self._order, self._at = np.zeros(0, np.int64), 0
        self._before = random_state(random)  # the round

    def next(self) -> Positions:
        """The samples of the next batch."""
        if self._at >= len(self._order):
            self._begin()
        chosen: Positions = self._order[self._at : self._at + BATCH]
        self._at += BATCH
        return chosen

    def _begin(self) -> None:
        self._before = random_state(self._random)
        self._order, self._at = self._random.permutation(self._samples), 0

    def state(self) -> dict[str, Any]:
        """All that decides what comes next."""
        return {"before": self._before, "now": random_state(self._random), "at": self._at}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Goes on from a state of as many samples."""
        set_random_state(self._random, state["before"])
        self._begin()
        self._at = state["at"]
        set_random_state(self._random, state["now"])


def random_state(random: np.random.Generator) -> str:
    """The state of a generator of chances as text."""
    return json.dumps(random.bit_generator.state)


def set_random_state(random: np.random.Generator, state: str) -> None:
    """Puts a generator of chances into a state."""
    random.bit_generator.state = json.loads(state)


class SampleBatch(NamedTuple):
    """What is seen of some samples, as in these, and the answers."""

    rows: Codes
    before: Positions
    after: Positions
    lines: Positions
    alone: npt.NDArray[np.bool_]
    answers: npt.NDArray[np.bool_]


def sample_batch(
    samples: Samples, chosen: Positions, classes: Codes, random: np.random.Generator
) -> SampleBatch:
    """The chosen samples, some of them made harder."""
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
    """Behind how many symbols to the right each text ends: anywhere, but not before what is asked about."""
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
