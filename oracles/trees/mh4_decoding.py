"""Best tree of the class MH4, in which edges may cross, by items of at most four heads.

The recurrence, its source and the rule for ties are in `four_heads`. The goal is the item from the root to a
place without edges behind the last word: with a single root, the item from ROOT, which has its child.
"""

from __future__ import annotations

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray
from treewhile.oracles.trees.kernels.four_heads import ROOT


def decode(
    scores: EdgeArray, single_root: bool, interrupt: Interrupt, openings: Openings | None = None
) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    places = four_heads.sentence_places(scores, single_root, openings)
    chart = four_heads.new_chart(len(places.weight), scores.dtype)
    left = four_heads.fill_plain_columns(places, chart, places.last, interrupt)
    return None if left <= places.last else four_heads.heads_of(places, chart, ROOT, len(scores))


def bytes_needed(n: int) -> int:
    return 8 * (n + 3) ** 3
