"""Types of arrays, and the numbers for minus infinity and an unknown head."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Scores = npt.NDArray[Any]  # int64 for exact oracles, float64 for real-valued weights

# Minus infinity of integer scores: two of them add up without overflow, and no sum with one of them is ever
# stored, so it is absorbing like the real one. Floating-point scores use the real one.
NEVER: Final = -(1 << 61)
ALMOST_NEVER: Final = NEVER >> 1

UNKNOWN: Final = -1
