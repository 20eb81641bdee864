"""Small random grammars of phrases, scores of words for them, and openings."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.openings import Openings

PHRASES, TAGS, INCOMPLETE = 3, 2, 2
SYMBOLS = PHRASES + TAGS + INCOMPLETE


def random_grammar(
    rng: np.random.Generator, side: Literal["left", "right"], rules: int = 10, circles: bool = False
) -> Grammar:
    """Rules with small integers as their logarithms; symbols of all kinds stand among each other."""
    kind = rng.permutation([0] * PHRASES + [1] * TAGS + [2] * INCOMPLETE)
    parents, complete = np.flatnonzero(kind != 1), np.flatnonzero(kind != 2)
    phrases = np.flatnonzero(kind == 0)
    binary = set()
    for parent in [*phrases, *rng.choice(parents, rules)]:
        spine, sibling = rng.choice(SYMBOLS), rng.choice(complete)
        binary.add((parent, spine, sibling) if side == "left" else (parent, sibling, spine))
    tops = rng.choice(phrases, 3)
    unary = {
        (top, below)
        for top, below in zip(tops, rng.choice(complete, 3), strict=True)
        if circles or top < below
    }
    return Grammar(
        tuple(f"{'XT@'[kind[symbol]]}{symbol}" for symbol in range(SYMBOLS)),
        int(phrases[0]),
        kind == 2,
        np.array(sorted(binary), np.int32),
        -rng.integers(0, 4, len(binary)).astype(np.float64),
        np.array(sorted(unary), np.int32).reshape(-1, 2),
        -rng.integers(3 if circles else 0, 5, len(unary)).astype(np.float64),
        side,
    )


def random_lexical(rng: np.random.Generator, grammar: Grammar, words: int) -> npt.NDArray[np.float64]:
    """Integers, or -inf, for any symbols."""
    scores = -rng.integers(0, 4, (words, len(grammar.symbols))).astype(np.float64)
    scores[rng.random(scores.shape) < 0.3] = -np.inf
    return scores


def random_openings(rng: np.random.Generator, words: int, share: float = 0.6) -> Openings:
    return Openings(*(rng.random(words) < share for _ in range(3)))
