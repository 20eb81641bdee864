"""Best tree of a class by the scores of its edges: this module checks requests, decoders do the rest.

Each class has a module with `decode` and `bytes_needed`, which do not check their input.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Final, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores, as_edge_scores
from treewhile.oracles.trees.class_names import DECODERS, WITH_OPENINGS

EdgeArray = npt.NDArray[np.float64]  # [head, dependent]; -inf for forbidden edges
HeadArray = npt.NDArray[np.int32]  # [node], size n + 1; not read at node 0
Edge = tuple[int, int]  # (head, dependent)


class BestTree(NamedTuple):
    """Heads of words 1 to n, 0 for the root, and the sum of the scores of their edges."""

    heads: list[int]
    score: float


class Decoder(Protocol):
    """Interface of a decoder, which the module of each class implements."""

    def decode(self, scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""

    def bytes_needed(self, n: int) -> int:
        """Return the approximate memory that the decoder needs for n words."""


class ClosingDecoder(Decoder, Protocol):
    """Interface of a decoder whose charts can have closed cells."""

    def decode(
        self, scores: EdgeArray, single_root: bool, interrupt: Interrupt, openings: Openings | None = None
    ) -> HeadArray | None:
        """Return the heads of the best tree that the openings allow, as `Decoder.decode` does."""


MOST_BYTES: Final = 2 << 30


def best_tree(
    scores: Scores,
    trees: str = "projective",
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
    openings: Openings | None = None,
) -> BestTree:
    """Return the best tree of a class by scores[head, dependent] over 0..n, row 0 being the root.

    -inf forbids an edge. Column 0 and the diagonal are not read. With `single_root` exactly one word is under
    the root. `forced` edges are in the tree, `barred` ones are not. With `openings` the result is the best of
    the projective trees in which no projection of several words begins or ends at a closed word, or of the
    mh4 trees that are built without the closed cells (see `four_heads`).
    """
    edges = edge_array(scores, forced, barred)
    found = decode_edges(edges, trees, single_root, Interrupt(), openings)
    return cast(BestTree, found)


def decode_edges(
    scores: EdgeArray,
    trees: str,
    single_root: bool,
    interrupt: Interrupt,
    openings: Openings | None = None,
) -> BestTree | None:
    """Return the best tree by scores that were checked, or None if interrupted."""
    decoder, n = decoder_of(trees), len(scores) - 1
    check_size(trees, n, decoder.bytes_needed(n))
    if n == 0:
        return BestTree([], 0.0)
    if openings is None:
        heads = decoder.decode(scores, single_root, interrupt)
    else:
        check_openings(openings, trees, n)
        heads = cast(ClosingDecoder, decoder).decode(scores, single_root, interrupt, openings)
    return None if heads is None else _as_tree(scores, heads, trees)


def decoder_of(trees: str) -> Decoder:
    """Return the module that decodes a class."""
    if trees not in DECODERS:
        raise InputError(
            f"there is no class of trees called {trees!r:.40}: choose one of {', '.join(DECODERS)}"
        )
    return cast(Decoder, import_module(f"treewhile.oracles.trees.{DECODERS[trees]}"))


def check_size(trees: str, n: int, bytes_needed: int) -> None:
    """Refuse a sentence whose chart would exhaust the memory."""
    if bytes_needed > MOST_BYTES:
        raise InputError(
            f"{n} words need {bytes_needed / 2**30:,.1f} GiB for {trees} trees, and at most "
            f"{MOST_BYTES / 2**30:.0f} are taken: split them, or choose a class that takes less"
        )


def check_openings(openings: Openings, trees: str, n: int) -> None:
    """Refuse openings for a class without closed cells, or of the wrong length."""
    if trees not in WITH_OPENINGS:
        others = " or ".join(WITH_OPENINGS)
        raise InputError(f"no cells are closed for {trees} trees: leave openings out, or choose {others}")
    flags = [np.asarray(part) for part in openings[:2]]
    if any(part.shape != (n,) or part.dtype != np.bool_ for part in flags):
        raise InputError(f"the openings are not those of {n} words: give a truth value for each in both sets")


def edge_array(scores: Scores, forced: Collection[Edge] = (), barred: Collection[Edge] = ()) -> EdgeArray:
    """Return the checked scores with -inf for all edges that the tree must not have."""
    array = as_edge_scores(scores).scores.copy()
    for edge in forced:
        head, dependent = _checked(edge, array)
        array[np.arange(len(array)) != head, dependent] = -np.inf
    for edge in barred:
        array[_checked(edge, array)] = -np.inf
    return array


def _checked(edge: Edge, array: EdgeArray) -> Edge:
    head, dependent = edge
    if not (0 <= head < len(array) and 0 < dependent < len(array)):
        raise InputError(
            f"the edge {head} -> {dependent} is not in the sentence: heads run from 0 to {len(array) - 1}, "
            "dependents from 1"
        )
    return head, dependent


def _as_tree(scores: EdgeArray, heads: HeadArray, trees: str) -> BestTree:
    words = np.arange(1, len(heads))
    values = scores[heads[1:], words]
    if heads[1:].min() < 0 or values.min() == -np.inf:
        raise InputError(complaint(scores, trees))
    return BestTree(heads[1:].tolist(), float(values.sum()))


def complaint(scores: EdgeArray, trees: str) -> str:
    """Return the error text that says why there is no tree."""
    no_head = np.flatnonzero(scores[:, 1:].max(axis=0) == -np.inf)
    if no_head.size:
        return f"word {no_head[0] + 1} has no edge that may be: give one of its heads a score above -inf"
    return f"no tree of the class {trees} is left by the edges that may be: allow more of them"
