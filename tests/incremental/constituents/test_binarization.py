from __future__ import annotations

import os
import random
from functools import reduce
from itertools import cycle, pairwise, product
from pathlib import Path
from typing import get_args

import pytest
from cases import each
from planted_phrases import random_phrase

from treewhile.incremental.constituents.binarization import (
    Binarization,
    NamedNode,
    binarized,
    is_incomplete,
    unbinarized,
)
from treewhile.incremental.constituents.bracketed_trees import read_trees
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
GUM = DATA / "gum" / "gum-train.ptb"

FORMS = [
    Binarization(side, markov, parents, chains)
    for side, markov, parents, chains in product(
        get_args(Side), (0, 1, 2, None), (False, True), (False, True)
    )
]
NP = Phrase("NP", tuple(Leaf(tag, tag.lower()) for tag in ("DT", "JJ", "NN", "NNS")))
TREE = Phrase("ROOT", (Phrase("S", (Phrase("VP", (NP, Leaf("VB", "go"))),)),))


def words(phrase: Phrase) -> list[str]:
    return [leaf.word for leaf in phrase.leaves]


def names(phrase: Phrase, *form: object) -> list[str]:
    return [node.name for node in binarized(phrase, Binarization(*form))]  # type: ignore[arg-type]


@each("form", FORMS)
def test_binary_trees_become_what_they_were(form: Binarization) -> None:
    rng = random.Random(3)
    for _ in range(60):
        phrase = random_phrase(rng, rng.randint(1, 14))
        assert unbinarized([*binarized(phrase, form)], words(phrase)) == phrase


@each("form", FORMS)
def test_nodes_have_two_children_at_most_and_incomplete_ones_stand_on_their_side(form: Binarization) -> None:
    rng = random.Random(4)
    for _ in range(30):
        nodes = [*binarized(random_phrase(rng, 12), form)]
        for parent, node in pairwise(nodes):
            children = children_of(parent, nodes)
            assert len(children) <= 2
            spine = children[0 if form.side == "left" else -1] if children else node
            assert all(child is spine for child in children if is_incomplete(child.name))


def children_of(parent: NamedNode, nodes: list[NamedNode]) -> list[NamedNode]:
    children: list[NamedNode] = []
    for node in nodes[nodes.index(parent) + 1 :]:
        if node.first > parent.last or len(children) == 2:
            break
        if not children or node.first > children[-1].last:
            children.append(node)
    return children


def test_incomplete_symbols_name_the_children_next_to_the_one_beside_them() -> None:
    assert names(NP, "right", 2) == ["NP", "DT", "@NP:JJ_NN", "JJ", "@NP:NN_NNS", "NN", "NNS"]
    assert names(NP, "right", 1) == ["NP", "DT", "@NP:JJ", "JJ", "@NP:NN", "NN", "NNS"]
    assert names(NP, "right", 0) == ["NP", "DT", "@NP", "JJ", "@NP", "NN", "NNS"]
    assert names(NP, "right", None) == ["NP", "DT", "@NP:JJ_NN_NNS", "JJ", "@NP:NN_NNS", "NN", "NNS"]
    assert names(NP, "left", 2) == ["NP", "@NP:JJ_NN", "@NP:DT_JJ", "DT", "JJ", "NN", "NNS"]
    assert names(NP, "left", 1) == ["NP", "@NP:NN", "@NP:JJ", "DT", "JJ", "NN", "NNS"]


def test_parents_and_chains_are_in_the_names_on_request() -> None:
    np = ["DT", "@NP^VP", "JJ", "@NP^VP", "NN", "NNS"]
    assert names(TREE, "right", 0, True, True) == ["ROOT", "S+VP^ROOT", "NP^VP", *np, "VB"]
    assert names(TREE, "right", 0, True)[:4] == ["ROOT", "S^ROOT", "VP^S", "NP^VP"]


@each("form", FORMS)
def test_no_label_clashes_with_the_notation(form: Binarization) -> None:
    odd = ["@NP", "A+B", "A^B", "A_B", "A:B", "50%", "%40", ":", ""]
    leaves = tuple(Leaf(tag or "_", "w") for tag in odd)
    phrase = Phrase(
        "ROOT", (reduce(lambda tree, label: Phrase(label, (tree, *leaves)), odd, Phrase("@", leaves)),)
    )
    nodes = [*binarized(phrase, form)]
    assert unbinarized(nodes, words(phrase)) == phrase
    assert not is_incomplete(nodes[1].name)


@pytest.mark.skipif(not GUM.exists(), reason="needs GUM's trees")
@pytest.mark.slow
def test_all_trees_of_gum_come_back() -> None:
    for tree, form in zip(read_trees(GUM), cycle(FORMS)):
        assert unbinarized([*binarized(tree.phrase, form)], words(tree.phrase)) == tree.phrase


def test_deep_and_wide_trees_need_no_stack_of_calls() -> None:
    wide = Phrase("NP", tuple(Leaf("NN", str(number)) for number in range(3000)))
    deep = reduce(lambda tree, _: Phrase("S", (tree,)), range(5000), wide)
    for form in FORMS[:2]:
        assert unbinarized([*binarized(deep, form)], words(deep)) == deep
