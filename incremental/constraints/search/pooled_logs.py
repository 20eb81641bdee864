"""The arc scorer's probabilities, *pooled*: to a word all heads to come are nearly one.

Which of them is meant shows only later. So they share the probability of all of them, but for a small power
of their own, and the labels of all of them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine.costs import WEAKEST
from treewhile.incremental.parsers.rescoring import Rescored

Floats = npt.NDArray[np.float32]

OWN_WEIGHT: Final = 0.05  # the power of its own probability that a head to come keeps
UNLIKELY: Final = np.float32(np.log(1e-4))  # labels of arcs below this are not computed, but all the same
LEAST: Final = np.float32(np.log(WEAKEST))


def pooled_logs(rescored: Rescored) -> tuple[Floats, Floats]:
    """head_log[head, child] and label_log[child, head, label] as `Situation` takes them."""
    t, logs = len(rescored.analysis.words), rescored.arc_logs
    children, labels = logs.shape[1], len(rescored.arcs.label_numbers)
    rows = children + 2  # a whole sentence has no virtual nodes, and its rows LATER and UNUSED are not there
    is_open = len(logs) == rows
    head_log = np.full((rows, children), -np.inf, np.float32)
    head_log[: len(logs)] = logs
    label_log = np.full((children, rows, labels), -np.log(labels), np.float32)
    heads, dependents = np.nonzero(head_log[:, 1:] > UNLIKELY)
    label_log[dependents + 1, heads] = np.maximum(rescored.label_logs(heads, dependents + 1), LEAST)
    words, future = slice(1, t + 1), slice(t + 1, children + 1)
    if is_open:
        own = head_log[future, words]
        pool = _log_sum(own, axis=0)
        of_labels = label_log[words, future] + own.T[:, :, None]
        pooled = _log_sum(of_labels, axis=1) - pool[:, None]
        label_log[words, future] = np.minimum(pooled, 0)[:, None]
        head_log[future, words] = (1 - OWN_WEIGHT) * pool + OWN_WEIGHT * own
    return head_log, label_log


def _log_sum(logs: Floats, axis: int) -> Floats:
    """The logarithm of a sum of exponentials, of which one at least is more than nothing."""
    greatest = logs.max(axis=axis, keepdims=True)
    total: Floats = np.log(np.exp(logs - greatest).sum(axis=axis)) + greatest.squeeze(axis)
    return total
