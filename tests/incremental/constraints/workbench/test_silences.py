"""A constraint is silent at the first condition that fails; where none fails, it is broken."""

from __future__ import annotations

import pytest
from definitions.conflicts import judge
from small_sentences import sentences_of
from small_treebanks import treebank

from treewhile.incremental.constraints import load_grammar, parse_grammar
from treewhile.incremental.constraints.workbench.judged_treebanks import programs_of, situation_of
from treewhile.incremental.constraints.workbench.silences import Silence, silences

SENTENCE = "the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("X.relation = det -> X.direction = right", (3, "", {})),
        ("X.relation = nsubj and X.tag = VERB -> false", (1, "X.tag = VERB", {"X.tag": "NOUN"})),
        ("not (X.head.tag = NOUN and X.tag = NUM)", (1, "X.tag = NUM", {"X.tag": "DET"})),
        ("X.head != X.next or X.tag = VERB or X.distance < 1", (3, "", {})),
        ("X.head = X.next", (1, "", {})),
    ],
)
def test_conditions_are_those_of_the_formula(formula: str, expected: tuple[int, str, object]) -> None:
    grammar, (sentence,) = parse_grammar(f"constraint c penalty 0.5, X: {formula}"), sentences_of(SENTENCE)
    (program,) = programs_of([grammar], [sentence])
    found = silences(
        situation_of(program, sentence), grammar.constraints[0], [0, 2, 3, 0], ["", "det", "nsubj", "root"]
    )
    assert len(found) == 3
    assert found[0].condition == expected[1]
    assert found[0].values == expected[2]


def test_where_no_condition_fails_there_is_a_conflict() -> None:
    sentences = treebank(8, seed=3)
    (program,) = programs_of([load_grammar("universal")], sentences)
    for sentence in sentences:
        situation = situation_of(program, sentence)
        heads = [0, *(int(word.head) for word in sentence.words)]
        labels = ["", *(word.deprel for word in sentence.words)]
        violations, _ = judge(situation, heads, labels)
        for number, constraint in enumerate(program.grammar.constraints):
            told = {(v.x, v.y) if v.y else (v.x,) for v in violations if v.constraint == number}
            found = silences(situation, constraint, heads, labels)
            assert {one.words for one in found if is_broken(one)} == told, constraint.name


def is_broken(silence: Silence) -> bool:
    return not silence.condition
