"""Found trees by the rules of Universal Dependencies, which a grammar only weighs."""

from __future__ import annotations

from typing import Final

import numpy as np

from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored

KEPT: Final = np.float32(1000)  # for a label that was found: more than labels can differ in probability


def ruled_tree(model: Model, rescored: Rescored, fixed: Preference, situation: Situation, tree: Tree) -> Tree:
    """Return a tree with the fewest broken rules, and among these with the most labels of the given one.

    Other labels are the most probable ones; fixed words keep theirs, and punctuation crosses nothing.
    """
    heads, labels = np.array(tree.heads[1:], np.int32), np.array(tree.labels[1:], np.intp)
    inventory = model.inventory
    tags = np.array([inventory.tag_numbers[tag] for tag in situation.tags], np.intp)
    features = np.array([inventory.feature_numbers[one] for one in situation.features], np.intp)
    stay = {*fixed.fixed, *fixed.corrected_heads}
    is_free = np.array([word not in stay for word in range(1, len(tags) + 1)])
    model.attach_marks(heads, rescored.arc_logs, tags, is_free)
    nodes = np.arange(len(heads))
    logs = rescored.label_logs(heads.astype(np.intp), nodes + 1)
    is_later = heads == len(heads) + 1  # a grammar may call such a word the root
    logs[nodes, labels] = KEPT + np.where(is_later, 0, logs[nodes, labels])
    logs += fixed.wanted_labels(heads, inventory.label_numbers) if fixed != NO_PREFERENCE else 0
    ruled, _ = rescored.arcs.rules.labels(logs, heads, (tags, features), _no_tags)
    is_used = heads <= len(heads) + 1
    return Tree((0, *heads.tolist()), (0, *np.where(is_used, ruled, labels).tolist()))


def _no_tags() -> Array:
    return np.empty((0, 0), np.float32)
