"""Arc probabilities, *pooled* over heads to come, which are almost equivalent for a word.

Only later words show which of these heads is right. So they share the sum of their probabilities, up to a
small power of their own, and their label probabilities.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine.costs import WEAKEST
from treewhile.incremental.constraints.machine.kernels import pooling
from treewhile.incremental.parsers.rescoring import Rescored

Floats = npt.NDArray[np.float32]

OWN_WEIGHT: Final = np.float32(0.05)  # exponent of its own probability for a head to come
POOL_WEIGHT: Final = np.float32(0.95)
UNLIKELY: Final = np.float32(np.log(1e-4))  # labels of arcs below this are not computed, but uniform
LEAST: Final = np.float32(np.log(WEAKEST))


def pooled_logs(rescored: Rescored) -> tuple[Floats, Floats]:
    """Return head_log[head, child] and label_log[child, head, label] for `Situation`."""
    logs = rescored.arc_logs
    children = logs.shape[1]
    rows = children + 2  # a whole sentence has no virtual nodes, and no rows LATER and UNUSED
    head_log = np.empty((rows, children), np.float32)
    head_log[: len(logs)], head_log[len(logs) :] = logs, -np.inf
    label_log = _label_logs(rescored, head_log)
    if len(logs) == rows:
        _pool(head_log, label_log, len(rescored.analysis.words))
    return head_log, label_log


def _label_logs(rescored: Rescored, head_log: Floats) -> Floats:
    """Return [child, head, label]; uniform over labels for unlikely arcs."""
    (rows, children), labels = head_log.shape, len(rescored.arcs.label_numbers)
    arcs = np.empty((2, head_log.size), np.intp)
    count = pooling.find_arcs(head_log, UNLIKELY, *arcs)
    heads, dependents = arcs[:, :count]
    label_log = np.empty((children, rows, labels), np.float32)
    alike = np.float32(-np.log(labels))
    pooling.write_labels(label_log, heads, dependents, rescored.label_logs(heads, dependents), LEAST, alike)
    return label_log


def _pool(head_log: Floats, label_log: Floats, words: int) -> None:
    """Pool the rows of heads to come, by log-sum-exp."""
    future, places = head_log.shape[1] - words, 1 + label_log.shape[2]
    shares = np.empty((words, future, places), np.float32)
    greatest, sums = np.empty((2, words, places), np.float32)
    pooling.write_shares(head_log, label_log, shares, greatest)
    np.exp(shares, out=shares)
    pooling.add_shares(shares, sums)
    np.log(sums, out=sums)
    pooling.write_pooled(head_log, label_log, sums, greatest, POOL_WEIGHT, OWN_WEIGHT)
