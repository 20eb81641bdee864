"""A linear bound that holds word by word: few begins at a time, where earlier ones give way to better ones.

The paper keeps the k best begins of a whole sentence, which nobody knows while it grows: the next word may be
better than all. Here the k best *so far* may begin what ends with a word. One that gives way to a better one
keeps the constituents that have ended, and begins none that end later. So no column has more than k cells of
several words, each with k midpoints at most: a word takes the same time wherever it comes, and columns that
are filled stand.
"""

from __future__ import annotations

from heapq import heappush, heappushpop

import numpy as np

from treewhile.oracles.constituents.closed_cells import NEVER_CLOSED, Ints
from treewhile.oracles.constituents.openings import Flags


def sliding_last_ends(begins: Flags, scores: np.typing.NDArray[np.float64], most: int) -> Ints:
    """last_ends[word] for `GrammarChart.follow` with a left-binarized grammar: `most` open begins at a time.

    The first word is one of them, always. Greater scores stay longer, and of equal ones the later; more words
    change the last ends only of those that have not given way. O(n log most).
    """
    last_ends = np.full(len(begins), NEVER_CLOSED, np.int32)
    kept: list[tuple[float, int]] = []
    for word in range(1, len(begins)):
        if not begins[word]:
            continue
        entry = (float(scores[word]), word)
        if len(kept) < most - 1:
            heappush(kept, entry)
        else:
            _, gone = heappushpop(kept, entry)
            last_ends[gone] = word
    return last_ends
