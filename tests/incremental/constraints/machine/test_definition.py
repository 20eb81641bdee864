"""What each term means, on one small prefix."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from definitions.conflicts import judge

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.machine.programs import compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation

LABELS = ("root", "nsubj", "nsubj:pass", "det", "obj", "amod", "dep")

#    1    2      3     4    5     6       7      8      9     10
#   Ann drives   a   very  red  [NOUN] [VERB] [VERB] LATER UNUSED
WORDS = ("Ann", "drives", "a", "very", "red")
TAGS = ("PROPN", "VERB", "DET", "ADV", "ADJ")
FEATURES = (
    "Number=Sing|Person=3",
    "Number=Sing|Person=3",
    "Case=Acc,Nom|Number=Sing",
    "_",
    "Case=Dat,Nom|Degree=Pos",
)
HEADS = (0, 2, 0, 6, 9, 6, 2, 10, 9)
EDGES = ("", "nsubj:pass", "root", "det", "dep", "amod", "obj", "root", "dep")
PREDICTED = [Prediction(2, "nsubj"), Prediction(0), None, Prediction(9, "dep"), Prediction(6, "amod")]


def broken(formula: str, edges: str = "X") -> set[tuple[int, ...]]:
    """The dependents for whose edges a formula does not hold."""
    program = compile_grammar(parse_grammar(f"constraint c penalty 0.5, {edges}:\n{formula}"), LABELS)
    head_log = np.log(np.full((11, 9), 0.25, np.float32))
    label_log = np.log(np.full((9, 11, len(LABELS)), 0.5, np.float32))
    virtual = ("NOUN", "VERB", "VERB")
    predictions = {"committed": PREDICTED}
    situation = Situation.of(program, WORDS, TAGS, FEATURES, virtual, predictions, head_log, label_log)
    conflicts, _ = judge(situation, HEADS, EDGES)
    return {(x, y) if y else (x,) for _, x, y, _ in conflicts}


def holds(formula: str) -> list[int]:
    """The dependents for whose edges a formula holds."""
    everywhere = f"({formula}) and (true or is_unused(X))"  # judged on the edges of unused nodes, too
    return [node for node in range(1, 9) if (node,) not in broken(everywhere)]


@each(
    "formula, dependents",
    [
        ("X.relation = nsubj", [1]),
        ('X.label = "nsubj:pass"', [1]),
        ("X.direction = left", [1, 3, 4, 5, 8]),
        ("exists(X.direction)", [1, 2, 3, 4, 5, 6, 8]),  # not where a node is unused
        ("X.distance = 0", [2, 4, 7, 8]),  # the head is neither a word nor a virtual node
        ("X.distance > 2", [3, 6]),
        ("X.head = X.dependent.head", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("X.head.position < X.position", [2, 6]),
        ("X.form = Ann", [1]),
        ("X.lower = ann", [1]),
        ("X.shape = Xx", [1]),
        ("exists(X.form)", [1, 2, 3, 4, 5]),
        ("X.tag = VERB", [2, 7, 8]),
        ("exists(X.head.tag)", [1, 3, 5, 6]),
        ("is_word(X)", [1, 2, 3, 4, 5]),
        ("is_virtual(X.head)", [3, 5]),
        ("is_later(X.head)", [4, 8]),
        ("is_root(X.head)", [2]),
        ("is_unused(X.head)", [7]),
        ("X.Number = Sing", [1, 2, 3]),
        ("X.Number != Sing", [4, 5, 6, 7, 8]),
        ("X.Number = X.head.Number", [1]),
        ("agree(X.Number, X.head.Number)", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("agree(X.tag, X.head.tag)", [2, 4, 7, 8]),
        ("exists(X.head.head)", [1, 3, 5, 6]),
        ("is_root(X.head.head)", [1, 6]),
        ("X.head.relation = obj", [3, 5]),
        ("has(X, {nsubj})", [2]),
        ('has(X, {"nsubj:pass", amod})', [2, 6]),
        ("has(X.head)", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("count(X.head) = 2", [1, 3, 4, 5, 6, 8]),
        ("under(X, {obj})", [3, 5, 6]),
        ("dominates(X.head.head, X)", [1, 3, 5, 6]),
        ("dominates(X, X)", []),
        ("between(X, {DET})", [6]),
        ("between(X, {NOUN})", []),  # virtual nodes may not be used, so they do not count
        ("covers_outsider(X)", [3, 4, 6]),
        ("X.next.form = drives", [1]),
        ("X.previous.tag = VERB", [3]),
        ("exists(X.next)", [1, 2, 3, 4]),  # words alone have words beside them
        ("exists(X.previous)", [2, 3, 4, 5]),
        ("X.next.next = X", []),
        ("X.next.previous = X", [1, 2, 3, 4]),
        ("X.head.next.lower = a", [1, 6]),
        ("X.Case has Nom", [3, 5]),
        ("X.Case has {Dat, Gen}", [5]),
        ("X.Case = Nom", []),  # the whole text
        ("X.next.next.Case has Nom and agree(X.Case, X.next.next.Case)", [1, 3]),
        ("agree(X.next.next.Case, X.Case) and exists(X.Case) and X.next.next.Case = X.Case", []),
        ('X.lower matches "(a|d.*)n?n?s?"', [1, 2, 3]),
        ('X.form matches "[a-z]{3,}"', [2, 4, 5]),
        ("some Z below X: (Z.tag = DET)", [6]),
        ("no Z below X: (true)", [1, 3, 4, 5, 7, 8]),
        ("all Z below X: (Z.direction = left)", [1, 3, 4, 5, 6, 7, 8]),
        ("number of Z below X: (Z.relation in {amod, det}) = 2", [6]),
        ("number of Z below X.head: (true) = 2", [1, 3, 4, 5, 6, 8]),
        ("some Z above X: (Z.tag = VERB)", [1, 3, 5, 6]),
        ("some Z beside X: (Z.relation = amod)", [3]),
        ("some Z beside X: (true)", [1, 3, 5, 6]),  # what is to come may have two heads
        ("number of Z left of X: (true) = 3", [4]),
        ("number of Z right of X: (is_word(Z)) = 3", [2]),
        ("number of Z between X: (true) = 2", [3]),
        ("number of Z between X: (true) > 2", [4, 6]),
        ("some Z anywhere: (Z.form = red and Z.distance = X.distance)", [1, 5]),
        ("some Y anywhere: (some Z below Y: (Z = X and Y.tag = NOUN))", [3, 5]),
        (
            "some Z anywhere: (Z.dependent = X and Z.head = X.head and Z.label = X.label)",
            [1, 2, 3, 4, 5, 6, 8],
        ),
        ("X.head.direction = right", [1, 3, 5, 6]),
        ("X.head.distance = 4", [3, 5]),
        ("starts(X, {AN, ver})", [1, 4]),  # in any case
        ("ends(X, {es, y, red})", [2, 4, 5]),
        ("starts(X.head, {d})", [1, 6]),
        ("not ends(X, {s})", [1, 3, 4, 5, 6, 7, 8]),  # what has no form has no ending
        ("prediction_exists(committed, X)", [1, 2, 4, 5]),
        ("X.head = predicted_head(committed, X)", [1, 2, 4, 5]),
        ("X.relation = predicted_relation(committed, X)", [1, 4, 5]),
        ("X.label = predicted_label(committed, X)", [4, 5]),
        ("exists(predicted_label(committed, X))", [1, 4, 5]),
        ("abs(probability(X) - 0.125) < 0.001", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("abs(head_probability(X) - 0.25) < 0.001", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("abs(label_probability(X) - 0.5) < 0.001", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("abs(future_probability(X) - 1) < 0.001", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("X.head.head.position >= 0", [1, 3, 5, 6]),  # what does not exist is neither less nor more
        ("X.head.head.position < 0", []),
        ("X.head.head.position + 1 != 1", [2, 3, 4, 5, 7, 8]),
        ("min(X.position, 3) + max(X.position, 3) - 3 = X.position", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("-X.position * 2 <= -8", [4, 5, 6, 7, 8]),
        ("X.tag in {VERB, ADV} <-> X.position > 3", [1, 3, 4, 7, 8]),
    ],
)
def test_terms_mean_what_is_documented(formula: str, dependents: list[int]) -> None:
    assert holds(formula) == dependents


@pytest.mark.parametrize(
    ("relation", "pairs"),
    [
        ("under one head", {(1, 6), (3, 5)}),  # not 4 and 8: what is later may have two heads
        ("in a chain", {(1, 2), (6, 2), (3, 6), (5, 6)}),
        ("crossing", {(3, 4), (4, 6)}),
    ],
)
def test_pairs_stand_in_their_relation(relation: str, pairs: set[tuple[int, int]]) -> None:
    assert broken("false", f"X and Y {relation}") == pairs


def test_what_an_unused_node_hangs_on_breaks_only_what_asks_for_it() -> None:
    unused = (7,)
    for formula in ("false", "X.tag = VERB -> has(X)", "not is_virtual(X)", "X.direction = left"):
        assert unused not in broken(formula)
    for formula in ("is_unused(X) or is_word(X)", "probability(X) = 2"):
        assert unused in broken(formula)
    assert not any(7 in pair for pair in broken("false", "X and Y of any kind"))


def test_any_two_edges_are_judged_once() -> None:
    assert len(broken("false", "X and Y of any kind")) == 7 * 6 / 2  # but for the unused node
    assert broken("X.position < Y.position", "X and Y of any kind") == set()
