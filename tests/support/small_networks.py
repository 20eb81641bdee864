"""Shapes of networks that are made or trained in no time: widths in the order in which `Shape` has them.

form, ngrams, character, spelling, values, state, tagger, arc, label, steps, awaiting
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewhile.incremental.parsers.network_shapes import Shape

TINY = Shape(4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8)  # learns nothing
SMALL = Shape(8, 8, 8, 8, 8, 16, 8, 16, 8, 8, 6)  # learns a sentence or two
UNLIKE = Shape(16, 8, 8, 16, 8, 32, 16, 24, 16, 16, 14)
UNEVEN = Shape(15, 7, 9, 5, 3, 10, 7, 9, 11, 13, 11)
LEARNING = Shape(24, 16, 16, 24, 16, 64, 32, 48, 32, 64, 62)  # learns a regular language


def in_eighth_bits(inputs: Any) -> Any:
    """Each row in whole steps, the least power of two of which the greatest input has no more than 127."""
    fraction, exponent = np.frexp(np.abs(inputs).max(-1, initial=0, keepdims=True))
    step = 2.0 ** (exponent - 7 + (fraction >= 1 - 1 / 256))
    return (np.rint(inputs / step) * step).astype(np.float32)
