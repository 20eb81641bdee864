"""What others do, or what anyone would write first, to measure beside ours.

spaCy stands for public tools; it comes with the extra `bench`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from computations import compiled
from measuring import Work

from treewhile.oracles.kernels.values import NEVER

Longs = npt.NDArray[np.int64]


# --- spaCy --------------------------------------------------------------------------------------------------


def spacy_heads(heads: list[int]) -> list[int]:
    """The heads as spaCy writes them: words count from 0, and a root is its own head."""
    return [head - 1 if head else word for word, head in enumerate(heads)]


def _spacy(module: str) -> Any:
    """A module of spaCy; None where it is not installed."""
    try:
        return import_module(f"spacy.{module}")
    except ImportError:
        return None


def spacy_lift() -> Callable[[list[int], list[str]], object] | None:
    """Lifting (Nivre & Nilsson 2005) of heads as spaCy writes them, and labels; None without spaCy."""
    return getattr(_spacy("pipeline._parser_internals.nonproj"), "projectivize", None)


def spacy_arc_eager(trees: list[list[int]]) -> Work | None:
    """The steps of gold computations by the arc-eager dynamic oracle, one loop in Cython a tree; or None."""
    arc_eager = _spacy("pipeline._parser_internals.arc_eager")
    if arc_eager is None:
        return None
    vocab = _spacy("vocab").Vocab()
    examples = [_example(vocab, heads) for heads in trees]
    system = arc_eager.ArcEager(vocab.strings, arc_eager.ArcEager.get_actions(examples=examples))

    def run(states_and_golds: Any) -> int:
        return sum(len(system.get_oracle_sequence_from_state(*pair)) for pair in states_and_golds)

    def prepare() -> Any:
        states, golds, _ = system.init_gold_batch(examples)
        return list(zip(states, golds, strict=True))

    return Work(run, prepare)


def _example(vocab: Any, heads: list[int]) -> Any:
    absolute = spacy_heads(heads)
    labels = ["ROOT" if head == word else "dep" for word, head in enumerate(absolute)]
    words, make_doc = ["word"] * len(heads), _spacy("tokens").Doc
    gold = make_doc(vocab, words=words, heads=absolute, deps=labels)
    return _spacy("training").Example(make_doc(vocab, words=words), gold)


# --- Eisner's algorithm as anyone would write it ------------------------------------------------------------


@compiled
def plain_eisner(weight: Longs) -> int:
    """The value of the best projective tree for weight[head, child], in plain loops (Eisner 1996)."""
    n = weight.shape[0]
    left, right = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    left_open, right_open = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    for size in range(1, n):
        for i in range(n - size):
            j = i + size
            best = NEVER
            for k in range(i, j):
                best = max(best, right[i, k] + left[k + 1, j])
            left_open[i, j], right_open[i, j] = best + weight[j, i], best + weight[i, j]
            best = NEVER
            for k in range(i, j):
                best = max(best, left[i, k] + left_open[k, j])
            left[i, j] = best
            best = NEVER
            for k in range(i + 1, j + 1):
                best = max(best, right_open[i, k] + right[k, j])
            right[i, j] = best
    return int(right[0, n - 1])


def numpy_eisner(weight: Longs) -> list[int]:
    """The heads of a best projective tree: all spans of one length at once, by sums and argmax over splits.

    Items are [end, length]: in `left` and `right` the end is that of the head, in those with `_at` the other.
    """
    n = len(weight)
    left, right, left_at, right_at, left_open, right_open = np.zeros((6, n, n), dtype=np.int64)
    split = np.zeros((3, n, n), dtype=np.int64)  # [open, left or right; left end, length]: a length
    for size in range(1, n):
        i, j = np.arange(n - size), np.arange(size, n)
        joined = right[i, :size] + left[j, size - 1 :: -1]
        split[0, i, size], best = _best(joined)
        left_open[j, size], right_open[i, size] = best + weight[j, i], best + weight[i, j]
        to_left = left_at[i, size - 1 :: -1] + left_open[j, 1 : size + 1]
        split[1, i, size], left[j, size] = _best(to_left)
        to_right = right_open[i, 1 : size + 1] + right_at[j, size - 1 :: -1]
        split[2, i, size], right[i, size] = _best(to_right)
        left_at[i, size], right_at[j, size] = left[j, size], right[i, size]
    return _heads_along(split.tolist(), n)


def _best(sums: Longs) -> tuple[Longs, Longs]:
    places = sums.argmax(axis=1)
    return places, sums[np.arange(len(sums)), places]


def _heads_along(split: Any, n: int) -> list[int]:
    heads, spans = [0] * n, [(0, n - 1, "right")]
    while spans:
        i, j, kind = spans.pop()
        if i == j:
            continue
        if kind == "left":
            k = j - 1 - split[1][i][j - i]
            spans += [(i, k, "left"), (k, j, "left open")]
        elif kind == "right":
            k = i + 1 + split[2][i][j - i]
            spans += [(i, k, "right open"), (k, j, "right")]
        else:
            head, child = (j, i) if kind == "left open" else (i, j)
            heads[child] = head
            k = i + split[0][i][j - i]
            spans += [(i, k, "right"), (k + 1, j, "left")]
    return heads[1:]
