"""Sentences that grow, shrink and change: what is decoded is what starting afresh gives."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random
from typing import Protocol

import numpy as np
from judges import random_scores
from tree_decoders import finished

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray, edge_array


class Growing(Protocol):
    """A decoder that keeps what stands."""

    @property
    def kept(self) -> int: ...

    def decode(self, scores: EdgeArray, interrupt: Interrupt) -> HeadArray | None: ...


def check_all_words_are_kept(make: Callable[[], Growing], scores: EdgeArray) -> None:
    """While one word is added after the other."""
    decoder = make()
    for size in range(1, len(scores)):
        check_as_afresh(decoder, make, scores[: size + 1, : size + 1])
        assert decoder.kept == size - 1


def check_changes(make: Callable[[], Growing], rng: Random, n: int) -> int:
    """How many words were kept in all while words came and went and scores changed."""
    whole, decoder, size, kept = edge_array(random_scores(rng, n)), make(), n, 0
    for _ in range(12):
        size = max(1, min(n, size + rng.randrange(-2, 3)))
        head, word = rng.randrange(n + 1), rng.randrange(1, n + 1)
        if rng.random() < 0.5 and head != word:
            whole[head, word] = rng.choice([-inf, 0, 1, 2])
        check_as_afresh(decoder, make, whole[: size + 1, : size + 1])
        kept += decoder.kept
    return kept


def check_all_words_may_go(make: Callable[[], Growing]) -> None:
    decoder = make()
    for size in (4, 1, 3):
        check_as_afresh(decoder, make, edge_array(np.zeros((size, size))))


def check_as_afresh(decoder: Growing, make: Callable[[], Growing], scores: EdgeArray) -> None:
    afresh = finished(make().decode(scores, Interrupt()))
    assert finished(decoder.decode(scores, Interrupt())) == afresh
