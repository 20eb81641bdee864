"""The constraint that speaks against a rival: its violations cost most beyond those of the tree."""

from __future__ import annotations

from itertools import product

from treewhile.incremental import Decision
from treewhile.incremental.constraints import Situation, compile_grammar, parse_grammar
from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.search.deciding_constraints import deciding_constraints, with_edge
from treewhile.incremental.constraints.search.trees import Tree

LABELS = ("root", "nsubj", "det")
GRAMMAR = """
section all
constraint "one subject" penalty 0.5, X and Y under one head:
    not (X.relation = nsubj and Y.relation = nsubj)
constraint "roots are verbs" penalty 0.25, X:
    X.relation = root -> X.tag = VERB
constraint "determiners hang on nouns" penalty 0.75, X:
    X.relation = det -> X.head.tag = NOUN
"""
ROOT, NSUBJ, DET = range(3)
TREE = Tree((0, 2, 3, 0), (0, DET, NSUBJ, ROOT))  # the dog barks


def situation() -> Situation:
    program = compile_grammar(parse_grammar(GRAMMAR), LABELS)
    return Situation.of(program, ["the", "dog", "barks"], ["DET", "NOUN", "VERB"], ["_"] * 3)


def likeliest(head: int, dependent: int) -> int:
    return NSUBJ if head else ROOT


def found(rivals: dict[int, Decision], tree: Tree = TREE) -> dict[int, tuple[str, float]]:
    deciding = deciding_constraints(situation(), tree, rivals, likeliest)
    return {word: (one.constraint, round(one.penalty, 4)) for word, one in deciding}


def test_each_rival_has_the_constraint_that_costs_it_most() -> None:
    assert found({1: Decision(3, "det")}) == {1: ("determiners hang on nouns", 0.75)}
    assert found({1: Decision(3, "nsubj")}) == {1: ("one subject", 0.5)}
    assert found({2: Decision(0, "root")}) == {2: ("roots are verbs", 0.25)}


def test_a_rival_that_breaks_nothing_more_has_none() -> None:
    assert found({1: Decision(2, "nsubj")}) == {}
    bad = Tree((0, 2, 0, 2), (0, DET, ROOT, NSUBJ))
    assert found({3: Decision(0, "root")}, bad) == {}


def test_violations_of_one_constraint_add_up() -> None:
    tree = Tree((0, 2, 3, 0), (0, NSUBJ, NSUBJ, ROOT))
    assert found({1: Decision(3, "nsubj")}, tree) == {1: ("one subject", 0.5)}


def test_arcs_to_words_to_come_are_left_out() -> None:
    assert found({1: Decision("later", "det")}) == {}


def test_with_another_arc_a_tree_stays_a_tree_with_one_root() -> None:
    n = 4
    trees = [(0, *heads) for heads in product(range(n + 1), repeat=n) if _is_tree((0, *heads))]
    for heads in trees:
        for word, head in product(range(1, n + 1), range(n + 1)):
            if head not in (word, heads[word]):
                changed = with_edge(Tree(heads, (0,) * (n + 1)), Edge(word, head, DET), likeliest)
                assert _is_tree(changed.heads), (heads, word, head)
                assert changed.edge(word) == Edge(word, head, DET)
                others = [one for one in range(1, n + 1) if changed.heads[one] != heads[one] and one != word]
                assert len(others) <= 1


def _is_tree(heads: tuple[int, ...]) -> bool:
    return heads[1:].count(0) == 1 and all(_is_below_root(heads, word) for word in range(1, len(heads)))


def _is_below_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word]
    return word == 0
