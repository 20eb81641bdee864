"""What a training run is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

# Which trees are learnt from: the projective ones, or all, made projective for the shift-reduce parser.
Trees = Literal["projective", "all"]

# Which computations the shift-reduce parser learns from: gold ones alone; or in the second half of the epochs
# its own, with the optimal steps for the projectivized tree or for the original one (Nederhof 2019, Table 7).
Explore = Literal["none", "projectivized", "original"]

TREES: Final[tuple[str, ...]] = get_args(Trees)
EXPLORE: Final[tuple[str, ...]] = get_args(Explore)


@dataclass(frozen=True)
class Settings:
    """All that decides what comes out, beside treebanks, sizes of layers, threads, machine and libraries."""

    trees: Trees = "all"
    explore: Explore = "projectivized"
    tags: str = "predicted"
    epochs: int = 30
    seed: int = 1
    learning_rate: float = 2e-3
    committed_only: bool = False  # no arcs are learnt, so there is no best parse
