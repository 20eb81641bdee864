"""Optimal steps from scratch: the score that each step can still attain.

Arc-standard, any reference, heads or scores of edges, O(n^3): after each step, the stack and the remaining
input are a string p...p s...s, and the trees that can still be built are those of a split grammar (Nederhof
2019, Section 4), so the best score is a weighted parse. The recurrences of `kept_chart`, which look forward,
take O(m^3 + k^2 m^2) for k words on the stack and m in the input: less if both are few. Projective
references, O(n^2) and O(n): see `projective_steps`. Arc-eager: see `eager_steps`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast, overload

import numpy as np

from treewhile.oracles.eager_steps import optimal_eager_steps
from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.prefix_values import score_any_steps_from_scratch
from treewhile.oracles.projective_steps import Scores, as_real_scores, attainable_when_projective, is_for
from treewhile.oracles.references import (
    EdgeScores,
    Heads,
    Reference,
    as_heads_or_scores,
    never_by,
    weights_among_waiting,
    worth,
)
from treewhile.oracles.references import Scores as GivenScores
from treewhile.oracles.split_grammars import (
    SINGLE_ROOT_STACK_AND_INPUT,
    SINGLE_ROOT_STRICT_STACK_AND_INPUT,
    STACK_AND_INPUT,
    STRICT_STACK_AND_INPUT,
)
from treewhile.oracles.systems import (
    ARC_STANDARD,
    EagerSteps,
    OptimalSteps,
    as_system,
    configuration_of,
    strategy_of,
)
from treewhile.oracles.tabular_parsing import fill
from treewhile.oracles.transitions import Configuration, EagerConfiguration, Strategy, row_named

# Limit for words on the stack times words that remain, divided by their sum: above it, a whole chart is
# faster than looking forward (they take as long at 50 and 50, which is 25, and at 50 and 500, which is 45).
SHORT = 30


Algorithm = Callable[[Configuration, Reference | EdgeScores, Strategy, bool], Scores]


@overload
def optimal_steps(
    configuration: Configuration,
    reference: Heads | GivenScores,
    strategy: str | None = None,
    algorithm: str = "auto",
    single_root: bool = False,
    system: Literal["arc-standard"] = "arc-standard",
) -> OptimalSteps: ...


@overload
def optimal_steps(
    configuration: Configuration,
    reference: Heads | GivenScores,
    strategy: None = None,
    algorithm: str = "auto",
    single_root: bool = False,
    *,
    system: Literal["arc-eager"],
) -> EagerSteps: ...


def optimal_steps(
    configuration: Configuration,
    reference: Heads | GivenScores,
    strategy: str | None = None,
    algorithm: str = "auto",
    single_root: bool = False,
    system: str = ARC_STANDARD,
) -> OptimalSteps | EagerSteps:
    """Return the score that each step can still attain if the parser keeps to its strategy from there on.

    The reference is the heads of all words, or scores[head, dependent], in which row 0 is about the root,
    column 0 and the diagonal are not read, and -inf is a forbidden edge.

    Arc-standard has strategies, left-before-right by default: the word that is now on top of the stack, or
    comes later, takes no left child after a right one. Strict: moreover, no stack element below the top takes
    a left child. Right-before-left: no right child after a left one. A configuration does not remember the
    steps that led to it, so once a step is taken that was not optimal, more can be attainable than its score
    said.

    Arc-eager has no strategies, and its scores never rise: an `EagerConfiguration` knows the words on the
    stack that have a head; in a plain `Configuration` no word has one. All words get a head in the end.

    With a single root, the root takes one child from here on, in arc-standard as the very last step. In
    arc-eager its child is the word just above 0, if that has a head, and stays there as long as words remain.

    The algorithm "auto" is "linear" for projective heads (with a single root only if at most one word is
    under the root and the strategy is not right-before-left), else "cubic"; for scores "forward" unless many
    words are on the stack and in the input. For arc-eager it is always "forward", and "cubic" gives the same.
    """
    row, place = strategy_of(system, strategy), configuration_of(system, configuration)
    checked = as_reference_for(place, reference)
    if isinstance(place, EagerConfiguration):
        scores = optimal_eager_steps(place, checked, algorithm, single_root)
    else:
        scores = _optimal_standard_steps(place, checked, row, algorithm, single_root)
    return as_system(system).as_values(scores, place, single_root)


def _optimal_standard_steps(
    configuration: Configuration,
    reference: Reference | EdgeScores,
    strategy: Strategy,
    algorithm: str,
    single_root: bool,
) -> Scores:
    answer = row_named(ALGORITHMS, "algorithm", algorithm)
    if algorithm in ("quadratic", "linear"):
        _check_projective(reference, strategy, algorithm, single_root)
    return answer(configuration, reference, strategy, single_root)


def as_reference_for(configuration: Configuration, reference: Heads | GivenScores) -> Reference | EdgeScores:
    """Return the checked reference; an InputError says that it has not as many words as the configuration."""
    checked = as_heads_or_scores(reference)
    if checked.n != configuration.n:
        what = "heads" if isinstance(checked, Reference) else "words' scores"
        raise InputError(f"the configuration has {configuration.n} words, but {checked.n} {what} were given")
    return checked


def _check_projective(
    reference: Reference | EdgeScores, strategy: Strategy, algorithm: str, single_root: bool
) -> None:
    if is_for(reference, strategy, single_root):
        return
    if is_for(reference, strategy, False):
        raise InputError(
            f"the {algorithm} algorithm knows a single root only where at most one word is under 0 and the "
            "strategy is not right-before-left: use cubic"
        )
    raise InputError(
        f"the {algorithm} algorithm needs a projective reference: use cubic, or projectivize first"
    )


def _cubic(
    configuration: Configuration, reference: Reference | EdgeScores, strategy: Strategy, single_root: bool
) -> Scores:
    def after(step: str) -> float | None:
        if not configuration.is_legal(step):
            return None
        made = worth(reference, configuration.edge(step))
        return made + _attainable(configuration.apply(step), reference, strategy, single_root, step)

    return after("shift"), after("reduce_left"), after("reduce_right")


def _attainable(
    configuration: Configuration,
    reference: Reference | EdgeScores,
    strategy: Strategy,
    single_root: bool,
    step: str,
) -> float:
    """Return the maximum score of all computations from a configuration that `step` led to."""
    weight, never = weights_among_waiting(configuration, reference), never_by(reference)
    top = len(configuration.stack) - 1
    if step == "shift" and strategy.bars_left_after_shift:
        weight[top - 1, : top - 1] = never
    if strategy.bars_left_below_top:
        for node in range(top + (step == "reduce_left")):
            weight[node, :node] = never
    if step == "reduce_right" and strategy.bars_right_after_reduce_right:
        weight[top, top + 1 :] = never
    word = "p" * top + "s" * (len(weight) - top)
    value = fill(
        GRAMMARS[strategy.bars_left_below_top, single_root], "r" + word[1:] if single_root else word, weight
    ).value
    return float(value) if isinstance(reference, EdgeScores) else int(value)


# Keys: whether no stack element below the top takes a left child, and whether the root takes one child.
GRAMMARS = {
    (False, False): STACK_AND_INPUT,
    (True, False): STRICT_STACK_AND_INPUT,
    (False, True): SINGLE_ROOT_STACK_AND_INPUT,
    (True, True): SINGLE_ROOT_STRICT_STACK_AND_INPUT,
}


def _forward(
    configuration: Configuration, reference: Reference | EdgeScores, strategy: Strategy, single_root: bool
) -> Scores:
    weight = weights_among_waiting(configuration, reference).astype(np.float64, copy=False)
    found = np.empty(3)
    score_any_steps_from_scratch(weight, len(configuration.stack) - 1, *strategy, single_root, found)
    scores = as_real_scores(found)
    if isinstance(reference, EdgeScores):
        return scores
    shift, left, right = (None if score is None else int(score) for score in scores)
    return shift, left, right


def _quadratic(
    configuration: Configuration, reference: Reference | EdgeScores, strategy: Strategy, single_root: bool
) -> Scores:
    return attainable_when_projective(configuration, cast(Reference, reference), strategy, pruned=False)


def _linear(
    configuration: Configuration, reference: Reference | EdgeScores, strategy: Strategy, single_root: bool
) -> Scores:
    return attainable_when_projective(configuration, cast(Reference, reference), strategy, pruned=True)


def _auto(
    configuration: Configuration, reference: Reference | EdgeScores, strategy: Strategy, single_root: bool
) -> Scores:
    if is_for(reference, strategy, single_root):
        chosen = "linear"
    elif isinstance(reference, EdgeScores) and _is_short(configuration):
        chosen = "forward"
    else:
        chosen = "cubic"
    return ALGORITHMS[chosen](configuration, reference, strategy, single_root)


def _is_short(configuration: Configuration) -> bool:
    """Return whether looking forward is faster than a whole chart."""
    on_stack, remaining = len(configuration.stack), configuration.n + 1 - configuration.front
    return on_stack * remaining <= SHORT * (on_stack + remaining)


ALGORITHMS: dict[str, Algorithm] = {
    "auto": _auto,
    "cubic": _cubic,
    "forward": _forward,
    "quadratic": _quadratic,
    "linear": _linear,
}
