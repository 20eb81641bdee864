"""A grammar can say one thing of trees whose edges may cross, and another of those whose edges may not."""

from __future__ import annotations

import numpy as np
import pytest

from treewhile.incremental.constraints import (
    Grammar,
    Situation,
    compile_grammar,
    find_conflicts,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.language.adaptations import with_crossings
from treewhile.oracles import InputError

GRAMMAR = """
constraint strict penalty 0.5, X and Y crossing: edges_may_cross
constraint lenient penalty 0.5, X and Y crossing: not edges_may_cross
constraint other penalty 0.5, X: X.tag = NOUN and (edges_may_cross -> X.position < 2)
"""


def broken(grammar: Grammar, may_cross: bool) -> list[str]:
    """What four nouns break of which the edges of the second and the third one cross."""
    program = compile_grammar(grammar, ["dep"], may_cross)
    situation = Situation.of(program, ["a"] * 4, ["NOUN"] * 4, ["_"] * 4)
    found = find_conflicts(situation, np.array([0, 0, 4, 1, 1], np.int32), np.zeros(5, np.int32))
    return [conflict.constraint for conflict in found]


def test_edges_may_cross_is_true_where_they_may() -> None:
    grammar = parse_grammar(GRAMMAR)
    assert broken(grammar, may_cross=False) == ["strict"]
    assert broken(grammar, may_cross=True) == ["lenient", "other", "other", "other"]


def test_edges_may_not_cross_unless_it_is_said() -> None:
    grammar = parse_grammar(GRAMMAR)
    assert compile_grammar(grammar, ["dep"]).grammar == with_crossings(grammar, may_cross=False)


def test_a_grammar_that_does_not_ask_stays_as_it_is() -> None:
    grammar = load_grammar("predictors")
    assert with_crossings(grammar, may_cross=True) == with_crossings(grammar, may_cross=False) == grammar


def test_words_may_be_called_so() -> None:
    asked = parse_grammar("constraint c penalty 0.5, X: X.label in {edges_may_cross}")
    assert broken(asked, may_cross=True) == ["c"] * 4


def test_it_is_a_truth_value() -> None:
    with pytest.raises(InputError, match=r"a truth value stands here, where a node has to stand"):
        parse_grammar("constraint c penalty 0.5, X: is_word(edges_may_cross)")


@pytest.mark.parametrize("name", ["general", "english"])
def test_edges_cross_freely_in_the_grammars_that_come_along_where_a_model_has_such_trees(name: str) -> None:
    about_crossing = "edges do not cross"
    assert about_crossing in broken(load_grammar(name), may_cross=False)
    assert about_crossing not in broken(load_grammar(name), may_cross=True)


def test_without_a_scorer_edges_hardly_ever_cross() -> None:
    assert "edges do not cross" in broken(load_grammar("alone"), may_cross=False)
    assert "nothing says which edges cross" in broken(load_grammar("alone"), may_cross=True)
