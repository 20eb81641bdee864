from __future__ import annotations

import pytest
from pitler_crossing.second_order_decoders import parse_by
from shells import MakeModel
from small_treebanks import treebank

from treewhile.incremental.parsers.network_shapes import KINDS
from treewhile.incremental.training.triple_scores import COLUMN_OF, scores_by_triples

DEV = treebank(20, seed=4)


@pytest.mark.parametrize("kind", KINDS)
def test_trees_by_triples_are_scored_by_their_heads(make_model: MakeModel, kind: str) -> None:
    model = make_model(kinds=KINDS)
    assert scores_by_triples(model, kind, parse_by(COLUMN_OF[kind], model, DEV)) == {"UAS": 100}
    assert scores_by_triples(model, kind, DEV)["UAS"] < 100
