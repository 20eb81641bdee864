"""References as callers write them, heads or scores of edges, checked and turned into arrays; their weights.

Outside, `heads[i]` is the head of word i + 1; 0 is the root; None is unknown. Inside, words are indices.
`scores[head, dependent]` is the score of each edge; index 0 is the root there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.heads import (
    NON_PROJECTIVE,
    OUT_OF_RANGE,
    OWN_HEAD,
    PROJECTIVE,
    examine_heads,
    gold_weights,
)
from treewhile.oracles.kernels.values import NEVER, UNKNOWN, Ints, Longs
from treewhile.oracles.kernels.values import Scores as Values
from treewhile.oracles.tabular_parsing import check_length
from treewhile.oracles.transitions import Configuration


class Reference(NamedTuple):
    """Checked tree or forest; it is accepted wherever heads are, and is not checked again."""

    heads: Ints  # [word], size n + 1; UNKNOWN if the head is not known, and for node 0
    is_projective: bool
    roots: int  # number of words under 0
    unknown: int  # number of words whose head is not known

    @property
    def n(self) -> int:
        return self.heads.size - 1


class EdgeScores(NamedTuple):
    """Checked scores of edges; they are accepted wherever scores are, and are not checked again."""

    scores: npt.NDArray[np.float64]  # [head, dependent]; -inf for forbidden edges and for pairs that are none

    @property
    def n(self) -> int:
        return len(self.scores) - 1


Numbers = Sequence[int | None] | npt.NDArray[np.integer]
Heads = Numbers | Reference
Scores = Sequence[Sequence[float]] | npt.NDArray[Any] | EdgeScores

# Largest absolute score; sums of such scores do not overflow.
LARGEST_SCORE = 1e300


def as_heads_or_scores(given: Heads | Scores) -> Reference | EdgeScores:
    """Return the checked reference: heads if there is one axis, scores if there are two."""
    if isinstance(given, Reference | EdgeScores):
        return given
    if _has_rows(given):
        return as_edge_scores(given)  # type: ignore[arg-type]
    return as_reference(given)  # type: ignore[arg-type]


def _has_rows(given: object) -> bool:
    if isinstance(given, np.ndarray):
        return given.ndim > 1
    first = given[0] if isinstance(given, Sequence) and given else None
    return isinstance(first, Sequence | np.ndarray) and not isinstance(first, str)


def as_edge_scores(given: Scores) -> EdgeScores:
    """Return the checked scores of edges; an InputError names the row and column of a wrong one."""
    if isinstance(given, EdgeScores):
        return given
    try:
        array = np.asarray(given)
    except ValueError:  # rows of several lengths
        array = np.empty(0)
    is_square = array.ndim == 2 and array.shape[0] == array.shape[1] > 0
    if not is_square or array.dtype.kind not in "biuf":
        raise InputError(
            f"the scores have shape {array.shape} and type {array.dtype}: give numbers, a row for the "
            "root and each word as head, and as many columns"
        )
    scores = array.astype(np.float64)
    scores[:, 0] = scores.ravel()[:: len(scores) + 1] = -np.inf
    is_right = (np.abs(scores) <= LARGEST_SCORE) | (scores == -np.inf)
    if not is_right.all():
        head, dependent = np.argwhere(~is_right)[0]
        raise InputError(
            f"the score in row {head}, column {dependent} is {scores[head, dependent]}: "
            f"give a number up to {LARGEST_SCORE:.0e}, or -inf for an edge that may not be"
        )
    return EdgeScores(scores)


def as_reference(heads: Heads) -> Reference:
    """Return the checked heads; an InputError names the word whose head is wrong."""
    if isinstance(heads, Reference):
        return heads
    given, may_be_unknown = _as_numbers(heads.tolist() if isinstance(heads, np.ma.MaskedArray) else heads)
    array = np.empty(given.size + 1, dtype=np.int32)
    verdict, word, roots, unknown = examine_heads(given, may_be_unknown, array)
    if verdict > NON_PROJECTIVE:
        raise InputError(_complaint(array, int(given[word - 1]), verdict, word))
    return Reference(array, verdict == PROJECTIVE, roots, unknown)


def as_heads(array: Ints) -> list[int | None]:
    """Return heads as callers write them."""
    return [None if head == UNKNOWN else head for head in array[1:].tolist()]


def _as_numbers(heads: Numbers) -> tuple[Longs, bool]:
    """Return the heads as integers, and whether UNKNOWN among them stands for None."""
    try:
        given = np.asarray(heads)
    except ValueError:  # sequences of several lengths where numbers belong
        given = np.empty(0)
    if given.dtype == np.int64 and given.ndim == 1:
        return given, False
    return np.array([_as_number(word, head) for word, head in enumerate(heads, 1)], dtype=np.int64), True


def _as_number(word: int, head: object) -> int:
    if head is None:
        return UNKNOWN
    if isinstance(head, bool) or not isinstance(head, int | np.integer):
        raise InputError(
            f"the head of word {word} is {head!r:.40}: give a whole number, or None where it is unknown"
        )
    if not 0 <= head < 2**31:
        raise InputError(f"the head of word {word} is {head}: heads run from 0 (the root) to the last word")
    return int(head)


def _complaint(heads: Ints, head: int, verdict: int, word: int) -> str:
    n = heads.size - 1
    if verdict == OUT_OF_RANGE:
        return f"the head of word {word} is {head}, but heads run from 0 (the root) to {n}, the last word"
    if verdict == OWN_HEAD:
        return f"word {word} is its own head: give another one, or None where it is unknown"
    return (
        f"the heads go round in a circle: {_circle(heads, word)}; "
        "every word has to lead up to 0, or to a word whose head is unknown"
    )


def _circle(heads: Ints, word: int) -> str:
    around = [word]
    while len(around) < 2 or around[-1] != word:
        around.append(int(heads[around[-1]]))
    if len(around) > 12:
        around[6:-6] = [-1]
    return " <- ".join("..." if node < 0 else str(node) for node in around)


def worth(reference: Reference | EdgeScores, edge: tuple[int, int] | None) -> float:
    """Return the score that an edge (head, dependent) adds; 0 if there is no edge."""
    if edge is None:
        return 0
    head, dependent = edge
    if isinstance(reference, EdgeScores):
        return float(reference.scores[head, dependent])
    return int(reference.heads[dependent] == head)


def never_by(reference: Reference | EdgeScores) -> float:
    """Return minus infinity as the weights of this reference express it."""
    return -np.inf if isinstance(reference, EdgeScores) else NEVER


def weights_among_waiting(configuration: Configuration, reference: Reference | EdgeScores) -> Values:
    """Return weight[head, dependent] over the stack and the remaining input, in a new array."""
    nodes = np.array([*configuration.stack, *range(configuration.front, configuration.n + 1)])
    check_length(len(nodes) - 1)
    if isinstance(reference, EdgeScores):
        weight: Values = reference.scores[nodes[:, None], nodes]
    else:
        weight = gold_weights(reference.heads, nodes)
    return weight
