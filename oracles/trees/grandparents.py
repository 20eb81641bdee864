"""Best gap-minding tree by scores of edges and of grandparents, from scratch or after words were added.

`treewhile.oracles.trees.gap_minding_charts` has the recurrence (Claim 3), the tie rule and the chart. A state
is an allowed edge, or the root. O(k^2 n^4) for k heads a word; memory O(k n^3).

Only allowed edges have scores of grandparents: grandparents[word, i, j] counts if the head of the word is the
i-th of its possible heads, and the head of that head the j-th of its own, in the order of `possible_heads`.
Words under the root have no grandparent; the root is the grandparent of their children.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import LARGEST_SCORE, Scores
from treewhile.oracles.trees import gap_minding_charts, gap_minding_decoding
from treewhile.oracles.trees.best_trees import (
    BestTree,
    Edge,
    EdgeArray,
    HeadArray,
    check_size,
    complaint,
    edge_array,
)
from treewhile.oracles.trees.gap_minding_charts import GapMindingChart
from treewhile.oracles.trees.kernels.gap_minding import States

GrandparentArray = npt.NDArray[np.float64]  # [word, index of its head, index of the head's head]


def best_tree_with_grandparents(
    scores: Scores,
    grandparents: npt.NDArray[Any],
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> BestTree:
    """Return the best gap-minding tree by scores[head, dependent] plus grandparents[word, i, j].

    -inf forbids. Indices of heads are those of `possible_heads(scores)`, independent of `forced` and
    `barred`. With `single_root` exactly one word is under the root.
    """
    allowed, edges = edge_array(scores), edge_array(scores, forced, barred)
    _check_size(edges)
    given = _checked(grandparents, allowed)
    if len(edges) == 1:
        return BestTree([], 0.0)
    kept = _at_fewer_heads(given, allowed, edges)
    heads = GrandparentDecoder(single_root).decode(edges, kept, Interrupt())
    assert heads is not None  # an Interrupt that is never set
    if heads[1:].min() < 0:
        raise InputError(complaint(edges, "gap-minding"))
    return BestTree(heads[1:].tolist(), score_with_grandparents(heads, edges, kept))


def possible_heads(scores: EdgeArray) -> npt.NDArray[np.int32]:
    """Return the possible heads of each word, in order, by [word, index]; -1 if there are no more."""
    may_be = np.asarray(scores) > -np.inf
    may_be[:, 0] = may_be.ravel()[:: len(may_be) + 1] = False
    found = np.full((len(may_be), max(1, int(may_be.sum(axis=0).max()))), -1, np.int32)
    words, heads = np.nonzero(may_be.T)
    found[words, _places(may_be)[heads, words]] = heads
    return found


def at_possible_heads(dense: npt.NDArray[Any], heads: npt.NDArray[np.int32]) -> GrandparentArray:
    """Return scores by [grandparent, head, dependent] at the indices of possible heads; 0 for no head."""
    found = np.zeros((*heads.shape, heads.shape[1]))
    words, i, j, first, second = _grandparents(heads)
    found[words, i, j] = np.asarray(dense)[second, first, words]
    return found


def score_with_grandparents(heads: HeadArray, scores: EdgeArray, grandparents: GrandparentArray) -> float:
    words = np.arange(1, len(heads))
    total = float(scores[heads[1:], words].sum())
    words = words[heads[1:] > 0]
    first = heads[words]
    places = _places(scores > -np.inf)
    return total + float(grandparents[words, places[first, words], places[heads[first], first]].sum())


class GrandparentDecoder:
    """Decoder of a growing sentence, which keeps the chart of its first words while their scores stand."""

    def __init__(self, single_root: bool) -> None:
        self._chart = GapMindingChart(single_root)
        self._scores: EdgeArray = np.full((1, 1), -np.inf)
        self._grandparents: GrandparentArray = np.zeros((1, 0, 0))

    @property
    def kept(self) -> int:
        """Number of words whose columns were still valid at the last call."""
        return self._chart.kept

    def decode(
        self, scores: EdgeArray, grandparents: GrandparentArray, interrupt: Interrupt
    ) -> HeadArray | None:
        """Return the heads of the best tree, or None if interrupted; -1 for all words, if there is none."""
        _check_size(scores)
        unchanged = min(
            gap_minding_decoding.unchanged_words(self._scores, scores),
            _unchanged_words(self._grandparents, grandparents, possible_heads(scores)),
        )
        self._scores, self._grandparents = scores.copy(), grandparents.copy()
        return self._chart.decode(states_of(scores, grandparents), unchanged, interrupt)


def states_of(scores: EdgeArray, grandparents: GrandparentArray) -> States:
    """Return states for the root and each edge, in the order of their last words, with their links."""
    may_be = scores > -np.inf
    heads, words = np.nonzero(may_be)
    order = np.lexsort((words, heads, np.maximum(heads, words)))
    above, head = np.append(0, heads[order]), np.append(0, words[order])
    state_of = np.zeros(scores.shape, np.int32)
    state_of[above, head] = np.arange(head.size)
    lower, children = _links(head, above, heads, words, len(scores))
    upper = np.repeat(np.arange(head.size), lower)
    return States(
        head=head.astype(np.int32),
        above=above.astype(np.int32),
        since=np.searchsorted(np.maximum(above, head), np.arange(len(scores) + 1)),
        links=np.append(0, np.cumsum(lower)),
        child=state_of[head[upper], children],
        word=children.astype(np.int32),
        weight=_weights(scores, grandparents, above[upper], head[upper], children),
    )


def _links(
    head: npt.NDArray[Any],
    above: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    words: npt.NDArray[Any],
    size: int,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the number of links of each state, and their words: all possible children but the head above."""
    begins = np.searchsorted(heads, np.arange(size + 1))
    counts = np.diff(begins)[head]
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    children = words[np.repeat(begins[head], counts) + places]
    states = np.repeat(np.arange(head.size), counts)
    is_below = children != above[states]
    return np.bincount(states[is_below], minlength=head.size), children[is_below]


def _weights(
    scores: EdgeArray,
    grandparents: GrandparentArray,
    above: npt.NDArray[Any],
    head: npt.NDArray[Any],
    child: npt.NDArray[Any],
) -> npt.NDArray[np.float64]:
    places = _places(scores > -np.inf)
    weights: npt.NDArray[np.float64] = scores[head, child]
    is_word = head > 0
    above, head, child = above[is_word], head[is_word], child[is_word]
    weights[is_word] += grandparents[child, places[head, child], places[above, head]]
    return weights


def _places(may_be: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return by [head, word] the number of possible heads of the word before this one."""
    before: npt.NDArray[Any] = np.cumsum(may_be, axis=0) - may_be
    return before


def _check_size(scores: EdgeArray) -> None:
    may_be, n = scores > -np.inf, len(scores) - 1
    links = int(may_be.sum(axis=0) @ may_be.sum(axis=1)) + int(may_be[0].sum())
    check_size("gap-minding", n, gap_minding_charts.bytes_needed(int(may_be.sum()) + 1, links, n))


def _unchanged_words(before: GrandparentArray, after: GrandparentArray, heads: npt.NDArray[np.int32]) -> int:
    """Return the number of leading words of two sentences whose mutual grandparent scores are the same."""
    size, places = min(len(before), len(after)), min(before.shape[1], after.shape[1])
    given = np.array(_grandparents(heads))
    words, i, j, first, second = given[:, (given[0] < size) & (given[1:3].max(axis=0) < places)]
    last_word = np.maximum(words, np.maximum(first, second))
    is_changed = before[words, i, j] != after[words, i, j]
    return gap_minding_charts.unchanged_words(last_word, is_changed, size - 1)


def _at_fewer_heads(given: GrandparentArray, before: EdgeArray, after: EdgeArray) -> GrandparentArray:
    """Return the scores of grandparents at the new indices after some edges were forbidden."""
    if np.array_equal(before, after):
        return given
    heads, places, found = possible_heads(after), _places(before > -np.inf), np.zeros_like(given)
    words, i, j, first, second = _grandparents(heads)
    found[words, i, j] = given[words, places[first, words], places[second, first]]
    return found


def _grandparents(heads: npt.NDArray[np.int32]) -> tuple[npt.NDArray[Any], ...]:
    """Return all words with indices of a head and a head's head, and both of these nodes."""
    words, i, j = np.nonzero((heads[:, :, None] > 0) & (heads[heads] >= 0))
    return words, i, j, heads[words, i], heads[heads[words, i], j]


def _checked(grandparents: npt.NDArray[Any], scores: EdgeArray) -> GrandparentArray:
    size, places = len(scores), possible_heads(scores).shape[1]
    array = np.asarray(grandparents)
    wanted = (size, places, places)
    if array.ndim != 3 or array.dtype.kind not in "biuf" or any(map(int.__lt__, array.shape, wanted)):
        raise InputError(
            f"the scores of grandparents have shape {array.shape} and type {array.dtype}: give numbers by "
            f"word, place of its head and place of the head's head, at least {wanted} of them"
        )
    array = array[:size, :places, :places].astype(np.float64)
    is_right = (np.abs(array) <= LARGEST_SCORE) | (array == -np.inf)
    if not is_right.all():
        word, first, second = np.argwhere(~is_right)[0]
        raise InputError(
            f"the score of word {word} with head {first} and grandparent {second}, by their places, is "
            f"{array[word, first, second]}: give a number up to {LARGEST_SCORE:.0e}, or -inf for what may "
            "not be"
        )
    return array
