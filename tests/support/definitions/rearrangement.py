"""Rearrangement of a tree by trying every change, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from treewhile.oracles.trees.sibling_decoding import sibling_score


def rearranged_by_definition(
    heads: Sequence[int], scores: npt.NDArray[Any], siblings: npt.NDArray[Any], single_root: bool
) -> list[int]:
    """What becomes of a tree when each change is tried as a whole: the judge of the kernel."""
    heads, now = [*heads], sibling_score(heads, scores, siblings)
    while True:
        changed = [
            [*heads[: word - 1], head, *heads[word:]]
            for word in range(1, len(heads) + 1)
            for head in range(len(heads) + 1)
            if not (single_root and 0 in (head, heads[word - 1])) and not _lies_under(heads, word, head)
        ]
        best = max(changed, key=lambda tree: sibling_score(tree, scores, siblings), default=heads)
        if sibling_score(best, scores, siblings) <= now:
            return heads
        heads, now = best, sibling_score(best, scores, siblings)


def _lies_under(heads: Sequence[int], head: int, word: int) -> bool:
    while word not in (0, head):
        word = heads[word - 1]
    return word == head
