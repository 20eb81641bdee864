"""Tags and features, by a layer over states."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import WIDE, outputs_of
from treewhile.incremental.parsers.kernels.rows import place_of_best, rectify


@kernel
def best_tags(hidden, tags, features, states):
    """Return the numbers of the likeliest tags and features of each row."""
    outputs = outputs_of(hidden, states)
    units = np.empty((len(states), hidden[WIDE]), np.float32)
    for row in range(len(states)):
        rectify(outputs[row])
        for unit in range(units.shape[1]):
            units[row, unit] = outputs[row, unit]
    of_tags, of_features = outputs_of(tags, units), outputs_of(features, units)
    best = np.empty((2, len(states)), np.intp)
    for row in range(len(states)):
        best[0, row] = place_of_best(of_tags[row], tags[WIDE])
        best[1, row] = place_of_best(of_features[row], features[WIDE])
    return best[0], best[1]
