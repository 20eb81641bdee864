"""Lemmas of verbs with particles that stand apart: Dutch *bel* is *op_bellen* in *ik bel je op*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from treewhile.incremental.parsers.inventories import Inventory

JOINT: Final = "_"  # between the parts of a lemma
VERB, PARTICLE = "VERB", "compound:prt"
NO_PARTICLE: Final = ""


class Particles:
    """Particles that a treebank joins with verbs in their lemmas, given the lemmas seen with their tags."""

    def __init__(self, known: Mapping[str, frozenset[int]], inventory: Inventory) -> None:
        self._verb = inventory.tag_numbers.get(VERB, -1)
        self._label = inventory.label_numbers.get(PARTICLE, -1)
        parts = [lemma.partition(JOINT) for lemma, tags in known.items() if self._verb in tags]
        self._known = frozenset(particle for particle, _, verb in parts if particle and verb)

    @property
    def are_joined(self) -> bool:
        """True if the treebank joins particles with verbs."""
        return self._label >= 0 and bool(self._known)

    def joined(
        self,
        lemmas: Sequence[str],
        words: Sequence[str],
        tags: Sequence[int],
        heads: Sequence[int],
        labels: Sequence[int],
    ) -> tuple[str, ...]:
        """Return the lemmas of words in a tree, where verbs have no particles but their dependents."""
        particles: dict[int, str] = {}
        for word, head, label in zip(words, heads, labels, strict=False):  # behind words are virtual nodes
            if label == self._label:
                particles.setdefault(head, word.lower())
        return tuple(
            self._with(particles.get(place, NO_PARTICLE), lemma, word) if tag == self._verb else lemma
            for place, (lemma, word, tag) in enumerate(zip(lemmas, words, tags, strict=True), 1)
        )

    def _with(self, particle: str, lemma: str, word: str) -> str:
        """Return a verb's lemma with its particle; one that is in neither tree nor word is left out."""
        before, joint, verb = lemma.partition(JOINT)
        if joint and (before == particle or word.lower().startswith(before.lower())):
            return lemma
        bare = verb or lemma
        return particle + JOINT + bare if particle in self._known else bare
