"""Counts of constraints on trees are those that one finds by hand, and by the slow definition."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from small_sentences import sentences_of
from small_treebanks import treebank

from treewhile.incremental.constraints import load_grammar, parse_grammar
from treewhile.incremental.constraints.language.terms import Relation
from treewhile.incremental.constraints.machine.definition import NamedEdge, View, value
from treewhile.incremental.constraints.workbench.judged_treebanks import programs_of, situation_of
from treewhile.incremental.constraints.workbench.statistics import (
    ConstraintCounts,
    conditions_of,
    count,
    is_judged,
    verdict,
    words_of,
)

GRAMMAR = parse_grammar("""
constraint "left" penalty 0.5, X: X.label = det -> X.direction = left
constraint "both" penalty 0.5, X: X.label = det -> X.tag = DET -> X.lower = the
constraint "all" penalty 0.5, X: X.tag != ADV
constraint "pairs" penalty 0.5, X and Y under one head: not (X.tag = DET and Y.tag = DET)
constraint "any" penalty 0.5, X and Y of any kind: X.label != nsubj or Y.label != obj
constraint "never" penalty 0.5, X: X.label = vocative -> X.direction = right
constraint "asks" penalty 0.5, X: prediction_exists(committed, X)
constraint "harder" penalty 0.1, X: X.label = det -> X.direction = left
constraint "told", X: X.lower = the -> X.direction = left marks X says "*{X}*"
""")
BEFORE = "the/DET/2/det dog/NOUN/3/nsubj sees/VERB/0/root a/DET/5/det cat/NOUN/3/obj"
BEHIND = "dog/NOUN/3/nsubj the/DET/1/det barks/VERB/0/root"


def counted(*lines: str) -> dict[str, ConstraintCounts]:
    found = count(GRAMMAR, sentences_of(*lines))
    return dict(zip(GRAMMAR.numbers, found, strict=True))


def test_left_sides_and_conflicts_are_counted() -> None:
    found = counted(BEFORE, BEHIND, BEHIND)
    pairs = {name: (of.cases, of.broken) for name, of in found.items()}
    assert pairs == {
        "left": (4, 2),
        "both": (4, 1),
        "all": (11, 0),
        "pairs": (1, 0),
        "any": (16, 1),
        "never": (0, 0),
        "asks": (0, 0),
        "harder": (4, 2),
        "told": (3, 2),
    }
    assert found["left"].share == 0.5
    assert found["never"].share is None
    assert found["left"].examples == [(2, 2, 0), (3, 2, 0)]
    assert words_of(found["left"].examples[0], ["3", "1", "0"]) == [1, 2]


def test_counts_agree_with_the_definition() -> None:
    grammar, sentences = load_grammar("universal"), treebank(12, seed=5)
    (program,) = programs_of([grammar], sentences)
    expected = [[0, 0] for _ in grammar.constraints]
    for sentence in sentences:
        situation = situation_of(program, sentence)
        heads = [0, *(int(word.head) for word in sentence.words)]
        labels = ["", *(word.deprel for word in sentence.words)]
        edges = [NamedEdge(*edge) for edge in zip(range(len(heads)), heads, labels, strict=True)][1:]
        for number, constraint in enumerate(program.grammar.constraints):
            if constraint.relation in (Relation.ONE_EDGE, Relation.UNDER_ONE_HEAD):
                pairs = [(x, y) for x, y in combinations(edges, 2) if x.head == y.head]
                for x, y in [(x, None) for x in edges] if not constraint.relation else pairs:
                    view = View(situation, heads, labels, x, y)
                    left = [*conditions_of(constraint.formula)]
                    expected[number][0] += all(value(view, term) for term in left)
                    expected[number][1] += not value(view, constraint.formula)
    for constraint, of, numbers in zip(
        program.grammar.constraints, count(grammar, sentences), expected, strict=True
    ):
        if constraint.relation in (Relation.ONE_EDGE, Relation.UNDER_ONE_HEAD):
            assert [of.cases, of.broken] == numbers, constraint.name


def test_constraints_are_told_dead_misleading_or_overshadowed() -> None:
    gold, system = counted(*[BEFORE] * 9, BEHIND), counted(*[BEHIND] * 10)

    def remark(name: str, *, gold: dict[str, ConstraintCounts], system: dict[str, ConstraintCounts]) -> str:
        return verdict(GRAMMAR, GRAMMAR.numbers[name], gold[name], system[name])

    assert remark("never", gold=gold, system=system) == "dead: it never applies"
    assert remark("asks", gold=gold, system=system) == "not judged: it asks other parsers"
    assert remark("all", gold=gold, system=system) == "never broken"
    assert remark("left", gold=gold, system=system) == "overshadowed by 'harder'"
    assert remark("harder", gold=gold, system=system) == "decisive: the parser's trees break it more often"
    assert remark("harder", gold=gold, system=counted(*[BEFORE] * 7, *[BEHIND] * 3)) == ""
    assert remark("left", gold=system, system=gold) == "misleading: gold trees break it more often"
    assert not is_judged(GRAMMAR.constraints[GRAMMAR.numbers["asks"]])


def test_examples_are_drawn_from_all_conflicts_the_same_on_each_run() -> None:
    many = [BEHIND] * 50
    first, second = (counted(*many)["left"].examples for _ in range(2))
    assert first == second == sorted(first)
    assert max(first)[0] > 3


def test_lemmas_and_xpos_are_those_of_the_treebank() -> None:
    (sentence,) = sentences_of(BEHIND)
    words = [word._replace(lemma=lemma, xpos="_") for word, lemma in zip(sentence.words, "abc", strict=True)]
    grammar = parse_grammar("constraint c penalty 0.5, X: X.lemma = b -> exists(X.xpos)")
    (found,) = count(grammar, [replace(sentence, words=words)])
    assert (found.cases, found.broken) == (1, 1)
