from __future__ import annotations

import numpy as np
import pytest
from shells import SENTENCE, MakeModel
from small_treebanks import treebank

from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, KINDS, SIBLINGS, UNITS
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_parsing import scored_by, snapshot_of
from treewhile.incremental.scores.second_order_decoders import parse_by
from treewhile.incremental.training.triple_weights import COLUMN_OF, scores_by_triples, weighed_triples

DEV = treebank(20, seed=4)


@pytest.mark.parametrize("kind", KINDS)
def test_triples_count_as_much_as_gives_the_most_right_heads(make_model: MakeModel, kind: str) -> None:
    model = make_model(kinds=[kind])
    found = weighed_triples(model, parse_by(COLUMN_OF[kind], model, DEV))[kind]
    assert found == {"units": UNITS, "weight": 1.0, "UAS": 100}


@pytest.mark.parametrize("kind", KINDS)
def test_as_much_as_counts_now_is_scored(make_model: MakeModel, kind: str) -> None:
    model = make_model(kinds=[kind])
    assert scores_by_triples(model, parse_by(COLUMN_OF[kind], model, DEV)) == {"UAS": 100}
    assert scores_by_triples(model, DEV)["UAS"] < 100


def test_nothing_is_weighed_where_no_triples_are_scored(model: Model) -> None:
    assert weighed_triples(model, DEV) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_is_that_of_all_triples(make_model: MakeModel, kind: str) -> None:
    snapshot = snapshot_of(make_model(), SENTENCE)
    whole, half = (scored_by(make_model(kinds=[kind], weight=one), kind, snapshot) for one in (1, 0.5))
    assert np.array_equal(whole.arcs, half.arcs)
    assert np.allclose(whole.triples, 2 * half.triples, rtol=1e-5)


def test_a_model_has_both_kinds_side_by_side(make_model: MakeModel) -> None:
    assert [*weighed_triples(make_model(kinds=KINDS), DEV)] == [SIBLINGS, GRANDPARENTS]
