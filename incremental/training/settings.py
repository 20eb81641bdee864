"""What a training run is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from treewhile.oracles.trees.class_names import DECODERS

# Which trees are learnt from: the projective ones, or all, made projective for the shift-reduce parser.
Trees = Literal["projective", "all"]

# Which computations the shift-reduce parser learns from: gold ones alone; or in the second half of the epochs
# its own, with the optimal steps for the projectivized tree or for the original one (Nederhof 2019, Table 7).
Explore = Literal["none", "projectivized", "original"]

TREES: Final[tuple[str, ...]] = get_args(Trees)
EXPLORE: Final[tuple[str, ...]] = get_args(Explore)


# With what arcs learn from whole trees: nothing, their likelihood among all trees, or the margin to the best
# one of a class.
NO_DECODER: Final = "none"
LIKELIHOOD: Final = "likelihood"
DECODERS_TO_LEARN: Final = (NO_DECODER, LIKELIHOOD, *DECODERS)

# A treebank of few words makes few batches an epoch: then there are more epochs, as these
# numbers say.
USUAL_EPOCHS: Final = 30
LEAST_BATCHES: Final = 1800
MOST_EPOCHS: Final = 300
SMALLEST_BATCH: Final = 80  # words

RATE_OF_FINISHED: Final = 5e-4  # the learning rate of a finished model, which a higher one would undo

LEAST_PATIENCE: Final = 10  # epochs without a better score on the dev part


def usual_epochs(words: int) -> int:
    """How many epochs a treebank takes at most unless told otherwise, by its number of words."""
    enough = -(-LEAST_BATCHES * SMALLEST_BATCH // max(words, SMALLEST_BATCH))
    return min(max(USUAL_EPOCHS, enough), MOST_EPOCHS)


@dataclass(frozen=True)
class Settings:
    """All that decides what comes out, beside treebanks, sizes of layers, threads, machine and libraries."""

    trees: Trees = "all"
    explore: Explore = "projectivized"
    tags: str = "predicted"
    epochs: int = USUAL_EPOCHS
    seed: int = 1
    learning_rate: float = 2e-3
    decoder: str = NO_DECODER  # what whole trees are learnt with, beside each word's head by itself
    committed_only: bool = False  # no arcs are learnt, so there is no best parse

    @property
    def patience(self) -> int:
        """After how many epochs that brought nothing better the training ends."""
        return max(LEAST_PATIENCE, self.epochs // 4)
