"""Changes of penalties that are proposed do turn the tree that is found."""

from __future__ import annotations

import pytest
from small_sentences import sentences_of

from treewhile.incremental.constraints import ConstraintSearcher, Grammar, parse_grammar
from treewhile.incremental.constraints.search.trees import tree_of
from treewhile.incremental.constraints.workbench.differences import found_analysis
from treewhile.incremental.constraints.workbench.explanations import (
    PenaltyChange,
    TaggedTree,
    compared,
    costs_of,
    smallest_change,
    tree_in,
)
from treewhile.incremental.constraints.workbench.searched_sentences import request_of, whole_parse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model

NO_OBLIQUE = "X: X.lower = telescope -> X.relation != obl"
SENTENCE = (
    "I/PRON/2/nsubj saw/VERB/0/root the/DET/4/det man/NOUN/2/obj "
    "with/ADP/7/case a/DET/7/det telescope/NOUN/2/obl ./PUNCT/2/punct"
)
SCORES = [
    'constraint "head" penalty head_probability(X), X: false',
    'constraint "label" penalty label_probability(X), X: false',
]
HEADS = (2, 0, 4, 2, 7, 7, 2, 2)
LABELS = ("nsubj", "root", "det", "obj", "case", "det", "obl", "punct")


@pytest.fixture(scope="module")
def english() -> Model:
    return load_model("en")


def grammar_with(*constraints: str) -> Grammar:
    return parse_grammar("\n".join(["include universal", *SCORES, *constraints]))


def heads_found(model: Model, grammar: Grammar) -> tuple[object, ...]:
    request = request_of(model, whole_parse(model, *sentences_of(SENTENCE)))
    return found_analysis(ConstraintSearcher(model, grammar), request).heads


def change_for(model: Model, grammar: Grammar) -> list[PenaltyChange] | None:
    searcher = ConstraintSearcher(model, grammar)
    request = request_of(model, whole_parse(model, *sentences_of(SENTENCE)))
    other = tree_in(searcher.situation(request), HEADS, LABELS)
    return smallest_change(model, grammar, request, other)


@pytest.mark.parametrize("each", [[0.001], [0.5] * 12])
def test_a_change_turns_the_tree(english: Model, each: list[float]) -> None:
    grammar = grammar_with(
        *(f'constraint "{n}" penalty {penalty}, {NO_OBLIQUE}' for n, penalty in enumerate(each))
    )
    assert heads_found(english, grammar) != HEADS
    change = change_for(english, grammar)
    assert change is not None
    assert (len(change) == 1) == (len(each) == 1)
    changed = grammar.with_penalties({one.constraint: one.after for one in change})
    assert heads_found(english, changed) == HEADS
    assert all(float(f"{one.after:.2g}") == one.after for one in change)


def test_a_tree_that_is_found_needs_no_change(english: Model) -> None:
    assert change_for(english, grammar_with()) == []


def test_hard_constraints_stay(english: Model) -> None:
    assert change_for(english, grammar_with(f'constraint "hard" penalty 0, {NO_OBLIQUE}')) is None


def test_costs_are_compared_by_constraint(english: Model) -> None:
    grammar = grammar_with(f'constraint "one" penalty 0.001, {NO_OBLIQUE}')
    searcher = ConstraintSearcher(english, grammar)
    request = request_of(english, whole_parse(english, *sentences_of(SENTENCE)))
    situation = searcher.situation(request)
    found = tree_of(situation, found_analysis(searcher, request))
    gold = tree_in(situation, HEADS, LABELS)
    rows = compared(TaggedTree(situation, found), TaggedTree(situation, gold))
    assert rows[0].constraint.name == "one"
    assert rows[0].counts == (0, 1)
    total = costs_of(situation, gold).total - costs_of(situation, found).total
    assert sum(row.costs[1] - row.costs[0] for row in rows) == pytest.approx(total)
