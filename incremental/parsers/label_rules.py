"""Rules of Universal Dependencies for labels, in its own words, and the number of rules that a tree breaks.

These are rules of its guidelines that hold for all languages and decide between labels, given tree and tags;
validators of treebanks call them level 3. A relation is a label without its subtype. A word that stands for
another part of speech has its tag in the feature ExtPos. When you edit the tables: `broken_rules`, which is
written to be read, judges the arrays that `label_decoding` makes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from treewhile.incremental.parsers.nodes import Nodes


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _sets(**rows: str) -> Mapping[str, frozenset[str]]:
    return {name: _set(row) for name, row in rows.items()}


TAGS: Final = _set("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")
RELATIONS: Final = _set(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum "
    "root vocative xcomp"
)

# Tags that words with a relation have, and tags that they do not have.
TAGS_OF: Final = _sets(
    advmod="ADV ADJ CCONJ DET PART SYM",
    aux="AUX",
    cop="AUX PRON DET SYM",
    det="DET PRON",
    expl="PRON DET PART",
    goeswith="X",
    nummod="NUM NOUN SYM",
    punct="PUNCT",
)
OTHER_TAGS_OF: Final = _sets(
    case="PROPN ADJ PRON DET NUM AUX",
    cc="NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ",
    fixed="PROPN",
    mark="NOUN PROPN ADJ PRON DET NUM AUX INTJ",
)

MARK: Final = "PUNCT"  # tag of punctuation

# Relations of words with a tag, and relations that words below a tag do not have.
RELATIONS_OF: Final = _sets(PUNCT="punct root")
OTHER_RELATIONS_BELOW: Final = _sets(PROPN="fixed")

# Relations whose head stands before.
TO_THE_RIGHT: Final = _set("appos conj fixed flat goeswith")

# Relations below function words and other leaves. Negation by an adverb is allowed below all but punctuation.
_BELOW_MARKS = "advmod obl goeswith fixed reparandum conj cc punct"
_BELOW_AUXILIARIES = "goeswith fixed reparandum conj cc punct"
BELOW: Final = _sets(
    aux=_BELOW_AUXILIARIES,
    case=_BELOW_MARKS,
    cc="goeswith fixed reparandum conj punct",
    clf=_BELOW_MARKS,
    cop=_BELOW_AUXILIARIES,
    det="det case advmod obl clf goeswith fixed flat compound reparandum discourse parataxis conj cc punct",
    fixed="goeswith reparandum conj punct",
    goeswith="",
    mark=_BELOW_MARKS,
    punct="punct",
)
NEGATING_TAGS: Final = _set("ADV PART")
BELOW_POSSESSIVES: Final = _set("acl appos nmod")  # determiners with Poss=Yes have these, too

# A head has one subject and one object; subjects of an outer clause do not count.
SUBJECTS: Final = _set("csubj nsubj")
OUTER_SUBJECTS: Final = _set("csubj:outer nsubj:outer")
OBJECTS: Final = _set("obj")

# A nominal with such a relation has no oblique, unless it is a predicate: it has a subject or a copula.
NOMINALS: Final = _set("dislocated expl iobj nmod nsubj obj obl vocative")
NOMINAL_TAGS: Final = _set("NOUN PRON PROPN")
OBLIQUES: Final = _set("obl")
SIGNS: Final = SUBJECTS | {"cop"}  # of predicates


def relation_of(label: str) -> str:
    return label.partition(":")[0]


def are_universal(tags: Collection[str], labels: Collection[str]) -> bool:
    """Return whether these are tags and labels of Universal Dependencies, to which the rules apply."""
    return {*tags} <= TAGS and {*map(relation_of, labels)} <= RELATIONS


class Kind(NamedTuple):
    """Tag and features of a node; virtual nodes have no features."""

    tag: str
    features: str = "_"

    def has(self, feature: str) -> bool:
        return feature in self.features.split("|")

    @property
    def outer_tag(self) -> str:
        """Tag of the part of speech that the word stands for."""
        values = (
            feature.removeprefix("ExtPos=") for feature in self.features.split("|") if "ExtPos=" in feature
        )
        return next(values, self.tag)

    @property
    def is_negation(self) -> bool:
        return self.tag in NEGATING_TAGS and self.has("Polarity=Neg")


class LabelledTree(NamedTuple):
    """Nodes with their kinds, heads as numbers, and labels, each [node - 1]."""

    nodes: Nodes
    kinds: Sequence[Kind]
    heads: Sequence[int]
    labels: Sequence[str]


def broken_rules(tree: LabelledTree) -> int:
    """Return the number of times that a rule is broken; unused virtual nodes break none."""
    used = [node for node, head in enumerate(tree.heads, 1) if head != tree.nodes.unused]
    alone = sum(_broken_alone(tree, node) for node in used)
    return alone + sum(_broken_below(tree, node, _children(tree, node)) for node in used)


def _children(tree: LabelledTree, head: int) -> list[int]:
    return [node for node, of_node in enumerate(tree.heads, 1) if of_node == head]


def _broken_alone(tree: LabelledTree, node: int) -> int:
    """Return the number of rules that a label breaks, given the tags and the place of the head."""
    kind, head, relation = tree.kinds[node - 1], tree.heads[node - 1], relation_of(tree.labels[node - 1])
    is_word = 0 < head <= len(tree.kinds)
    below = tree.kinds[head - 1].outer_tag if is_word else ""
    tag = kind.tag if relation == "goeswith" else kind.outer_tag
    broken = [
        tag not in TAGS_OF.get(relation, TAGS),
        tag in OTHER_TAGS_OF.get(relation, ()),
        relation not in RELATIONS_OF.get(tag, RELATIONS),
        relation in OTHER_RELATIONS_BELOW.get(below, ()),
        relation in TO_THE_RIGHT and node <= tree.nodes.t and node < head,
        relation == "goeswith" and not _goes_with(tree, node),
    ]
    return sum(broken)


def _goes_with(tree: LabelledTree, node: int) -> bool:
    """Return whether a node can be part of the misspelt word that its head begins, as all nodes between."""
    head = tree.heads[node - 1]
    if not 0 < head < node or not tree.kinds[head - 1].has("Typo=Yes"):
        return False
    parts = range(head + 1, node + 1)
    return all(tree.heads[part - 1] == head and tree.kinds[part - 1] == Kind("X") for part in parts)


def _broken_below(tree: LabelledTree, head: int, children: Sequence[int]) -> int:
    """Return the number of rules that the labels of a node's children break, given its own."""
    labels = [tree.labels[child - 1] for child in children]
    relations = [relation_of(label) for label in labels]
    subjects = [one for one in labels if relation_of(one) in SUBJECTS and one not in OUTER_SUBJECTS]
    objects = [one for one in relations if one in OBJECTS]
    obliques = 0
    if _is_nominal(tree, head) and not {*relations} & SIGNS:
        obliques = sum(relation in OBLIQUES for relation in relations)
    barred = sum(_is_barred(tree, head, child) for child in children)
    return max(len(subjects) - 1, 0) + max(len(objects) - 1, 0) + obliques + barred


def _is_nominal(tree: LabelledTree, node: int) -> bool:
    return tree.kinds[node - 1].tag in NOMINAL_TAGS and relation_of(tree.labels[node - 1]) in NOMINALS


def _is_barred(tree: LabelledTree, head: int, child: int) -> bool:
    above, below = relation_of(tree.labels[head - 1]), relation_of(tree.labels[child - 1])
    if above not in BELOW or below in BELOW[above]:
        return False
    if above == "det" and tree.kinds[head - 1].has("Poss=Yes") and below in BELOW_POSSESSIVES:
        return False
    return above == "punct" or below != "advmod" or not tree.kinds[child - 1].is_negation
