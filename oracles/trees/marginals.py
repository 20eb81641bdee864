"""How likely each edge is, where a tree is as likely as exp of the sum of its scores; O(n^3).

The matrix-tree theorem makes the sum over all trees a determinant, and marginals of its inverse (Tutte 1984;
Koo, Globerson, Carreras & Collins 2007, also with one root). But inverses subtract, and where words are
nearly sure to head each other there is nothing left to subtract from. So here all sums have positive terms
(as in Grassmann, Taksar & Heyman 1985), and each marginal comes out right to all digits but a few, however
small it is.

Let each word choose a head, with chances as the exponentials w(h, m) of its scores, and follow the heads up.
With e(h, m) the chance of a way from h to reach the root before it meets m, or 1 where h is the root:

    marginal(h, m) = w(h, m) e(h, m) / sum over h' of w(h', m) e(h', m)

For e a word p is eliminated: w(h, m) grows by w(p, m) w(h, p) / sum over h' of w(h', p), as ways through p go
on. When all words but m are gone, e(p, m) follows in reverse order: it is the sum over the heads h that p had
of their chance times e(h, m), where e(m, m) = 0. To leave out each m in turn, one half of the words is
eliminated, the other half solved in the same way, and then the other way round: 2 (1/2)^3 + 4 (1/4)^3 + … add
up to a third.

One root. Of all trees those with one root are left when edges from the root become infinitely unlikely. So
they do not count in the sums by which is divided, and e is told in multiples of their unit, which cancels
out. This needs words that all lead to each other. The words that lead to all words (the only ones that can be
under the root) do among themselves; what hangs on those is a problem of its own, with any number of words on
them.

Weights are exponentials of scores, divided by the greatest of their word. Where one is less than 1e-145, or
becomes so in between, logarithms are taken for all, so that none vanishes: that takes far longer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores
from treewhile.oracles.trees.best_trees import Edge, EdgeArray, check_size, edge_array
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
    """How likely each edge is, [head, dependent], where a tree's chance is as exp of the sum of its scores.

    The arguments are those of `best_tree`; all trees count, whatever edges cross. Column 0 is 0.
    """
    found = marginals_of_edges(edge_array(scores, forced, barred), single_root, Interrupt())
    assert found is not None  # nobody interrupts
    return found


def marginals_of_edges(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> Marginals | None:
    """The marginals by scores that were checked, or None if interrupted."""
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
    """The words that lead to all words; one of them is under the root."""
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
    """The nodes that a node leads to, itself among them."""
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
    """The marginals where other words than `first` cannot be under the root: these take it for the root."""
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
    with np.errstate(invalid="ignore"):  # none of the first words may head what the root of `joined` may not
        shares = np.where(joined[0, 1:] > -np.inf, np.exp(onto - joined[0, 1:]), 0)
    found[np.ix_(first, others)] = shares * below[0, 1:]
    found[0, others] = 0
    return found


def _solved(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> Marginals | None:
    """The marginals of a problem in which each word can be reached, with one root each from all others."""
    logs = _scaled(scores, single_root)
    found = None
    if logs[logs > -np.inf].min() > SMALLEST_LOG:
        found = _by_escapes(np.exp(logs), single_root, None, interrupt)
    if found is None:
        found = _by_escapes(logs, single_root, True, interrupt)
    return found


def _scaled(scores: EdgeArray, single_root: bool) -> Any:
    """The logarithms of weights [word, head]: each row's highest is 0; with one root column 0 goes apart."""
    logs = scores[:, 1:].T.copy()
    if not single_root:
        return logs - logs.max(axis=1, keepdims=True)
    if len(logs) > 1:
        logs -= logs[:, 1:].max(axis=1, keepdims=True)
    logs[:, 0] -= logs[:, 0].max()
    return logs


def _by_escapes(weight: Any, single_root: bool, log: bool | None, interrupt: Interrupt) -> Marginals | None:
    """The marginals for weights or their logarithms, or None: interrupted, or too small for weights."""
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
