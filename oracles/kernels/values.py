"""Types of arrays, and the numbers that stand for minus infinity and for an unknown head."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Scores = npt.NDArray[Any]  # int64 for exact oracles, float64 for real-valued weights

# Minus infinity of integer scores: two of them add up without overflow, and no sum that has one in it is
# ever stored, so it swallows as the true one does. Floating-point scores use the true one.
NEVER: Final = -(1 << 61)
ALMOST_NEVER: Final = NEVER >> 1

UNKNOWN: Final = -1
