"""Classes of lemmas and of XPOS, by states and letters of words."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import WIDE, outputs_of
from treewhile.incremental.parsers.kernels.rows import add_to, place_of_best, rectify


@kernel
def best_classes(of_states, output, states, of_letters, rules):
    """Return the scores [word, class], and the best rule and the best XPOS of each word.

    of_letters[word, unit] are the contributions of letters to the hidden units. Classes are so many rules,
    then XPOS; without XPOS the best one is 0.
    """
    units = outputs_of(of_states, states)
    for word in range(len(units)):
        add_to(units[word, : of_letters.shape[1]], of_letters[word])
        rectify(units[word])
    scores = outputs_of(output, units)
    best = np.empty((2, len(scores)), np.intp)
    for word in range(len(scores)):
        best[0, word] = place_of_best(scores[word], rules)
        best[1, word] = place_of_best(scores[word, rules:], output[WIDE] - rules)
    return scores, best[0], best[1]
