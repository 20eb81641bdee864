"""Optimal steps of arc-eager for any reference, projective or not: heads, or scores of edges.

The trees that can still be built from a configuration are the projective trees over the stack and the
remaining input in which words that have a head on the stack keep it, words without a head get one from the
remaining input, and no other edge joins two nodes of the stack. Each such tree can be built: a word that is
not reduced earlier than needed is there for all its edges. So the attainable maximum is a weighted parse
(`cubic`), as for arc-standard (Nederhof 2019, Section 4), with the plain grammar of projective trees.

The stack is scored by a recurrence that looks forward (`forward`). With a = a_i on top, V_i[x] is the maximum
that is attained while the words from x on are parsed:

    V_i[x]   = max of  max over y > x of  I(y -> x) + V_i[y]              shift, until y takes x as left child
                       w(x, a) + V_(i-1)[x]      unless a has a head      left_arc
                       w(a, x) + max over y > x of  R(x, y-1) + V_i[y]    right_arc, and x reduced before y
                       V_(i-1)[x]                if a has a head          reduce
    V_i[n+1] = V_(i-1)[n+1] if a has a head, -inf if not; 0 where a is the root

R(x, y-1) is the maximum that x and its right children attain over x..y-1, and I(y -> x) that of the edge from
y to x with all between, as in Eisner 1996. Each line is the score of one step, so two nodes have the scores
of all steps. With a single root, the word just above the root that has a head is its only child and is not
reduced before the end; a right_arc from the root then takes all that remains. O(m^3 + k m^2) for k words on
the stack and m in the input.

(Goldberg & Nivre 2012 count the gold edges that a step loses one by one, which is exact only if all gold
edges that can be attained can be attained together: for projective trees.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewhile.oracles.kernels.eager_values import score_eager_steps_from_scratch
from treewhile.oracles.kernels.values import Longs
from treewhile.oracles.kernels.values import Scores as Values
from treewhile.oracles.projective_steps import Scores
from treewhile.oracles.references import EdgeScores, Reference, never_by, weights_among_waiting, worth
from treewhile.oracles.split_grammars import PROJECTIVE, SINGLE_ROOT_PROJECTIVE
from treewhile.oracles.tabular_parsing import fill
from treewhile.oracles.transitions import EAGER_TRANSITIONS, EagerConfiguration, row_named

# --- by a whole chart ---------------------------------------------------------------------------------------


def _cubic(configuration: EagerConfiguration, reference: Reference | EdgeScores, single_root: bool) -> Scores:
    def after(step: str) -> float | None:
        if not configuration.is_legal(step):
            return None
        made = worth(reference, configuration.edge(step))
        return made + _attainable(configuration.apply(step), reference, single_root)

    return tuple(map(after, EAGER_TRANSITIONS))


def _attainable(
    configuration: EagerConfiguration, reference: Reference | EdgeScores, single_root: bool
) -> float:
    """Return the maximum score of all computations from a configuration."""
    weight, never = weights_among_waiting(configuration, reference), never_by(reference)
    height = len(configuration.stack)
    weight[:height, :height] = never
    for level in np.flatnonzero(has_head_by_level(configuration)):
        weight[:, level] = never
        weight[level - 1, level] = 0
    if single_root:
        value = fill(SINGLE_ROOT_PROJECTIVE, "r" + "a" * (len(weight) - 1), weight).value
    else:
        value = fill(PROJECTIVE, "a" * len(weight), weight).value
    return float(value) if isinstance(reference, EdgeScores) else int(value)


# --- forward ------------------------------------------------------------------------------------------------


def _forward(
    configuration: EagerConfiguration, reference: Reference | EdgeScores, single_root: bool
) -> Scores:
    weight = weights_among_waiting(configuration, reference).astype(np.float64, copy=False)
    found = np.empty(len(EAGER_TRANSITIONS))
    score_eager_steps_from_scratch(weight, has_head_by_level(configuration), single_root, found)
    return as_eager_scores(found, isinstance(reference, EdgeScores))


def has_head_by_level(configuration: EagerConfiguration) -> Longs:
    """Return [level]: 1 if the word on the stack has a head, else 0."""
    return np.isin(configuration.stack, configuration.headed).astype(np.int64)


def as_eager_scores(found: Values, are_real: bool) -> Scores:
    """Return the kernel's scores as a tuple, with None for each step that is not legal (NaN or negative)."""
    if are_real:
        return tuple([score if score == score else None for score in found.tolist()])
    return tuple([int(score) if score >= 0 else None for score in found.tolist()])


Algorithm = Callable[[EagerConfiguration, Reference | EdgeScores, bool], Scores]

EAGER_ALGORITHMS: dict[str, Algorithm] = {"auto": _forward, "cubic": _cubic, "forward": _forward}


def optimal_eager_steps(
    configuration: EagerConfiguration,
    reference: Reference | EdgeScores,
    algorithm: str,
    single_root: bool,
) -> Scores:
    """Return the score that each step can still attain, by the algorithm of this name."""
    answer = row_named(EAGER_ALGORITHMS, "algorithm for arc-eager", algorithm)
    return answer(configuration, reference, single_root)
