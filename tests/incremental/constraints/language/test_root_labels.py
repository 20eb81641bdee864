"""In a grammar `root` means what the model calls the children of the root."""

from __future__ import annotations

import numpy as np
import pytest

from treewhile.incremental.constraints import (
    Situation,
    compile_grammar,
    find_conflicts,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.language.adaptations import with_root_labels

LABELS = ("HEAD", "SBJ", "DET")
GRAMMAR = """
set TOPS = {root, conj}
constraint compared penalty 0.5, X: is_root(X.head) -> X.relation = root
constraint different penalty 0.5, X: X.label != root -> not is_root(X.head)
constraint member penalty 0.5, X: is_root(X.head) -> X.label in TOPS
constraint above penalty 0.5, X: X.relation = SBJ -> X.head.relation = root and under(X, {root})
constraint below penalty 0.5, X: is_root(X) -> has(X, {root}) and count(X, {root}) = 1
constraint computed penalty max(0.5, count(X.head, {root})), X: X.form != root
"""


def broken(
    root_labels: tuple[str, ...], labels: tuple[str, ...], child: str, grammar: str = GRAMMAR
) -> set[str]:
    """The constraints that "a dog barks" breaks, whose last word hangs on the root."""
    program = compile_grammar(with_root_labels(parse_grammar(grammar), root_labels), labels)
    situation = Situation.of(program, ["a", "dog", "barks"], ["DET", "NOUN", "VERB"], ["_"] * 3)
    numbers = [0, *(labels.index(label) for label in ("DET", "SBJ", child))]
    found = find_conflicts(situation, np.array([0, 2, 3, 0], np.int32), np.array(numbers, np.int32))
    return {conflict.constraint for conflict in found}


def test_a_child_of_the_root_may_have_any_label_that_children_of_the_root_have() -> None:
    assert broken(("HEAD",), LABELS, "HEAD") == set()
    assert broken(("TOP", "HEAD:main"), ("TOP", "HEAD:main", "SBJ", "DET"), "HEAD:main") == set()
    assert broken(("root",), ("root", "SBJ", "DET"), "root") == set()


def test_a_child_of_the_root_may_not_have_another_label() -> None:
    assert broken(("HEAD",), LABELS, "DET") == {"compared", "different", "member", "above"}


def test_a_word_that_is_called_root_is_a_word() -> None:
    grammar = with_root_labels(parse_grammar("constraint c penalty 0.5, X: X.form != root"), ("HEAD",))
    situation = Situation.of(compile_grammar(grammar, LABELS), ["root"], ["NOUN"], ["_"])
    assert len(find_conflicts(situation, np.zeros(2, np.int32), np.zeros(2, np.int32))) == 1


def test_where_no_label_is_of_the_root_alone_nothing_is_said_of_it() -> None:
    assert broken((), LABELS, "DET") == {"member"}


@pytest.mark.parametrize("name", ["general", "english", "alone"])
def test_a_treebank_with_another_root_label_breaks_no_constraint_on_it(name: str) -> None:
    labels = ("HEAD", "nsubj", "det")
    program = compile_grammar(with_root_labels(load_grammar(name), ("HEAD",)), labels)
    situation = Situation.of(program, ["a", "dog", "barks"], ["DET", "NOUN", "VERB"], ["_"] * 3)
    found = find_conflicts(situation, np.array([0, 2, 3, 0], np.int32), np.array([0, 2, 1, 0], np.int32))
    assert not [conflict for conflict in found if conflict.section == "roots"]
