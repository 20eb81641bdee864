"""Conflicts name what people want to know, the hardest first."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints import Situation, compile_grammar, find_conflicts, parse_grammar

LABELS = ("root", "nsubj", "det")
GRAMMAR = """
section subjects
constraint "one subject" penalty 0.5, X and Y under one head:
    not (X.relation = nsubj and Y.relation = nsubj)
section roots
constraint "roots are verbs" penalty 0.25, X:
    X.relation = root -> X.tag = VERB
constraint "no virtual root" penalty 0, X:
    is_virtual(X) -> not is_root(X.head)
"""


def test_conflicts_come_with_their_words_and_the_hardest_first() -> None:
    program = compile_grammar(parse_grammar(GRAMMAR), LABELS)
    situation = Situation.of(program, ["dogs", "cats", "fun"], ["NOUN"] * 3, ["_"] * 3, ["VERB"])
    heads, labels = np.array([0, 3, 3, 4, 0], np.int32), np.array([0, 1, 1, 0, 2], np.int32)
    found = find_conflicts(situation, heads, labels)
    assert [(conflict.constraint, conflict.section, conflict.words) for conflict in found] == [
        ("no virtual root", "roots", ()),
        ("roots are verbs", "roots", (3,)),
        ("one subject", "subjects", (1, 2, 3)),
    ]
    assert [round(conflict.penalty, 6) for conflict in found] == [0, 0.25, 0.5]
    assert [conflict.x for conflict in found] == [None, 3, 1], "a virtual node is no word"


TELLING = """
constraint "a subject is plural", X:
    X.relation = nsubj -> X.Number = Plur
    marks X.head says "{X} before {X.head}, {X.head.lower} before {X.head.next}"
constraint "both ends" penalty 0.5, X:
    X.relation = nsubj -> X.Number = Plur
    says "Number {X.Number}"
"""


def test_what_is_said_names_words_and_marks_the_one_that_is_meant() -> None:
    program = compile_grammar(parse_grammar(TELLING), LABELS)
    situation = Situation.of(program, ["A", "B" * 50], ["NOUN"] * 2, ["Number=Sing", "_"])
    heads, labels = np.array([0, 2, 0], np.int32), np.array([0, 1, 0], np.int32)
    weighing, telling = find_conflicts(situation, heads, labels)
    assert weighing.message == "Number Sing"
    assert weighing.words == (1, 2)
    assert telling.message == f"A before {'B' * 40}..., {'b' * 40}... before ..."
    assert telling.words == (2,)
    assert telling.penalty == 1
    assert weighing.penalty < 0.51


def test_any_number_of_conflicts_is_found() -> None:
    program = compile_grammar(parse_grammar("constraint c penalty 0.5, X and Y of any kind: false"), LABELS)
    situation = Situation.of(program, ["a"] * 40, ["X"] * 40, ["_"] * 40)
    heads = np.arange(-1, 40).astype(np.int32)
    heads[0] = 0
    assert len(find_conflicts(situation, heads, np.zeros(41, np.int32))) == 40 * 39 / 2
