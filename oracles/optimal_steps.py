"""Optimal steps from scratch: what shift, reduce_left and reduce_right can still attain.

Any reference, O(n^3): after each step, the stack and the remaining input are a string p...p s...s, and the
trees that can still come of it are those of a split grammar (Nederhof 2019, Section 4), so the best of them
is a weighted parse. Projective references, O(n^2) and O(n): see `projective_steps`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treewhile.oracles import kernels
from treewhile.oracles.errors import InputError
from treewhile.oracles.projective_steps import Scores, attainable_when_projective
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.split_grammars import STACK_AND_INPUT, STRICT_STACK_AND_INPUT
from treewhile.oracles.tabular_parsing import check_length, fill
from treewhile.oracles.transitions import TRANSITIONS, Configuration, Strategy, as_strategy, row_named


class OptimalSteps(NamedTuple):
    """The gold edges still to make after each step, the step's own included; None where it is not legal."""

    shift: int | None
    reduce_left: int | None
    reduce_right: int | None

    @property
    def attainable(self) -> int:
        """The gold edges that can still be made; 0 in a final configuration."""
        return max((score for score in self if score is not None), default=0)

    @property
    def best(self) -> tuple[str, ...]:
        """The names of the optimal steps, in the order of the fields; none in a final configuration."""
        attainable = self.attainable
        return tuple([step for step, score in zip(TRANSITIONS, self, strict=True) if score == attainable])


Algorithm = Callable[[Configuration, Reference, Strategy], Scores]


def optimal_steps(
    configuration: Configuration, heads: Heads, strategy: str = "left-before-right", algorithm: str = "auto"
) -> OptimalSteps:
    """What each step can still attain if the parser keeps to its strategy from there on.

    Left-before-right: what stands on top of the stack now or comes later takes no left child after a right
    one. Strict: moreover, no stack element below the top takes a left child. Right-before-left: no right
    child after a left one. A configuration does not remember the steps that led to it, so once a step is
    taken that was not optimal, more can be attainable than its score said.

    The algorithm "auto" is "linear" for projective references, else "cubic".
    """
    reference = as_reference_for(configuration, heads)
    answer = row_named(ALGORITHMS, "algorithm", algorithm)
    if algorithm in ("quadratic", "linear") and not reference.is_projective:
        raise InputError(
            f"the {algorithm} algorithm needs a projective reference: use cubic, or projectivize first"
        )
    return OptimalSteps(*answer(configuration, reference, as_strategy(strategy)))


def as_reference_for(configuration: Configuration, heads: Heads) -> Reference:
    """The checked heads, one for each word of the configuration."""
    reference = as_reference(heads)
    if reference.n != configuration.n:
        raise InputError(f"the configuration has {configuration.n} words, but {reference.n} heads were given")
    return reference


def _cubic(configuration: Configuration, reference: Reference, strategy: Strategy) -> Scores:
    check_length(configuration.n)

    def after(step: str) -> int | None:
        if not configuration.is_legal(step):
            return None
        edge = configuration.edge(step)
        made = 0 if edge is None else int(reference.heads[edge[1]] == edge[0])
        return made + _attainable(configuration.apply(step), reference, strategy, step)

    return after("shift"), after("reduce_left"), after("reduce_right")


def _attainable(configuration: Configuration, reference: Reference, strategy: Strategy, step: str) -> int:
    """The most gold edges that any computation makes from a configuration which `step` led to."""
    nodes = np.array([*configuration.stack, *range(configuration.front, configuration.n + 1)])
    top = len(configuration.stack) - 1
    weight = kernels.gold_weights(reference.heads, nodes)
    if step == "shift" and strategy.bars_left_after_shift:
        weight[top - 1, : top - 1] = kernels.NEVER
    if strategy.bars_left_below_top:
        for node in range(top + (step == "reduce_left")):
            weight[node, :node] = kernels.NEVER
    if step == "reduce_right" and strategy.bars_right_after_reduce_right:
        weight[top, top + 1 :] = kernels.NEVER
    grammar = STRICT_STACK_AND_INPUT if strategy.bars_left_below_top else STACK_AND_INPUT
    return int(fill(grammar, "p" * top + "s" * (len(nodes) - top), weight).value)


def _quadratic(configuration: Configuration, reference: Reference, strategy: Strategy) -> Scores:
    return attainable_when_projective(configuration, reference, strategy, pruned=False)


def _linear(configuration: Configuration, reference: Reference, strategy: Strategy) -> Scores:
    return attainable_when_projective(configuration, reference, strategy, pruned=True)


def _auto(configuration: Configuration, reference: Reference, strategy: Strategy) -> Scores:
    chosen = ALGORITHMS["linear" if reference.is_projective else "cubic"]
    return chosen(configuration, reference, strategy)


ALGORITHMS: dict[str, Algorithm] = {
    "auto": _auto,
    "cubic": _cubic,
    "quadratic": _quadratic,
    "linear": _linear,
}
