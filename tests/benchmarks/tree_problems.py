"""Sentences to decode for the benchmark of trees, and what its sections share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from measuring import Section, Spread, Target, Work, calls, measure

from treewhile.oracles.trees.best_trees import edge_array

Scores = npt.NDArray[np.float64]


class Bench(NamedTuple):
    """How much is measured: for good figures, or just enough to see that all of it still works."""

    repeats: int
    sentences: int  # of each length
    is_quick: bool
    generator: np.random.Generator

    def measure(self, *works: Work) -> list[Spread]:
        return measure(self.repeats, *works)

    def sentences_of(self, n: int) -> list[Scores]:
        """Scores as a parser gives them: each word is sure of one head, of two, or of none."""
        return [self._scores(n) for _ in range(self.sentences)]

    def _scores(self, n: int) -> Scores:
        nodes = np.arange(n + 1)
        logits = self.generator.normal(size=(n + 1, n + 1)) - 0.3 * np.abs(np.subtract.outer(nodes, nodes))
        logits[self.generator.integers(0, n + 1, n + 1), nodes] += self.generator.uniform(0, 9, n + 1)
        return edge_array(logits - np.logaddexp.reduce(logits))

    def target(self, seconds: float) -> Target | None:
        """Targets are about full sizes."""
        return None if self.is_quick else Target(seconds)


Sections = Callable[[Bench], Section]


def each(function: Callable[..., Any], problems: Iterable[Any], *others: Any) -> Work:
    """A function called with each of the problems, and with other arguments that are always the same."""
    return calls(function, [(problem, *others) for problem in problems])


def require_close(what: str, tolerance: float, *answers: Any) -> None:
    """Peers are compared in speed only if they give the same."""
    if not all(np.allclose(answer, answers[0], rtol=0, atol=tolerance) for answer in answers[1:]):
        raise RuntimeError(f"{what} differ: {answers}")
