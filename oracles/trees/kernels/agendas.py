"""Agenda of a traceback: rows of up to five numbers; their count is in todo[0, 0]."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel


@kernel
def empty_agenda(most):
    """Return an agenda with room for so many rows."""
    return np.zeros((most + 1, 5), np.int64)


@kernel
def add(todo, a, b, c, d=0, e=0):
    todo[0, 0] += 1
    at = todo[0, 0]
    todo[at, 0], todo[at, 1], todo[at, 2], todo[at, 3], todo[at, 4] = a, b, c, d, e


@kernel
def take(todo):
    """Remove and return the row that was added last."""
    at = todo[0, 0]
    todo[0, 0] -= 1
    return todo[at, 0], todo[at, 1], todo[at, 2], todo[at, 3], todo[at, 4]
