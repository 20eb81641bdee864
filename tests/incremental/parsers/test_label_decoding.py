"""Labels by rules, judged by all labellings of small trees."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.kernels.labels import likeliest_labels
from treewhile.incremental.parsers.label_decoding import LabelRules, Tags
from treewhile.incremental.parsers.label_rules import Kind, LabelledTree, broken_rules
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.nodes import Nodes, Numbers
from treewhile.incremental.parsers.parsing import Model

FEATURES = ("_", "Polarity=Neg", "Poss=Yes", "Typo=Yes", "ExtPos=ADP", "Number=Sing")
SETS = (
    ("nsubj", "csubj:outer", "obj", "obl:agent", "cop", "punct"),
    ("nsubj:pass", "obl", "cop", "fixed", "goeswith", "advmod"),
    ("det", "acl", "advmod", "case", "punct", "nmod"),
    ("aux", "conj", "mark", "cc", "flat", "obl", "root"),
)
TAGS = ("NOUN", "ADV", "DET", "AUX", "X", "PUNCT", "PROPN", "ADP")


class Problem(NamedTuple):
    inventory: Inventory
    nodes: Nodes
    tree: Numbers
    logs: Array
    tags: Tags

    def kinds(self, tags: Sequence[int]) -> list[Kind]:
        """Tags, if these are the words', and features of all nodes."""
        named = zip(tags, self.tags[1], strict=True)
        of_words = [Kind(self.inventory.tags[tag], self.inventory.features[one]) for tag, one in named]
        return [*of_words, *map(Kind, self.nodes.stock)]

    def quality(self, labels: Sequence[int], tags: Sequence[int]) -> tuple[int, float]:
        """Broken rules, which are bad, and log-probabilities, of which those of unused nodes do not count."""
        heads = self.tree.tolist()
        named = [self.inventory.labels[label] for label in labels]
        broken = broken_rules(LabelledTree(self.nodes, self.kinds(tags), heads, named))
        used = [node for node, head in enumerate(heads) if head != self.nodes.unused]
        return -broken, sum(float(self.logs[node, labels[node]]) for node in used)


def inventory_of(labels: Sequence[str], stock: Sequence[str] = ("NOUN", "ADV")) -> Inventory:
    return Inventory(("a",), ("a",), TAGS, FEATURES, tuple(labels), tuple(stock), ())


def random_problem(source: random.Random, words: int, is_open: bool) -> Problem:
    inventory = inventory_of(source.choice(SETS))
    nodes = Nodes(words, inventory.stock if is_open else ())
    size, placed = words + len(nodes.stock), [0]
    tree = np.zeros(size, np.int32)
    for node in source.sample(range(1, size + 1), size):
        tree[node - 1] = source.choice(placed[-2:] + [nodes.later] * is_open)
        placed.append(node)
    for node in range(words + 1, size + 1):
        if node not in tree:
            tree[node - 1] = nodes.unused
    logs = np.array([[-source.randrange(9) for _ in inventory.labels] for _ in range(size)], np.float32)
    tags, features = ([source.randrange(len(of)) for _ in range(words)] for of in (TAGS, FEATURES))
    return Problem(inventory, nodes, tree, logs, (np.array(tags, np.intp), np.array(features, np.intp)))


def no_tags() -> Array:
    return np.empty((0, len(TAGS)), np.float32)


@pytest.mark.parametrize("is_open", [False, True])
def test_the_labels_are_the_best_of_all_labellings(is_open: bool) -> None:
    source = random.Random(5)
    for _ in range(40):
        problem = random_problem(source, source.randrange(1, 3 if is_open else 4), is_open)
        labels, tags = LabelRules.of(problem.inventory).labels(
            problem.logs, problem.tree, problem.tags, no_tags
        )
        every = product(range(len(problem.inventory.labels)), repeat=len(problem.tree))
        best = max(problem.quality(one, problem.tags[0].tolist()) for one in every)
        assert problem.quality(labels.tolist(), tags[0].tolist()) == best, problem
        assert tags[0].tolist() == problem.tags[0].tolist()


def test_the_likeliest_labels_are_taken_only_if_they_break_no_rule() -> None:
    source, kept = random.Random(6), 0
    for _ in range(500):
        problem = random_problem(source, source.randrange(1, 5), source.random() < 0.5)
        given = problem.logs, problem.nodes.t, problem.tree, *problem.tags
        labels, may_break = likeliest_labels(*given, tuple(LabelRules.of(problem.inventory)))
        assert labels.tolist() == problem.logs.argmax(1).tolist()
        if not may_break:
            kept += 1
            assert problem.quality(labels.tolist(), problem.tags[0].tolist())[0] == 0, problem
    assert kept > 25


def test_tags_are_chosen_with_labels_and_labels_are_the_best_under_these_tags() -> None:
    source, changed = random.Random(7), 0
    for _ in range(40):
        problem = random_problem(source, source.randrange(1, 5), False)
        tag_logs = np.array([[-source.randrange(9) for _ in TAGS] for _ in problem.tree], np.float32)
        likeliest = problem._replace(tags=(tag_logs.argmax(1), problem.tags[1]))
        rules = LabelRules.of(problem.inventory)
        labels, tags = rules.labels(
            likeliest.logs, likeliest.tree, likeliest.tags, lambda logs=tag_logs: logs
        )
        again, _ = rules.labels(likeliest.logs, likeliest.tree, tags, no_tags)
        assert likeliest.quality(labels.tolist(), tags[0].tolist()) == likeliest.quality(
            again.tolist(), tags[0].tolist()
        )
        changed += bool((tags[0] != likeliest.tags[0]).any())
    assert changed > 10


def test_the_second_best_tag_is_taken_if_the_label_is_surer_than_the_tag() -> None:
    inventory = inventory_of(["root", "advmod", "obl"])
    tree, logs = np.array([0, 1], np.int32), np.array([[0, -9, -9], [-9, 0, -5]], np.float32)
    tags = np.zeros(2, np.intp), np.zeros(2, np.intp)
    found = []
    for unsure in (-1, -7):
        tag_logs = np.full((2, len(TAGS)), -9, np.float32)
        tag_logs[:, 0], tag_logs[1, TAGS.index("ADV")] = 0, unsure
        labels, (chosen, _) = LabelRules.of(inventory).labels(logs, tree, tags, lambda logs=tag_logs: logs)
        found.append((inventory.labels[labels[1]], TAGS[chosen[1]]))
    assert found == [("advmod", "ADV"), ("obl", "NOUN")]


def test_models_of_other_treebanks_have_no_rules() -> None:
    logs, tree = np.array([[0, -2], [0, -1], [-1, 0]], np.float32), np.array([3, 3, 0], np.int32)
    tags = np.zeros(3, np.intp), np.zeros(3, np.intp)
    of_universal = inventory_of(["obj", "dep"])
    others = inventory_of(["obj", "OBJA"]), replace(of_universal, tags=("NN", *TAGS[1:]), stock=())
    found = [LabelRules.of(one).labels(logs, tree, tags, no_tags)[0] for one in (of_universal, *others)]
    assert [labels.tolist() for labels in found] == [[0, 1, 1], [0, 0, 1], [0, 0, 1]]


def test_parses_of_sentences_and_prefixes_break_no_rule_that_need_not_be(model: Model) -> None:
    growing, inventory, arcs = GrowingParse(model), model.inventory, model.network.arcs
    for word in ("the", "dog", "sees", "very", "old", "cat", "."):
        growing.append(word)
        for analysis, is_open in ((growing.best(), True), (model.parse(growing.words), False)):
            tree = labelled_tree(model, analysis, is_open)
            heads = np.array(tree.heads, np.int32)
            tags = np.array([inventory.tag_numbers[tag] for tag in analysis.tags])
            features = np.array([inventory.feature_numbers[one] for one in analysis.features])
            logs = arcs.barred_labels[(heads == 0).astype(np.intp)]
            labels, _ = arcs.rules.decode(logs, heads, (tags, features), no_tags())
            fewest = tree._replace(labels=[inventory.labels[label] for label in labels])
            assert broken_rules(tree) == broken_rules(fewest)


def labelled_tree(model: Model, analysis: Analysis, is_open: bool) -> LabelledTree:
    nodes = Nodes(len(analysis.words), model.inventory.stock if is_open else ())
    kinds = [*map(Kind, analysis.tags, analysis.features), *map(Kind, nodes.stock)]
    heads = [*map(nodes.number, analysis.heads), *[nodes.unused] * len(nodes.stock)]
    labels = [*analysis.labels, *["root"] * len(nodes.stock)]
    for one in analysis.expected:
        heads[nodes.number(one.node) - 1] = nodes.number(one.head)
        labels[nodes.number(one.node) - 1] = one.label
    return LabelledTree(nodes, kinds, heads, labels)
