"""Labels of a decoded tree: those that break the fewest rules, and the most probable ones among these.

Best labels by themselves are taken if they break no rule. Else a chart is filled from the leaves up. With
p(v, l) the log-probability of label l of node v, less a cost for every rule that the label breaks by itself:

    total(v, l)    = p(v, l) + best over states s of sum(v, rank of l at v, s)
    best(u, r, g)  = best total(u, l) over labels l of group g, less the cost if rank r bars l from children
    sum(v, r, s')  = best over s, g with s' = s + g of sum before child u (v, r, s) + best(u, r, g)

A rank is a set of labels that are barred below a head, a state is what a head has so far (a subject, an
object, a sign that it is a predicate), and a group is what a label adds; a second subject or object costs. A
nominal's rank bars obliques, but a nominal with a sign of a predicate bars nothing. Time O(n L ranks).

Rules are broken as often by a wrong tag as by a wrong label. So a first chart chooses tags with the labels:
p(v, l) is then the best sum over tags of both log-probabilities and costs. Features, and what the tag of a
head or of a negation allows, are those of the likeliest tags there; so the labels are chosen again, under the
new tags.

Models of other treebanks than those of Universal Dependencies have no rules, and the root and a head that is
still to come have none for their children. Where all labels break some rules, the fewest are broken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.kernels.labels import (
    IS_NOMINAL,
    IS_PART,
    IS_POSSESSIVE,
    IS_TYPO,
    NEGATES,
    OfLabel,
    decode_labels,
    likeliest_labels,
)
from treewhile.incremental.parsers.label_rules import (
    BELOW,
    BELOW_POSSESSIVES,
    NEGATING_TAGS,
    NOMINAL_TAGS,
    NOMINALS,
    OBJECTS,
    OBLIQUES,
    OTHER_RELATIONS_BELOW,
    OTHER_TAGS_OF,
    OUTER_SUBJECTS,
    RELATIONS,
    RELATIONS_OF,
    SIGNS,
    SUBJECTS,
    TAGS,
    TAGS_OF,
    TO_THE_RIGHT,
    Kind,
    are_universal,
    relation_of,
)
from treewhile.incremental.parsers.layers import Array, Rows
from treewhile.incremental.parsers.nodes import Numbers

Truths: TypeAlias = npt.NDArray[np.int8]
Tags: TypeAlias = tuple[Rows, Rows]  # numbers of the tags and of the features of words


class LabelRules(NamedTuple):
    """The rules as arrays for the numbers of an inventory; without rows if its treebank has other rules."""

    own: Truths  # [tag, label]: number of rules that a label breaks at a word with the tag
    below: Truths  # [tag of the head, label]
    barred: Truths  # [is a negation, rank of the head, label]
    of_label: Rows  # [label, OfLabel]
    kind_of_tag: Rows
    kind_of_features: Rows  # the last row is for virtual nodes, which have none
    outer_tags: Rows  # [features]: number of the tag in ExtPos, or -1
    stock: Rows  # tags of virtual nodes

    @classmethod
    def of(cls, inventory: Inventory) -> LabelRules:
        """Return the rules for the tags and labels of an inventory."""
        tags, labels, numbers = inventory.tags, inventory.labels, inventory.tag_numbers
        is_universal = are_universal(tags, labels)
        relations = [*map(relation_of, labels)]
        kinds = [Kind("", features) for features in (*inventory.features, "_")]
        return cls(
            _truths([[_broken(tag, one) for one in relations] for tag in tags])[: len(tags) * is_universal],
            _truths([[one in OTHER_RELATIONS_BELOW.get(tag, ()) for one in relations] for tag in tags]),
            _barred(relations),
            np.array([_of_label(label) for label in labels], np.intp),
            np.array([*map(_kind_of_tag, tags)], np.intp),
            np.array([*map(_kind_of_features, kinds)], np.intp),
            np.array([numbers.get(kind.outer_tag, -1) for kind in kinds], np.intp),
            np.array([numbers[tag] for tag in inventory.stock], np.intp),
        )

    def labels(
        self, logs: Array, tree: Numbers, tags: Tags, tag_logs: Callable[[], Array]
    ) -> tuple[Rows, Tags]:
        """Return the labels of nodes by logs[node - 1, label], and tags and features of words, by the rules.

        tag_logs()[word, tag] are log-probabilities, without rows if tags may not change; they are asked for
        only if the likeliest labels break a rule.
        """
        labels, may_break = likeliest_labels(logs, len(tags[0]), tree, *tags, tuple(self))
        return self.decode(logs, tree, tags, tag_logs()) if may_break else (labels, tags)

    def decode(self, logs: Array, tree: Numbers, tags: Tags, tag_logs: Array) -> tuple[Rows, Tags]:
        """Return the same as `labels`, by charts."""
        labels, chosen = decode_labels(logs, len(tags[0]), tree, *tags, tuple(self), tag_logs)
        return labels, (chosen, tags[1])


def _truths(rows: Sequence[Sequence[int]]) -> Truths:
    return np.array(rows, np.int8)


def _broken(tag: str, relation: str) -> int:
    """Return the number of rules that a relation breaks at a word with a tag."""
    fits = tag in TAGS_OF.get(relation, TAGS), relation in RELATIONS_OF.get(tag, RELATIONS)
    return fits.count(False) + (tag in OTHER_TAGS_OF.get(relation, ()))


# Relations below heads of each rank but the last, which is that of nominals.
RANKS: Final = (RELATIONS, BELOW_POSSESSIVES | BELOW["det"], *dict.fromkeys(BELOW.values()))


def _barred(relations: Sequence[str]) -> Truths:
    rows = [[one not in rank for one in relations] for rank in RANKS]
    rows.append([one in OBLIQUES for one in relations])
    negated = [
        [barred and one != "advmod" for barred, one in zip(row, relations, strict=True)] for row in rows
    ]
    negated[RANKS.index(BELOW["punct"])] = rows[RANKS.index(BELOW["punct"])]
    return np.array([rows, negated], np.int8)


def _of_label(label: str) -> list[int]:
    """Return the row of a label in the table of labels."""
    relation = relation_of(label)
    rank = RANKS.index(BELOW.get(relation, RELATIONS))
    groups = {**dict.fromkeys(SIGNS, 3), **dict.fromkeys(SUBJECTS, 1), **dict.fromkeys(OBJECTS, 2)}
    of_nominal = len(RANKS) if relation in NOMINALS else rank
    row = {
        OfLabel.GROUP: 3 if label in OUTER_SUBJECTS else groups.get(relation, 0),
        OfLabel.GOES_RIGHT: relation in TO_THE_RIGHT,
        OfLabel.GOES_WITH: relation == "goeswith",
        OfLabel.RANK: rank,
        OfLabel.RANK_OF_POSSESSIVE: 1 if relation == "det" else rank,
        OfLabel.RANK_OF_NOMINAL: of_nominal,
        OfLabel.RANK_OF_POSSESSIVE_NOMINAL: 1 if relation == "det" else of_nominal,
    }
    return [int(row[column]) for column in OfLabel]


def _kind_of_tag(tag: str) -> int:
    bits = NEGATES * (tag in NEGATING_TAGS) | IS_NOMINAL * (tag in NOMINAL_TAGS) | IS_PART * (tag == "X")
    return bits | IS_POSSESSIVE | IS_TYPO


def _kind_of_features(kind: Kind) -> int:
    bits = NEGATES * kind.has("Polarity=Neg") | IS_POSSESSIVE * kind.has("Poss=Yes")
    return bits | IS_TYPO * kind.has("Typo=Yes") | IS_PART * (kind.features == "_") | IS_NOMINAL
