from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, LONGEST_SPELLING
from treewhile.incremental.parsers.kernels.lemmas import best_classes
from treewhile.incremental.parsers.layers import Array, Products
from treewhile.incremental.parsers.lemma_layers import (
    LemmaClasses,
    LemmaLayers,
    LemmaShape,
    lemma_shapes,
)
from treewhile.incremental.parsers.lemma_rules import rule_classes
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits

STATE, SHAPE = 4, LemmaShape(2, 3)
RULES = rule_classes(
    [("cats", "cats"), ("cats", "cat"), ("cakes", "cak"), ("went", "go"), ("Cats", "Cat")] * 2
)
NOUN, VERB = 0, 1
KNOWN = {"cat": frozenset({NOUN}), "go": frozenset({VERB}), "cak": frozenset({NOUN, VERB})}


def layers(model: Model, scores: list[float], known: dict[str, frozenset[int]]) -> LemmaLayers:
    """Return layers that give each rule the same score in all states."""
    characters = len(model.inventory.characters) + len(CHARACTER_CLASSES)
    shapes = lemma_shapes(STATE, SHAPE, characters, len(RULES))
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    arrays["lemmas.output.bias"] += np.array(scores, np.float32)
    return LemmaLayers(arrays, LemmaClasses(RULES, (), {("ox", NOUN): "oxen"}, known), model.inventory)


def states(words: list[str]) -> Array:
    return np.zeros((len(words), STATE), np.float32)


def best_of_all(scores: list[float], known: dict[str, frozenset[int]], word: str, tag: int) -> str:
    sums = {
        one.lemma(word): score + 2 * (one.lemma(word) in known) + 2 * (tag in known.get(one.lemma(word), ()))
        for one, score in zip(RULES, scores, strict=True)
        if one.lemma(word)
    }
    return max(sums, key=lambda lemma: sums[lemma]) if sums else word


SCORES = st.permutations([0.0, 1.5, 3.0, 4.5, 7.0])


@given(SCORES, st.lists(st.sampled_from(["cats", "cakes", "Cats", "went", "dogs", "o" * 80]), min_size=1))
def test_seen_lemmas_are_preferred(model: Model, scores: list[float], words: list[str]) -> None:
    tags = [number % 2 for number in range(len(words))]
    found = layers(model, scores, KNOWN)
    for _ in range(2):  # at first, and from the cache
        expected = [best_of_all(scores, KNOWN, *pair) for pair in zip(words, tags, strict=True)]
        assert [*found.of(states(words), words, tags).lemmas] == expected


def test_contexts_decide_between_lemmas_that_were_seen(model: Model) -> None:
    one, other = [0.0] * 5, [0.0] * 5
    one[0], other[1] = 3.0, 3.0
    words, tags = ["cats"], [NOUN]
    for scores in (one, other):
        found = layers(model, scores, {"cats": frozenset({NOUN}), **KNOWN})
        assert found.of(states(words), words, tags).lemmas == (RULES[scores.index(3.0)].lemma("cats"),)


def test_exceptions_come_first(model: Model) -> None:
    found = layers(model, [0.0] * 5, {})
    assert found.of(states(["Ox", "ox"]), ["Ox", "ox"], [NOUN, VERB]).lemmas == ("oxen", "ox")


@pytest.mark.parametrize("length", [LONGEST_SPELLING + 1, 100_000])
def test_words_of_any_length_have_a_lemma(model: Model, length: int) -> None:
    word = "a" * length + "s"
    assert layers(model, [0.0] * 5, KNOWN).of(states([word]), [word], [NOUN]).lemmas[0] in (word, word[:-1])


def test_lemmas_joined_of_parts_that_were_seen_are_preferred(model: Model) -> None:
    rules = rule_classes([("stadhuis", "stadhuis"), ("stadhuis", "stad_huis")] * 2)
    known = {lemma: frozenset({NOUN}) for lemma in ("stad", "poort_huis")}
    characters = len(model.inventory.characters) + len(CHARACTER_CLASSES)
    shapes = lemma_shapes(STATE, SHAPE, characters, len(rules))
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    arrays["lemmas.output.bias"] += np.array(
        [2.0 * (one.lemma("stadhuis") == "stadhuis") for one in rules], np.float32
    )
    found = LemmaLayers(arrays, LemmaClasses(rules, (), {}, known), model.inventory)
    words = ["stadhuis", "stofhuis"]
    assert found.of(states(words), words, [NOUN, NOUN]).lemmas == ("stad_huis", "stofhuis")


@pytest.mark.parametrize("xpos", [0, 1, 70])
def test_best_classes_have_the_highest_scores(xpos: int) -> None:
    generator, rules = np.random.default_rng(xpos), 50
    inputs, of_letters = (generator.standard_normal((9, size)).astype(np.float32) for size in (STATE, 20))
    first, second = (
        Products(*in_eight_bits(generator.standard_normal(shape).astype(np.float32)))
        for shape in ((20, STATE), (rules + xpos, 20))
    )
    sums = first(inputs) + of_letters
    expected = second(np.maximum(sums, np.float32(SLOPE) * sums))
    scores, of_rules, of_xpos = best_classes(first.layer, second.layer, inputs, of_letters, rules)
    assert np.array_equal(second.counted(scores), expected)
    assert np.array_equal(of_rules, expected[:, :rules].argmax(1))
    assert not xpos or np.array_equal(of_xpos, expected[:, rules:].argmax(1))
