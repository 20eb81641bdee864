"""Settings of a training run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from treewhile.oracles.trees.class_names import DECODERS

# Trees to learn from: the projective ones, or all, made projective for the shift-reduce parser.
LearnFrom = Literal["projective", "all"]

# Computations from which the shift-reduce parser learns: gold ones alone; or in the second half of the epochs
# its own, with the optimal steps for the projectivized tree or for the original one (Nederhof 2019, Table 7).
Explore = Literal["none", "projectivized", "original"]

LEARN_FROM: Final[tuple[str, ...]] = get_args(LearnFrom)
EXPLORE: Final[tuple[str, ...]] = get_args(Explore)


# Loss of whole trees for arcs: none, the likelihood among all trees, or the margin to the best tree of a
# class.
NO_DECODER: Final = "none"
LIKELIHOOD: Final = "likelihood"
DECODERS_TO_LEARN: Final = (NO_DECODER, LIKELIHOOD, *DECODERS)

# A treebank of few words makes few batches an epoch: these numbers raise the number of epochs then.
USUAL_EPOCHS: Final = 30
LEAST_BATCHES: Final = 1800
MOST_EPOCHS: Final = 300
SMALLEST_BATCH: Final = 80  # words

RATE_OF_FINISHED: Final = 5e-4  # learning rate of a finished model, which a higher rate would undo

LEAST_PATIENCE: Final = 10  # epochs without a better score on the dev part


def usual_epochs(words: int) -> int:
    """Return the default number of epochs for a treebank, by its number of words."""
    enough = -(-LEAST_BATCHES * SMALLEST_BATCH // max(words, SMALLEST_BATCH))
    return min(max(USUAL_EPOCHS, enough), MOST_EPOCHS)


@dataclass(frozen=True)
class Settings:
    """All that decides the result, beside treebanks, sizes of layers, threads, machine and libraries."""

    learn_from: LearnFrom = "all"
    explore: Explore = "projectivized"
    tags: str = "predicted"
    epochs: int = USUAL_EPOCHS
    seed: int = 1
    learning_rate: float = 2e-3
    decoder: str = NO_DECODER  # loss of whole trees, beside each word's head by itself
    committed_only: bool = False  # no arcs are learnt, so there is no best parse

    @property
    def patience(self) -> int:
        """Number of epochs without an improvement after which training ends."""
        return max(LEAST_PATIENCE, self.epochs // 4)
