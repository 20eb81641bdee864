"""Binarized probabilistic grammars as arrays.

Rules are A -> B C and A -> B over symbols, with logarithms of their probabilities. How words come to be is
told apart, sentence by sentence, as scores lexical[word, symbol], so that whoever parses decides about
unknown words. *Incomplete* symbols are those that binarization has made: each is a part of the constituent of
its parent, on the `side` of rules on which they stand (left: A -> @A C, right: A -> B @A).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Symbols by number, and rules over them."""

    symbols: tuple[str, ...]
    start: int
    is_incomplete: npt.NDArray[np.bool_]  # by symbol
    binary: npt.NDArray[np.int32]  # [rule, (parent, left, right)]
    binary_logs: npt.NDArray[np.float64]
    unary: npt.NDArray[np.int32]  # [rule, (parent, child)]
    unary_logs: npt.NDArray[np.float64]
    side: Side
