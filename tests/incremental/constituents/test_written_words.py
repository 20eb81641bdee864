from __future__ import annotations

from treewhile.incremental.constituents.plain_phrases import written_words
from treewhile.oracles.constituents.phrase_trees import Leaf


def test_brackets_are_written_whatever_they_stand_beside() -> None:
    leaves = [
        Leaf("-LRB-", "-LRB-"),
        Leaf("NN", "Spouse-LRB-s-RRB-"),
        Leaf("SYM", "[1-RSB-"),
        Leaf("NN", "LRB"),
    ]
    assert written_words(leaves) == ("(", "Spouse(s)", "[1]", "LRB")
