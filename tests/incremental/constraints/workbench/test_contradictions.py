"""Contradictions between hard constraints are proven by sentences, as the slow definition finds them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from definitions.conflicts import judge
from every_tree import all_trees

from treewhile.incremental.constraints import Grammar, Situation, compile_grammar, parse_grammar
from treewhile.incremental.constraints.workbench.contradictions import Contradiction, contradictions

LABELS = ("root", "nsubj", "obj", "det", "nsubj:pass")
TAGS = ("NOUN", "VERB", "DET")


def found_in(*formulas: str) -> list[Contradiction]:
    text = "\n".join(f'constraint "{i}" penalty 0, {formula}' for i, formula in enumerate(formulas))
    return [*contradictions(parse_grammar(text), LABELS, TAGS)]


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("X: X.tag = DET -> X.label = det", "X: X.label != det", ".../DET"),
        ("X: X.lower = the -> X.label = det", "X: X.label = obj", "the/NOUN"),
        ("X: X.Case = Nom -> X.label = nsubj", "X: X.label = nsubj -> X.Case = Acc", ".../NOUN/Case=Nom"),
        ("X: ends(X, {ing}) -> X.label = obj", "X: X.relation = obj -> X.tag = VERB", "ing/NOUN"),
        (
            "X: X.tag = VERB -> X.label = root",
            "X and Y of any kind: X.label != root or Y.label != root",
            ".../VERB .../VERB",
        ),
        (
            "X: X.tag = DET -> X.head.tag = NOUN",
            "X: X.tag = NOUN -> no Z below X: (Z.tag = DET)",
            ".../NOUN .../DET",
        ),
    ],
)
def test_a_sentence_shows_a_contradiction(one: str, other: str, shown: str) -> None:
    (found,) = found_in("X: X.tag = ADP -> X.label = case", one, other)
    assert [constraint.name for constraint in found.constraints] == ["1", "2"]
    assert " ".join(map(str, found.sentence)) == shown


def test_nothing_is_said_without_a_proof() -> None:
    assert found_in("X: X.tag = DET -> X.label = det", "X: X.label = det -> X.tag = DET") == []
    assert (
        found_in("X: X.tag = DET -> X.label = det", "X: X.tag != DET") == []
    )  # nothing keeps the second alone
    soft = 'constraint "a" penalty 0, X: X.label = det constraint "b" penalty 0.1, X: X.label = obj'
    assert [*contradictions(parse_grammar(soft), LABELS, TAGS)] == []


def test_random_contradictions_hold_by_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewhile.incremental.constraints.workbench.contradictions.LONGEST", 2)
    source, count = random.Random(7), 0
    conditions = ["X.tag = VERB", "X.head.tag = NOUN", "X.label = det", "X.direction = left", "has(X, {obj})"]
    for _ in range(120):
        formulas = [" -> ".join(source.sample(conditions, 2)) for _ in range(3)]
        for found in found_in(*(f"X: {'not ' * (source.random() < 0.5)}({one})" for one in formulas)):
            count += 1
            kept = [*kept_by_definition(found)]
            assert not any(map(all, kept))
            assert all(map(any, zip(*kept, strict=True)))
    assert count > 10


def kept_by_definition(found: Contradiction) -> Iterator[list[bool]]:
    """Yield which of the two constraints each tree keeps."""
    tags, forms, features = zip(*found.sentence, strict=True)
    program = compile_grammar(Grammar("pair", found.constraints), LABELS)
    situation = Situation.of(program, forms, tags, features)
    for heads in all_trees(len(tags)):
        for labels in product(LABELS, repeat=len(tags)):
            broken = {one.constraint for one in judge(situation, (0, *heads), ("", *labels))[0]}
            yield [number not in broken for number in range(2)]
