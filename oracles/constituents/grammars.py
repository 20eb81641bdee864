"""Binarized probabilistic grammars as arrays.

Rules are A -> B C and A -> B over symbols, with logarithms of their probabilities. Scores of words,
lexical[word, symbol], are given separately for each sentence, so the caller decides about unknown words.
*Incomplete* symbols are those that binarization has made: each is a part of its parent's constituent, on the
`side` of rules (left: A -> @A C, right: A -> B @A).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Grammar of numbered symbols, with binary and unary rules."""

    symbols: tuple[str, ...]
    start: int
    is_incomplete: npt.NDArray[np.bool_]  # by symbol
    binary: npt.NDArray[np.int32]  # [rule, (parent, left, right)]
    binary_logs: npt.NDArray[np.float64]
    unary: npt.NDArray[np.int32]  # [rule, (parent, child)]
    unary_logs: npt.NDArray[np.float64]
    side: Side
