"""Base class of both ways to follow a computation: the rules, and the current configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from treewhile.oracles.kernels import standings as at
from treewhile.oracles.kernels.values import Ints
from treewhile.oracles.projective_steps import standing
from treewhile.oracles.transitions import Configuration, Strategy


class KeptComputation(ABC):
    """State of one computation."""

    def __init__(self, strategy: Strategy, single_root: bool) -> None:
        self.strategy, self.single_root = strategy, single_root
        self.standing = standing(strategy, single_root)

    @property
    def entries_filled(self) -> int:
        return int(self.standing[at.FILLED])

    def place(self, configuration: Configuration) -> None:
        """Go to any configuration."""
        self._place(np.array(configuration.stack, dtype=np.int32), configuration.front)

    @abstractmethod
    def _place(self, stack: Ints, front: int) -> None:
        """Go to the configuration with this stack and next word."""
