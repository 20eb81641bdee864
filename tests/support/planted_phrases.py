"""Random trees of phrases, to be read, changed and parsed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from treewhile.oracles.constituents.phrase_trees import Constituent, Leaf, Phrase, constituents_of, tree_of

LABELS = ("S", "NP", "VP", "PP", "ADVP")
TAGS = ("DT", "NN", "VB", "IN", ".")
WORDS = ("the", "dog", "saw", "Ann", "in", "1990s", "over-fed", "-LRB-", ".")


def random_leaves(rng: random.Random, n: int) -> list[Leaf]:
    return [Leaf(rng.choice(TAGS), rng.choice(WORDS)) for _ in range(n)]


def random_phrase(rng: random.Random, n: int, root: str = "ROOT") -> Phrase:
    """A tree over n words whose phrases have one to four children, chains among them."""
    return Phrase(root, (_below(rng, random_leaves(rng, n), 2),))


def _below(rng: random.Random, leaves: Sequence[Leaf], chain: int) -> Phrase:
    """A phrase over these leaves, which may begin so many chains."""
    label = rng.choice(LABELS)
    if chain and rng.random() < 0.2:
        return Phrase(label, (_below(rng, leaves, chain - 1),))
    inner = sorted(rng.sample(range(1, len(leaves)), min(len(leaves) - 1, rng.randint(1, 3))))
    parts = [leaves[first:last] for first, last in pairwise([0, *inner, len(leaves)])]
    if len(parts) == 1:
        return Phrase(label, tuple(leaves))
    return Phrase(label, tuple(_child(rng, part) for part in parts))


def _child(rng: random.Random, leaves: Sequence[Leaf]) -> Phrase | Leaf:
    return leaves[0] if len(leaves) == 1 and rng.random() < 0.6 else _below(rng, leaves, 2)


def disturbed(rng: random.Random, phrase: Phrase, times: int) -> Phrase:
    """The tree with so many of its brackets under the root taken out, renamed, repeated or put elsewhere."""
    leaves = phrase.leaves
    root, *spans = constituents_of(phrase)
    for _ in range(times):
        old = spans.pop(rng.randrange(len(spans))) if spans else root._replace(label="X")
        first, last = sorted((rng.randint(1, len(leaves)), rng.randint(1, len(leaves))))
        label = rng.choice(LABELS)
        new = [
            [],
            [old._replace(label=label)],
            [old, old._replace(label=label)],
            [old, old],
            [Constituent(label, first, last)],
        ]
        spans.extend(span for span in rng.choice(new) if not any(_cross(span, other) for other in spans))
    return tree_of([root, *spans], leaves)


def _cross(one: Constituent, other: Constituent) -> bool:
    return one.first < other.first <= (one.last or 0) < (other.last or 0) or (
        other.first < one.first <= (other.last or 0) < (one.last or 0)
    )
