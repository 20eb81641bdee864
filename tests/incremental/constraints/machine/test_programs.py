"""Programs leave out what labels decide, and costs are whole numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import each

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.machine.costs import HARD, cost_of, penalty_of
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.operations import Op
from treewhile.incremental.constraints.machine.kernels.records import TreeArrays
from treewhile.incremental.constraints.machine.programs import (
    Program,
    compile_grammar,
    compile_grammars,
)
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.oracles import InputError

LABELS = ("root", "nsubj", "nsubj:pass", "det")


def program(formula: str, edges: str = "X") -> Program:
    return compile_grammar(parse_grammar(f"constraint c penalty 0.5, {edges}:\n{formula}"), LABELS)


def labels_judged(formula: str) -> set[str]:
    """The labels whose edges a constraint is judged on."""
    arrays = program(formula).arrays
    lists = arrays.lists[: 2 + 2 * len(LABELS)]
    if lists[1] > 0:
        return {*LABELS}
    places = np.flatnonzero(np.diff(lists)) - 1
    return {LABELS[place % len(LABELS)] for place in places.tolist()}


@each(
    "formula, labels",
    [
        ("X.relation = det -> X.tag = DET", {"det"}),
        ("X.relation = nsubj -> X.tag = NOUN", {"nsubj", "nsubj:pass"}),
        ('X.label != "nsubj:pass" or X.tag = NOUN', {"nsubj:pass"}),
        ("not (X.relation in {nsubj, det} and has(X, {det}))", {"nsubj", "nsubj:pass", "det"}),
        ("X.tag = DET <-> X.relation = det", {*LABELS}),
        ("X.tag = DET", {*LABELS}),
        ("X.tag = DET or true", set()),
        ("X.relation = obj -> false", set()),
    ],
)
def test_a_constraint_is_left_out_where_the_label_decides(formula: str, labels: set[str]) -> None:
    assert labels_judged(formula) == labels


def operations_for(formula: str, label: str) -> list[str]:
    """The operations of what is left of a constraint for a label, but for the END."""
    arrays = program(formula).arrays
    at = int(arrays.listed[arrays.lists[1 + LABELS.index(label)], 1])
    code = arrays.code[at:, 0].tolist()
    return [Op(operation).name for operation in code[: code.index(Op.END)]]


@each(
    "formula, operations",
    [
        ("X.relation = det -> X.tag = DET", ["DEPENDENT_IN"]),
        ("X.tag = DET -> X.relation != det", ["DEPENDENT_IN", "NOT"]),
        ("X.tag = DET <-> X.relation = det", ["DEPENDENT_IN"]),
        ("X.tag = DET <-> X.relation = root", ["DEPENDENT_IN", "NOT"]),
        ("X.relation = det and X.head.tag in {NOUN, PROPN} or X.relation = root", ["HEAD_IN"]),
        ("not (X.relation = det and not X.tag = DET)", ["DEPENDENT_IN"]),
        ("X.relation != det", ["PUSH"]),
    ],
)
def test_a_formula_is_cut_to_what_the_label_leaves(formula: str, operations: list[str]) -> None:
    assert operations_for(formula, "det") == operations


def test_nothing_is_cut_that_perhaps_cannot_be_computed() -> None:
    formula = "1 / X.distance < 2 or X.relation = det and X.tag = DET"
    assert "DIVIDE" in operations_for(formula, "root")
    assert "EDGE_RELATION" in operations_for(formula, "det")


def test_pairs_are_left_out_where_both_labels_decide() -> None:
    arrays = program("not (X.relation = nsubj and Y.relation = nsubj)", "X and Y under one head").arrays
    expected = np.zeros((4, 4), np.uint8)
    expected[1:3, 1:3] = 2
    assert arrays.pair_relations[0].tolist() == expected.tolist()
    assert not arrays.pair_relations[1].any()


def test_costs_are_logarithms_in_whole_numbers() -> None:
    assert cost_of(1) == 0
    assert cost_of(math.exp(-1)) == 1 << 20
    assert cost_of(0) == HARD > 1000 * cost_of(1e-300) == 1000 * cost_of(1e-12)
    assert penalty_of(cost_of(0.5) + cost_of(0.5)) == pytest.approx(0.25)
    assert penalty_of(HARD + 1) == 0


@pytest.mark.parametrize("labels", [[], ["det", "det"]])
def test_labels_have_to_differ(labels: list[str]) -> None:
    with pytest.raises(InputError, match="labels that differ from each other"):
        compile_grammar(parse_grammar(""), labels)


def test_one_program_serves_many_situations() -> None:
    shared = program("X.lower = X.head.lower")
    before = dict(shared.asked.name_numbers)
    for word in ("a", "b"):
        assert shared.asked.columns == ("tag", "lower")
        attributes = Situation.of(shared, [word], ["X"], ["_"]).arrays.attributes
        assert sorted(attributes[1].tolist()) == [len(before), len(before) + 1]
    assert shared.asked.name_numbers == before


def test_grammars_compiled_together_judge_as_each_by_itself() -> None:
    texts = ["X.lower = X.head.lower", "X.tag = VERB or prediction_exists(other, X)", "ends(X, {ly, y})"]
    grammars = [parse_grammar(f"constraint c penalty 0.5, X:\n{text}") for text in texts]
    for grammar, program in zip(grammars, compile_grammars(grammars, LABELS), strict=True):
        alone = compile_grammar(grammar, LABELS)
        found = []
        for one in (alone, program):
            given = ["Oddly", "oddly", "see"], ["ADV", "ADV", "VERB"], ["_"] * 3, ["NOUN"]
            situation = Situation.of(one, *given, {"other": [None, Prediction(1), None]})
            tree = TreeArrays(np.array([0, 2, 3, 0, 6]), np.zeros(5, np.int64))
            found.append(conflicts_in(situation, tree).tolist())
        assert found[0] == found[1] != []
