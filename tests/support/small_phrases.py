"""Small trees of phrases, of a language in which they are easily found."""

from __future__ import annotations

import random
from collections.abc import Iterator

from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

NOUNS = ("dog", "cat", "lom", "virn")
VERBS = ("sees", "barks", "halet")


def small_trees(count: int, seed: int) -> list[Phrase]:
    """Trees like (ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NN cat))) (. .)))."""
    rng = random.Random(seed)
    return [Phrase("ROOT", (Phrase("S", tuple(_clause(rng))),)) for _ in range(count)]


def _clause(rng: random.Random) -> Iterator[Phrase | Leaf]:
    yield _noun_phrase(rng)
    verb = Leaf("VBZ", rng.choice(VERBS))
    yield Phrase("VP", (verb, _noun_phrase(rng)) if rng.random() < 0.7 else (verb,))
    yield Leaf(".", ".")


def _noun_phrase(rng: random.Random) -> Phrase:
    noun = Leaf("NN", rng.choice(NOUNS))
    return Phrase("NP", (Leaf("DT", "the"), noun) if rng.random() < 0.6 else (noun,))
