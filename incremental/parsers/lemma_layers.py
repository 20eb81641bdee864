"""Layers from the bidirectional states and the letters of words to classes of lemma rules and of XPOS.

The letters are the first and the last ones of the form, each with a vector of its own: the states of the
network know tags well, but not how words end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import LONGEST_SPELLING, Inventory
from treewhile.incremental.parsers.kernels.lemmas import best_classes
from treewhile.incremental.parsers.label_decoding import Tags
from treewhile.incremental.parsers.layers import Array, Products, Rows, linear
from treewhile.incremental.parsers.lemma_rules import RuleClass, RuleIndex
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.particles import JOINT, Particles
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits
from treewhile.incremental.parsers.surroundings import Around

LEMMAS: Final = "lemmas"  # part of a model with these layers; prefix of the names of their arrays
FIRST, LAST = 3, 10  # number of letters of either end
FORMS_KEPT: Final = 1 << 12  # number of forms whose contributions are cached
LEMMAS_KEPT: Final = 1 << 13

# Added to the score of a rule that gives a lemma that was seen, and again, if it was with this UPOS; both, if
# the lemma is joined of parts that were seen.
KNOWN: Final = 2.0


class LemmaShape(NamedTuple):
    """Widths of the layers."""

    letter: int = 20
    units: int = 128


class LemmaClasses(NamedTuple):
    """Classes of outputs: rules, then XPOS; exceptions to rules, by lower-cased form and number of UPOS.

    `known` has the lemmas that were seen, with the numbers of their UPOS.
    """

    rules: tuple[RuleClass, ...]
    xpos: tuple[str, ...]  # empty if the treebank has none
    exceptions: Mapping[tuple[str, int], str]
    known: Mapping[str, frozenset[int]]


class Choices(NamedTuple):
    """Lemmas of a word by the classes that apply to it, with what is added to the scores of these."""

    numbers: npt.NDArray[np.intp]
    lemmas: tuple[str, ...]
    bonuses: Array

    def best(self, scores: Array) -> str:
        """Return the lemma by the class with the highest sum of score and bonus; "" if none applies."""
        return self.lemmas[(scores[self.numbers] + self.bonuses).argmax()] if self.lemmas else ""


class LabelledHeads(NamedTuple):
    """Heads and numbers of labels of a tree's nodes, of which the words come first."""

    heads: Numbers
    labels: Rows


class Lemmas(NamedTuple):
    """Lemmas and XPOS of the words of a sentence; no XPOS if the treebank had none."""

    lemmas: tuple[str, ...]
    xpos: tuple[str, ...]


NO_LEMMAS: Final = Lemmas((), ())


def lemma_shapes(state: int, shape: LemmaShape, characters: int, outputs: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array by its name, for states with so many units."""
    inputs = 2 * state + (FIRST + LAST) * shape.letter
    return {
        f"{LEMMAS}.letters.weight": (characters, shape.letter),
        f"{LEMMAS}.hidden.weight": (shape.units, inputs),
        f"{LEMMAS}.hidden.bias": (shape.units,),
        f"{LEMMAS}.output.weight": (outputs, shape.units),
        f"{LEMMAS}.output.bias": (outputs,),
    }


def letters_of(form: str, inventory: Inventory) -> list[int]:
    """Return the numbers of the letters at both ends of a form, filled up with those of its bounds."""
    start, *inner, end = inventory.code(form).characters
    return ([*inner, *[end] * FIRST])[:FIRST] + ([start] * LAST + inner)[-LAST:]


class LemmaLayers:
    """Layers that predict lemmas and XPOS."""

    def __init__(self, arrays: Mapping[str, Array], classes: LemmaClasses, inventory: Inventory) -> None:
        self.classes = classes
        self._inventory = inventory
        self._letters = arrays[f"{LEMMAS}.letters.weight"]
        weight, scale = in_eight_bits(arrays[f"{LEMMAS}.hidden.weight"])
        states = weight.shape[1] - (FIRST + LAST) * self._letters.shape[1]
        of_states = Products(weight[:, :states], scale)
        self._of_letters = Products(weight[:, states:], scale, arrays[f"{LEMMAS}.hidden.bias"])
        self._of_classes = of_states.layer, linear(arrays, f"{LEMMAS}.output").layer
        self._index = RuleIndex(classes.rules)
        self._particles = Particles(classes.known, inventory)
        self._parts = frozenset(chain.from_iterable(lemma.split(JOINT) for lemma in classes.known))
        self._kept: dict[str, Array] = {}
        # by word, tag and best class; "" where these alone do not decide
        self._lemmas: dict[tuple[str, int, int], str] = {}
        self._choices: dict[tuple[str, int], Choices] = {}

    def of_sequences(
        self,
        around: Around,
        words: Mapping[int, Sequence[str]],
        tags: Mapping[int, Tags],
        trees: Mapping[int, LabelledHeads],
    ) -> list[Lemmas]:
        """Return the lemmas of the sequences with these numbers, words, tags and trees."""
        bounds = [*pairwise(accumulate((around.lengths + 1).tolist(), initial=0))]
        states = [around.early[bounds[number][0] + 1 : bounds[number][1]] for number in words]
        joined = states[0] if len(states) == 1 else np.concatenate(states)
        in_tags = [*chain.from_iterable(tags[number][0].tolist() for number in words)]
        lemmas, xpos = self.of(joined, [*chain.from_iterable(words.values())], in_tags)
        places = pairwise(accumulate(map(len, states), initial=0))
        return [
            Lemmas(self._in_tree(lemmas[start:end], words[one], tags[one], trees[one]), xpos[start:end])
            for one, (start, end) in zip(words, places, strict=True)
        ]

    def _in_tree(
        self, lemmas: tuple[str, ...], words: Sequence[str], tags: Tags, tree: LabelledHeads
    ) -> tuple[str, ...]:
        if not self._particles.are_joined:
            return lemmas
        return self._particles.joined(
            lemmas, words, tags[0].tolist(), tree.heads.tolist(), tree.labels.tolist()
        )

    def of(self, states: Array, words: Sequence[str], tags: Sequence[int]) -> Lemmas:
        """Return the lemmas and XPOS of words with these states and numbers of tags."""
        letters, (rules, xpos, *_) = self._contributions(words), self.classes
        scores, of_rules, of_xpos = best_classes(*self._of_classes, states, letters, len(rules))
        best = [*zip(words, tags, of_rules.tolist(), strict=True)]
        lemmas = [
            lemma or self._lemma_by(scores[row], one, lemma)
            for row, (one, lemma) in enumerate(zip(best, map(self._lemmas.get, best), strict=True))
        ]
        return Lemmas(tuple(lemmas), tuple(map(xpos.__getitem__, of_xpos.tolist())) if xpos else ())

    def _lemma_by(self, scores: Array, best: tuple[str, int, int], cached: str | None) -> str:
        """Return the lemma of a word by its scores, tag and best class, and cache what these alone decide."""
        word, tag, _ = best
        lemma = self._new_lemma(best) if cached is None else cached
        return lemma or self._choices_of(word, tag).best(scores) or word

    def _new_lemma(self, best: tuple[str, int, int]) -> str:
        """Return the lemma that word, tag and best class alone decide, or "", and cache it."""
        lemma = self._decided(*best)
        if len(best[0]) <= LONGEST_SPELLING:
            if len(self._lemmas) >= LEMMAS_KEPT:
                self._lemmas = {}
            self._lemmas[best] = lemma
        return lemma

    def _decided(self, word: str, tag: int, number: int) -> str:
        """Return an exception, or the lemma by the best class if no other class can outdo it; else ""."""
        if exception := self.classes.exceptions.get((word.lower(), tag)):
            return exception
        lemma = self.classes.rules[number].lemma(word)
        bonus = self._bonus(lemma, tag)
        outdone = not lemma or (bonus < 2 * KNOWN and bonus < self._choices_of(word, tag).bonuses.max())
        return "" if outdone else lemma

    def _bonus(self, lemma: str, tag: int) -> float:
        tags = self.classes.known.get(lemma)
        if tags is not None:
            return KNOWN + KNOWN * (tag in tags)
        return 2 * KNOWN * (JOINT in lemma and self._parts.issuperset(lemma.split(JOINT)))

    def _choices_of(self, word: str, tag: int) -> Choices:
        found = self._choices.get((word, tag))
        if found is None:
            lemmas = self._index.lemmas(word)
            bonuses = np.array([self._bonus(lemma, tag) for lemma in lemmas.values()], np.float32)
            found = Choices(np.array([*lemmas], np.intp), tuple(lemmas.values()), bonuses)
            if len(word) <= LONGEST_SPELLING:
                if len(self._choices) >= FORMS_KEPT:
                    self._choices = {}
                self._choices[word, tag] = found
        return found

    def _contributions(self, words: Sequence[str]) -> Array:
        """Return [word, unit]: contributions of letters to the sums of the hidden layer."""
        kept = self._kept
        if not all(map(kept.__contains__, words)):
            return self._new_contributions(words)
        return np.array([*map(kept.__getitem__, words)])

    def _new_contributions(self, words: Sequence[str]) -> Array:
        """Return the contributions of words of which some are not cached, and cache those of usual length."""
        kept = {word: self._kept[word] for word in {*words} if word in self._kept}
        new = [*{*words} - {*kept}]
        letters = np.array([letters_of(word, self._inventory) for word in new], np.intp)
        inputs = self._letters[letters].reshape(-1, (FIRST + LAST) * self._letters.shape[1])
        found = dict(zip(new, self._of_letters(inputs), strict=True))
        if len(self._kept) + len(new) > FORMS_KEPT:
            self._kept = kept.copy()
        self._kept |= {word: row for word, row in found.items() if len(word) <= LONGEST_SPELLING}
        return np.array([kept[word] if word in kept else found[word] for word in words])
