"""The rules for labels, judged by UD's own validator on random trees.

`udtools` is under the GPL: tests may import it, the product may not.
"""

from __future__ import annotations

import random
from pathlib import Path

from udtools.validator import Validator

from treewhile.incremental.parsers.label_rules import RELATIONS, TAGS, Kind, LabelledTree, broken_rules
from treewhile.incremental.parsers.nodes import Nodes

LABELS = (*RELATIONS - {"root"}, "nsubj:outer", "csubj:outer", "nsubj:pass", "obl:agent", "aux:pass")
FEATURES = ("_", "_", "_", "Polarity=Neg", "Poss=Yes", "Typo=Yes", "ExtPos=ADP", "ExtPos=ADV", "ExtPos=PROPN")
VECTORS = Path(__file__).parents[2] / "vectors" / "rules" / "labels.conllu"
VALIDATOR = Validator(lang="ud", level=3, output=None)
# About the tree, and about which sibling of a part of a misspelt word is one, too.
NOT_OF_LABELS = {"punct-is-nonproj", "punct-causes-nonproj", "goeswith-gap"}


def random_tree(source: random.Random) -> LabelledTree:
    n = source.randrange(2, 5)
    heads, placed = [0] * n, [0]
    for node in source.sample(range(1, n + 1), n):
        heads[node - 1] = source.choice(placed[1:] or [0])
        placed.append(node)
    kinds = [Kind(source.choice(sorted(TAGS)), source.choice(FEATURES)) for _ in heads]
    labels = [source.choice(LABELS) if head else "root" for head in heads]
    return LabelledTree(Nodes(n), kinds, heads, labels)


def errors_in(tree: LabelledTree) -> set[str]:
    rows = [
        f"{node}\tw\t_\t{kind.tag}\t_\t{kind.features}\t{head}\t{label}\t_\t_"
        for node, (kind, head, label) in enumerate(zip(*tree[1:], strict=True), 1)
    ]
    text = " ".join(["w"] * len(rows))
    state = VALIDATOR.validate_sentence(["# sent_id = 1", f"# text = {text}", *rows, ""])
    return {found.testid for found in state.error_tracker if found.is_error()} - NOT_OF_LABELS


def test_a_tree_breaks_a_rule_if_and_only_if_the_validator_finds_an_error() -> None:
    source, valid = random.Random(8), 0
    for _ in range(1000):
        tree = random_tree(source)
        errors = errors_in(tree)
        if "goeswith" in tree.labels:  # an adverb that is in two pieces can have any tag
            assert not errors or broken_rules(tree), (tree, errors)
        else:
            assert bool(broken_rules(tree)) == bool(errors), (tree, errors)
        valid += not errors
    assert valid > 80


def test_vectors_that_the_page_is_held_to_have_the_same_verdicts() -> None:
    blocks = VECTORS.read_text().split("\n\n")[:-1]
    for block in blocks:
        told, *lines = block.splitlines()
        rows = [line.split("\t") for line in lines]
        kinds = [Kind(row[3], row[5]) for row in rows]
        heads, labels = [int(row[6]) for row in rows], [row[7] for row in rows]
        tree = LabelledTree(Nodes(len(rows)), kinds, heads, labels)
        assert told == f"# broken = {'yes' if broken_rules(tree) else 'no'}", block
    assert len(blocks) == 240
