from __future__ import annotations

import pytest
from pitler_crossing.second_order_decoders import parse_by, second_order_decoders
from shells import MakeModel
from small_treebanks import treebank

from treewhile.incremental import parse_sentences
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, KINDS, SIBLINGS
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_decoding import COLUMNS
from treewhile.incremental.parsers.second_order_parsing import analysis_by
from treewhile.oracles import InputError, tree_classes

SENTENCES = treebank(20, seed=3)


def test_a_model_has_the_columns_of_the_triples_that_it_knows(make_model: MakeModel, model: Model) -> None:
    assert second_order_decoders(model) == {}
    assert [*second_order_decoders(make_model(kinds=[GRANDPARENTS]))] == ["gap-minding + grandparents"]
    assert len(second_order_decoders(make_model(kinds=[SIBLINGS]))) == 3
    assert [*second_order_decoders(make_model(kinds=KINDS))] == [*COLUMNS]


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("tags", ["predicted", "gold"])
def test_each_sentence_gets_a_tree_of_the_class(make_model: MakeModel, column: str, tags: str) -> None:
    model = make_model(kinds=KINDS, tags=tags)
    sentences = SENTENCES if tags == "predicted" else parse_sentences(make_model(), SENTENCES)
    parsed = parse_by(column, model, sentences)
    for before, after in zip(sentences, parsed, strict=True):
        heads = [int(word.head) for word in after.words]
        classes = tree_classes(heads)
        assert heads.count(0) == 1
        assert classes.is_projective or not column.startswith("projective")
        assert classes.is_gap_minding or "rearrangement" in column
        assert [word.form for word in after.words] == [word.form for word in before.words]
        assert all(
            (word.deprel == "root") == (head == 0) for word, head in zip(after.words, heads, strict=True)
        )


def test_a_sentence_without_words_has_no_heads(make_model: MakeModel) -> None:
    assert analysis_by(make_model(kinds=KINDS), "projective + siblings", []).heads == ()


def test_a_model_that_does_not_know_triples_is_refused_with_what_to_do(model: Model) -> None:
    with pytest.raises(
        InputError, match=r"no scores of siblings: .* treewhile train --from P --triples siblings"
    ):
        analysis_by(model, "projective + siblings", ["dogs"])
