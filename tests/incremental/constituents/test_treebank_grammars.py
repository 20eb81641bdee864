from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from cases import each
from planted_phrases import random_phrase

from treewhile.incremental.constituents.binarization import Binarization, binarized
from treewhile.incremental.constituents.bracketed_trees import read_trees
from treewhile.incremental.constituents.treebank_grammars import (
    TreebankGrammar,
    read_grammar,
    with_children,
    with_root,
)
from treewhile.oracles import InputError
from treewhile.oracles.constituents.grammar_charts import Derivation, GrammarChart
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

TEXT = """
(ROOT (S (NP (DT the) (NN dog)) (VP (VB barks))))
(ROOT (S (NP (DT the) (JJ old) (NN dog)) (VP (VB sees) (NP (DT a) (NN cat)))))
(ROOT (NP (NP (NN cat)) (. .)))
"""
FORMS = [
    Binarization(side, markov, parents, chains)
    for side, markov, parents, chains in product(("left", "right"), (0, 2), (False, True), (False, True))
]


def phrases() -> list[Phrase]:
    return [tree.phrase for tree in read_trees(io.StringIO(TEXT))]


def test_rules_and_words_are_counted_as_they_stand() -> None:
    grammar = read_grammar(phrases(), Binarization("right", 1))
    assert grammar.rules == {
        ("ROOT", "S"): 2,
        ("ROOT", "NP"): 1,
        ("S", "NP", "VP"): 2,
        ("NP", "DT", "NN"): 2,
        ("NP", "DT", "@NP:JJ"): 1,
        ("@NP:JJ", "JJ", "NN"): 1,
        ("NP", "NP", "."): 1,
        ("NP", "NN"): 1,
        ("VP", "VB"): 1,
        ("VP", "VB", "NP"): 1,
    }
    assert grammar.words["DT", "the"] == 2
    assert grammar.start == "ROOT"


@each("form", FORMS)
def test_chances_sum_up_to_one_for_each_parent(form: Binarization) -> None:
    rng = random.Random(8)
    counted = read_grammar([random_phrase(rng, rng.randint(1, 15)) for _ in range(80)], form)
    grammar = counted.grammar
    sums = np.zeros(len(grammar.symbols))
    np.add.at(sums, grammar.binary[:, 0], np.exp(grammar.binary_logs))
    np.add.at(sums, grammar.unary[:, 0], np.exp(grammar.unary_logs))
    parents = {rule[0] for rule in counted.rules}
    assert sums == pytest.approx([float(name in parents) for name in grammar.symbols])


@each("form", FORMS)
def test_arrays_have_the_form_that_charts_ask_for(form: Binarization) -> None:
    grammar = read_grammar(phrases(), form).grammar
    assert (grammar.symbols[grammar.start], grammar.start, grammar.side) == ("ROOT", 0, form.side)
    assert [name.startswith("@") for name in grammar.symbols] == grammar.is_incomplete.tolist()
    spine = 1 if form.side == "left" else 2
    assert not grammar.is_incomplete[grammar.binary[:, 3 - spine]].any()
    assert grammar.is_incomplete[grammar.binary[:, spine]].any()
    assert not grammar.is_incomplete[grammar.unary].any()


def best_derivation(grammar: TreebankGrammar, words: Sequence[str]) -> Derivation | None:
    chart = GrammarChart(grammar.grammar)
    assert chart.follow([*grammar.lexical(words)])
    return chart.best()


@each("form", FORMS)
def test_a_tree_of_the_treebank_is_found_again(form: Binarization) -> None:
    counted = read_grammar(phrases(), form)
    for phrase in phrases():
        words = [leaf.word for leaf in phrase.leaves]
        derivation = best_derivation(counted, words)
        assert derivation is not None
        assert counted.phrase_of(derivation.nodes, words) == phrase


def test_chains_that_come_back_to_themselves_do_no_harm() -> None:
    text = "(ROOT (X (Y (X (A a)))))(ROOT (X (X (Y (A a)))))(ROOT (Y (X (Y (Y (A b))))))"
    counted = read_grammar([tree.phrase for tree in read_trees(io.StringIO(text))], Binarization())
    derivation = best_derivation(counted, ["a"])
    assert derivation is not None
    assert counted.phrase_of(derivation.nodes, ["a"]).leaves == (Leaf("A", "a"),)


def test_every_sentence_has_scores_over_its_tags_alone() -> None:
    counted = read_grammar(phrases(), Binarization())
    lexical = counted.lexical(["the", "Unheard-of", "dog"])
    tags = [counted.number_of[tag] for tag in counted.word_tags.tags]
    assert np.isfinite(lexical).any(axis=1).all()
    assert np.isneginf(np.delete(lexical, tags, axis=1)).all()


def test_roots_become_the_start_symbol_and_other_trees_get_one() -> None:
    leaf = Leaf("A", "a")
    s = Phrase("S", (leaf,))
    assert [with_root(Phrase(label, (leaf,)), "TOP").label for label in ("ROOT", "", "S1")] == ["TOP"] * 3
    assert with_root(s, "TOP") == Phrase("TOP", (s,))
    starts = [Phrase("TOP", (s,)), Phrase("", (s,)), s]
    assert [read_grammar([phrase], Binarization()).start for phrase in starts] == ["TOP", "ROOT", "ROOT"]


@each("form", FORMS)
def test_the_children_of_nodes_are_found(form: Binarization) -> None:
    rng = random.Random(9)
    for _ in range(30):
        nodes = [*binarized(random_phrase(rng, 9), form)]
        found = [*with_children(nodes)]
        assert [node for node, _ in found] == nodes[::-1]
        below = Counter(child for _, children in found for child in children)
        assert below == Counter(nodes[1:])
        for node, children in found:
            assert not children or (children[0].first, children[-1].last) == node[1:]
            assert len(children) < 2 or children[0].last + 1 == children[1].first


def test_there_is_no_grammar_without_trees_or_start() -> None:
    with pytest.raises(InputError, match="no trees to read a grammar off"):
        read_grammar([], Binarization())
    with pytest.raises(InputError, match="start symbol 'ROOT' has no rules"):
        TreebankGrammar(Binarization(), "ROOT", {("S", "A"): 1}, {("A", "a"): 1})
