from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import each
from definitions.semirings import COUNTING
from definitions.tabular_parsing import ReferenceChart
from judges import Edge, all_projective_trees, reachable_trees

from treewhile.oracles import InputError
from treewhile.oracles.split_grammars import (
    PROJECTIVE,
    SINGLE_ROOT_STACK_AND_INPUT,
    SINGLE_ROOT_STRICT_STACK_AND_INPUT,
    STACK_AND_INPUT,
    STRICT_STACK_AND_INPUT,
    SplitGrammar,
)

GRAMMARS = (PROJECTIVE, STACK_AND_INPUT, STRICT_STACK_AND_INPUT)


def trees(grammar: SplitGrammar, word: str) -> list[frozenset[Edge]]:
    chart = ReferenceChart(grammar, word, lambda head, child: int(child > 0), COUNTING)
    listed = [frozenset((head, child) for child, head in enumerate(tree) if child) for tree in chart.trees()]
    assert len(listed) == chart.whole()
    return listed


@each("n", range(6))
def test_table_3_derives_each_projective_tree_once(n: int) -> None:
    expected = {
        frozenset((head, word) for word, head in enumerate(tree, 1)) for tree in all_projective_trees(n)
    }
    listed = trees(PROJECTIVE, "a" * (n + 1))
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


@each("below, remaining", [(k, m) for k in range(6) for m in range(6 - k)])
def test_table_4_derives_once_each_tree_that_a_stack_and_input_can_become(below: int, remaining: int) -> None:
    reachable = reachable_trees(tuple(range(below + 1)), below + 1, below + remaining)
    strict = {tree for tree in reachable if not any(child < head < below for head, child in tree)}
    for grammar, expected in ((STACK_AND_INPUT, reachable), (STRICT_STACK_AND_INPUT, strict)):
        listed = trees(grammar, "p" * below + "s" * (remaining + 1))
        assert len(listed) == len(set(listed))
        assert set(listed) == expected


@each("below, remaining", [(k, m) for k in range(6) for m in range(6 - k)])
def test_with_a_single_root_the_same_trees_are_derived_save_those_with_several(
    below: int, remaining: int
) -> None:
    word = "p" * below + "s" * (remaining + 1)
    for grammar, single in (
        (STACK_AND_INPUT, SINGLE_ROOT_STACK_AND_INPUT),
        (STRICT_STACK_AND_INPUT, SINGLE_ROOT_STRICT_STACK_AND_INPUT),
    ):
        expected = [tree for tree in trees(grammar, word) if sum(head == 0 for head, _ in tree) <= 1]
        listed = trees(single, "r" + word[1:])
        assert len(listed) == len(expected)
        assert set(listed) == set(expected)


@each(
    "fields, complaint",
    [
        ({"initial": {}}, "has no terminal"),
        ({"initial": {"ab": ("S", "S")}}, "terminal of other than one letter"),
        ({"initial": {"": ("S", "S")}}, "terminal of other than one letter"),
        ({"initial": {"é": ("S", "S")}}, "terminal of other than one letter"),
        ({"start": "T"}, "never completes its start symbol T"),
        ({"complete": ()}, "never completes its start symbol S"),
        ({"complete": (("S", "T", "S"),)}, r"S -> \(T, S\), but no node ever reaches left state T"),
        ({"complete": (("S", "S", "T"),)}, r"S -> \(S, T\), but no node ever reaches right state T"),
        ({"left": (("S", "T", "S"),)}, r"\(S, _\) -> T \(S, _\), but nothing ever completes T"),
        ({"left": (("S", "S", "T"),)}, r"\(S, _\) -> S \(T, _\), but no node is ever in the state"),
        ({"right": (("S", "S", "T"),)}, r"\(_, S\) -> \(_, S\) T, but nothing ever completes T"),
        ({"right": (("S", "T", "S"),)}, r"\(_, S\) -> \(_, T\) S, but no node is ever in the state"),
        ({"complete": (("S", "S", "S"),) * 2}, "states a rule twice"),
        ({"left": (("S", "S", "S"),) * 2}, "states a rule twice"),
        ({"right": (("S", "S", "S"),) * 2}, "states a rule twice"),
    ],
)
def test_a_grammar_outside_the_general_form_is_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        replace(PROJECTIVE, name="mine", **fields)
    assert "'mine'" in str(caught.value)


def test_a_state_that_only_a_child_leads_to_may_be_used() -> None:
    one_child = SplitGrammar(
        name="at most one child on each side",
        start="S",
        initial={"a": ("0", "0")},
        complete=tuple(("S", b, c) for b in "01" for c in "01"),
        left=(("1", "S", "0"),),
        right=(("1", "0", "S"),),
    )
    assert (one_child.left_states, one_child.right_states) == (("0", "1"), ("0", "1"))
    for tree in trees(one_child, "aaaaa"):
        sides = [(head, child < head) for head, child in tree]
        assert len(sides) == len(set(sides))


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)
def test_the_rules_in_numbers_are_the_rules_in_names(grammar: SplitGrammar) -> None:
    rules, left, right = grammar.rules, grammar.left_states, grammar.right_states
    assert (rules.left_states, rules.right_states) == (len(left), len(right))
    assert [(left[b], right[c]) for b, c in rules.initial] == list(grammar.initial.values())
    assert [(left[b], right[c]) for b, c in rules.start] == grammar.pairs_of(grammar.start)
    for after, d, b, before in rules.left:
        assert any(
            (left[after], a, left[before]) in grammar.left and (left[d], right[b]) in grammar.pairs_of(a)
            for a in grammar.categories
        )
    assert len(rules.left) == sum(len(grammar.pairs_of(a)) for _, a, _ in grammar.left)
    for after, c, d, before in rules.right:
        assert any(
            (right[after], right[before], a) in grammar.right and (left[c], right[d]) in grammar.pairs_of(a)
            for a in grammar.categories
        )
    assert len(rules.right) == sum(len(grammar.pairs_of(a)) for _, _, a in grammar.right)


def test_terminals_are_numbered_as_the_initial_rules_are() -> None:
    assert np.array_equal(STACK_AND_INPUT.terminals("ppss"), [0, 0, 1, 1])
