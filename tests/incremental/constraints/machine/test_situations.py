"""Situations say what constraints ask, and refuse what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import each

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.machine.programs import compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.oracles import InputError

LABELS = ("root", "nsubj", "det")
ASKING = """
constraint asked penalty 0.5, X:
    prediction_exists(committed, X)
constraint scored penalty probability(X), X:
    false
constraint plain penalty 0.5, X:
    X.Number = Sing or X.form = X.head.form
"""


def situation(**changes: Any) -> Situation:
    program = compile_grammar(parse_grammar(ASKING), LABELS)
    given: dict[str, Any] = {
        "words": ["The", "dog"],
        "tags": ["DET", "NOUN"],
        "features": ["_", "Number=Sing"],
        "virtual_tags": ["VERB"],
    }
    return Situation.of(program, **(given | changes))


def test_constraints_that_ask_what_is_not_there_are_not_judged() -> None:
    assert situation().arrays.judged.tolist() == [0, 0, 1]
    assert situation(predictions={"committed": [None, None]}).arrays.judged.tolist() == [1, 0, 1]
    assert situation(head_log=np.zeros((6, 4), np.float32)).arrays.judged.tolist() == [0, 2, 1]


def test_equal_names_have_equal_numbers_whether_mentioned_or_not() -> None:
    attributes = situation(words=["dog", "dog"], tags=["X1", "X1"]).arrays.attributes
    tag, feature, form = range(3)
    assert attributes[1, [tag, form]].tolist() == attributes[2, [tag, form]].tolist()
    assert attributes[1, tag] != attributes[1, form]
    assert attributes[:, feature].tolist()[:3] == [-1, -1, attributes[2, feature]]
    assert attributes[0].tolist() == [-1] * attributes.shape[1]
    assert (attributes[3] >= 0).tolist() == [True, False, False]  # a virtual node has a tag alone


@each(
    "changes, message",
    [
        ({"tags": ["DET"]}, "there are 2 words but 1 tags: give one for each word"),
        ({"features": []}, "there are 2 words but 0 features"),
        ({"predictions": {"p": [None]}}, "the predictor 'p' says something of 1 words, but there are 2"),
        ({"predictions": {"p": [Prediction(1), None]}}, "gives word 1 the head 1: give another node"),
        ({"predictions": {"p": [Prediction(6), None]}}, "gives word 1 the head 6: .* from 0 to 5"),
        ({"predictions": {"p": [Prediction(0, "foo"), None]}}, "gives word 1 the label 'foo'"),
        (
            {"head_log": np.zeros((5, 4), np.float32)},
            r"head_log has the shape \(5, 4\), but has to have \(6, 4\)",
        ),
        ({"head_log": np.full((6, 4), np.nan, np.float32)}, "head_log has nan in it"),
        ({"head_log": np.ones((6, 4), np.float32)}, "head_log has 1 in it, which is no logarithm"),
        ({"label_log": np.zeros((4, 6, 3), np.float32)}, "probabilities of labels but none of heads"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        situation(**changes)
