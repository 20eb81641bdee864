"""Marginals of edges, if the probability of a tree is proportional to exp of the sum of its scores; O(n^3).

The matrix-tree theorem makes the sum over all trees a determinant, and marginals entries of an inverse (Tutte
1984; Koo, Globerson, Carreras & Collins 2007, also with one root). But inverses subtract, and digits are lost
if words are nearly certain to head each other. So here all sums have positive terms (as in Grassmann, Taksar
& Heyman 1985), and each marginal is accurate in all but the last few digits, however small it is.

Let each word choose a head, with probabilities proportional to the exponentials w(h, m) of its scores, and
follow the heads up. With e(h, m) the probability that a path from h reaches the root before it meets m, or 1
if h is the root:

    marginal(h, m) = w(h, m) e(h, m) / sum over h' of w(h', m) e(h', m)

To compute e, a word p is eliminated: w(h, m) grows by w(p, m) w(h, p) / sum over h' of w(h', p), since paths
through p continue. When only m is left, e(p, m) follows in reverse order: the sum over the heads h that p had
of their probability times e(h, m), where e(m, m) = 0. To leave out each m in turn, one half of the words is
eliminated, the other half solved in the same way, and then the other way round: 2 (1/2)^3 + 4 (1/4)^3 + … add
up to a third.

One root. Trees with one root are the only ones left if edges from the root become infinitely unlikely. So
these edges do not count in the sums of the denominators, and e is expressed in multiples of their unit, which
cancels out. This needs words that all lead to each other. The words that lead to all words (the only ones
that can be under the root) do; the words below them are a separate problem, with any number of words under
them.

Weights are exponentials of scores, divided by the greatest of their word. If a weight is below 1e-145, or
becomes so in between, all computations use logarithms, so that no weight vanishes: this is far slower.

The pruned scores always have a tree of every class, since the edges of the best projective tree stay; if
scores forbid all projective trees, those of the best of all trees stay instead, and a narrower class may have
no tree left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores
from treewhile.oracles.trees.best_trees import Edge, EdgeArray, check_size, decode_edges, edge_array
from treewhile.oracles.trees.kernels.elimination import SMALLEST_FACTOR, fill_escapes

Marginals = npt.NDArray[np.float64]  # [head, dependent]: each column but the first adds up to 1

SMALLEST_LOG: Final = float(np.log(SMALLEST_FACTOR))


def edge_marginals(
    scores: Scores,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> Marginals:
    """Return the marginal of each edge, [head, dependent], if trees have weight exp of their score.

    The arguments are those of `best_tree`; all trees count, with any crossing edges. Column 0 is 0.
    """
    found = marginals_of_edges(edge_array(scores, forced, barred), single_root, Interrupt())
    assert found is not None  # an Interrupt that is never set
    return found


def marginals_of_edges(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> Marginals | None:
    """Return the marginals by scores that were checked, or None if interrupted."""
    check_size("weighing all", len(scores) - 1, bytes_needed(len(scores) - 1))
    if len(scores) == 1:
        return np.zeros((1, 1))
    if not single_root:
        _check_reached(scores, _reached(scores > -np.inf, 0))
        return _solved(scores, False, interrupt)
    first = _sources(scores)
    if len(first) == len(scores) - 1:
        return _solved(scores, True, interrupt)
    return _in_two_steps(scores, first, interrupt)


def bytes_needed(n: int) -> int:
    return 8 * 5 * (n + 1) ** 2


# --- which words lead where ---------------------------------------------------------------------------------


def _sources(scores: EdgeArray) -> npt.NDArray[np.intp]:
    """Return the words that lead to all words; one of them is under the root."""
    allowed = scores > -np.inf
    allowed[0] = False
    seen = np.zeros(len(scores), np.bool_)
    seen[0] = True
    last = 1
    while not seen.all():
        last = int(np.argmin(seen))
        seen |= _reached(allowed, last)
    among = _reached(allowed.T, last) & _leads_to_all(allowed, last)
    if not (scores[0, among] > -np.inf).any():
        raise InputError("no tree with one word under the root is left by the edges that may be: allow more")
    return np.flatnonzero(among)


def _leads_to_all(allowed: npt.NDArray[np.bool_], word: int) -> bool:
    return bool(_reached(allowed, word)[1:].all())


def _reached(allowed: npt.NDArray[np.bool_], start: int) -> npt.NDArray[np.bool_]:
    """Return the nodes that a node leads to, including the node itself."""
    reached = np.zeros(len(allowed), np.bool_)
    new = reached.copy()
    new[start] = True
    while new.any():
        reached |= new
        new = allowed[new].any(axis=0) & ~reached
    return reached


def _check_reached(scores: EdgeArray, reached: npt.NDArray[np.bool_]) -> None:
    if not reached.all():
        raise InputError(
            f"no edges that may be lead from the root to word {int(np.argmin(reached))}: allow more of them"
        )


# --- sums over trees ----------------------------------------------------------------------------------------


def _in_two_steps(scores: EdgeArray, first: npt.NDArray[np.intp], interrupt: Interrupt) -> Marginals | None:
    """Return the marginals if only words of `first` can be under the root; the others hang on these."""
    others = np.setdiff1d(np.arange(1, len(scores)), first)
    upper, lower = np.r_[0, first], np.r_[0, others]
    joined = scores[np.ix_(lower, lower)]
    onto = scores[np.ix_(first, others)]
    joined[0, 1:] = np.logaddexp.reduce(onto)
    above = _solved(scores[np.ix_(upper, upper)], True, interrupt)
    below = _solved(joined, False, interrupt)
    if above is None or below is None:
        return None
    found = np.zeros(scores.shape)
    found[np.ix_(upper, upper)] = above
    found[np.ix_(lower, lower)] += below
    with np.errstate(invalid="ignore"):  # a first word may not head what joined's root may not
        shares = np.where(joined[0, 1:] > -np.inf, np.exp(onto - joined[0, 1:]), 0)
    found[np.ix_(first, others)] = shares * below[0, 1:]
    found[0, others] = 0
    return found


def _solved(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> Marginals | None:
    """Return the marginals of a problem whose words can all be reached, for one root from each other, too."""
    logs = _scaled(scores, single_root)
    found = None
    if logs[logs > -np.inf].min() > SMALLEST_LOG:
        found = _by_escapes(np.exp(logs), single_root, None, interrupt)
    if found is None:
        found = _by_escapes(logs, single_root, True, interrupt)
    return found


def _scaled(scores: EdgeArray, single_root: bool) -> Any:
    """Return the log weights [word, head], 0 at each row's maximum; with one root column 0 is apart."""
    logs = scores[:, 1:].T.copy()
    if not single_root:
        return logs - logs.max(axis=1, keepdims=True)
    if len(logs) > 1:
        logs -= logs[:, 1:].max(axis=1, keepdims=True)
    logs[:, 0] -= logs[:, 0].max()
    return logs


def _by_escapes(weight: Any, single_root: bool, log: bool | None, interrupt: Interrupt) -> Marginals | None:
    """Return the marginals for weights or log weights; None if interrupted, or if weights underflow."""
    n = len(weight)
    escape = np.empty((n, n))
    if not fill_escapes(weight, single_root, log, interrupt.flag, escape):
        return None
    share = weight.copy()
    if log:
        share[:, 1:] += escape.T
        share = np.exp(share - share.max(axis=1, keepdims=True))
    else:
        share[:, 1:] *= escape.T
    found = np.zeros((n + 1, n + 1))
    found[:, 1:] = (share / share.sum(axis=1, keepdims=True)).T
    return found


def pruned(
    scores: Scores,
    most: int = 10,
    least: float = 0.001,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> EdgeArray:
    """Return the scores with -inf for all but each word's likely heads: `most` heads of at least `least`.

    The likeliest head of each word stays in any case, and so does a whole tree (see above): so a word may
    have one head more. The other arguments are those of `edge_marginals`.
    """
    if most < 1 or not 0 <= least <= 1:
        raise InputError(
            f"at most {most} heads a word, each with a chance of {least} or more, cannot be kept: "
            "give a number from 1, and a chance between 0 and 1"
        )
    found = pruned_edges(edge_array(scores, forced, barred), most, least, single_root, Interrupt())
    assert found is not None  # an Interrupt that is never set
    return found


def pruned_edges(
    scores: EdgeArray, most: int, least: float, single_root: bool, interrupt: Interrupt
) -> EdgeArray | None:
    """Return the pruned scores by scores that were checked, or None if interrupted."""
    chances = marginals_of_edges(scores, single_root, interrupt)
    heads = None if chances is None else _heads_of_best(scores, single_root, interrupt)
    if chances is None or heads is None:
        return None
    kept = _likely(chances, most, least)
    kept[heads, np.arange(1, len(scores))] = True
    return np.where(kept, scores, -np.inf)


def _likely(chances: Marginals, most: int, least: float) -> npt.NDArray[np.bool_]:
    order = np.argsort(-chances, axis=0, kind="stable")[:most]
    kept = np.zeros(chances.shape, np.bool_)
    np.put_along_axis(kept, order, True, axis=0)
    kept &= chances >= least
    np.put_along_axis(kept, order[:1], True, axis=0)
    return kept


def _heads_of_best(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> list[int] | None:
    try:
        found = decode_edges(scores, "projective", single_root, interrupt)
    except InputError:
        found = decode_edges(scores, "any", single_root, interrupt)
    return found.heads if found else None
