"""All small 1-endpoint-crossing trees judge the rules and the kernel; on longer sentences so do the rules."""

from __future__ import annotations

from random import Random

import pytest
from every_tree import is_one_endpoint_crossing
from judges import scaled
from reach import Reached
from tree_decoders import (
    score_in_class,
)

from treewhile.oracles import best_tree
from treewhile.oracles.trees.best_trees import edge_array

NAME = "1-endpoint-crossing"
SIZES = range(1, scaled(6, 4))


@pytest.mark.reaches(0.3)
def test_no_tree_is_worse_than_that_of_a_narrower_class(reached: Reached) -> None:
    for seed in range(scaled(20, 2)):
        scores = edge_array([[Random(seed * 99 + h * 9 + d).gauss(0, 1) for d in range(8)] for h in range(8)])
        if scaled(False, True):
            scores = scores[:5, :5]
        mh4 = best_tree(scores, "mh4")
        found = score_in_class(scores, NAME, True)
        reached(is_one_endpoint_crossing(tuple(mh4.heads)))
        assert not is_one_endpoint_crossing(tuple(mh4.heads)) or found >= mh4.score - 1e-9, seed
