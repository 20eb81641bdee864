from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from cases import each

from treewhile.incremental.constituents.sequence_taggers import SequenceTagger, columns_of, states_of
from treewhile.incremental.constituents.tagger_features import FOR_TAGS, FeatureTexts, Templates, WordAtoms

WORDS = ("the", "dog", "Re-sees", "4", "the")
TEMPLATES = Templates(FOR_TAGS)


def random_tagger(seed: int, tags: int, order: int, is_conditioned: bool) -> SequenceTagger:
    """A tagger that knows every second feature of WORDS, with small whole weights."""
    rng = np.random.default_rng(seed)
    texts = FeatureTexts([WORDS], frozenset({"the"}))
    keys = TEMPLATES.keys(WordAtoms({"the"}).of(WORDS))
    names = sorted({texts.name(*place) for place in places(keys)})[::2]
    width, states = columns_of(tags, is_conditioned), states_of(tags, order)
    columns = np.tile(np.arange(width, dtype=np.int32), len(names))
    weights = rng.integers(-3, 4, columns.size).astype(np.float32)
    transitions = np.full((states, states), -np.inf)
    for before, tag in product(range(states), range(tags)):
        state = before % tags * tags + tag if order == 2 else tag
        transitions[before, state] = rng.integers(-3, 4) if order else 0
    starts = np.arange(len(names) + 1, dtype=np.int32) * width
    labels = tuple("ABC"[:tags])
    return SequenceTagger(
        labels, order, TEMPLATES, is_conditioned, tuple(names), starts, columns, weights, transitions
    )


def places(keys: npt.NDArray[np.uint64]) -> list[tuple[int, tuple[object, ...]]]:
    return [(int(i), TEMPLATES.templates[t]) for i, t in zip(*np.nonzero(keys), strict=True)]


def score_by_definition(tagger: SequenceTagger, tags: tuple[int, ...]) -> float:
    """The sum over all features by their names, and over all transitions."""
    texts = FeatureTexts([WORDS], frozenset({"the"}))
    number = {name: place for place, name in enumerate(tagger.names)}
    keys = TEMPLATES.keys(WordAtoms({"the"}).of(WORDS))
    count, total, state = len(tagger.tags), 0.0, 0
    for word, tag in enumerate(tags):
        after = state % count * count + tag if tagger.order == 2 else tag
        total += tagger.transitions[state, after]
        for place, template in places(keys):
            feature = number.get(texts.name(place, template))
            if place == word and feature is not None:
                row = tagger.weights[tagger.starts[feature] : tagger.starts[feature + 1]]
                total += row[tag]
                if tagger.is_conditioned:
                    total += row[count + state % count * count + tag]
        state = after
    return total


@each("order, is_conditioned", [(0, False), (1, False), (1, True), (2, True)])
@each("fixed", [(-1, -1, -1, -1, -1), (1, -1, -1, 0, -1)])
def test_best_tags_and_sums_are_those_over_all_sequences(
    order: int, is_conditioned: bool, fixed: tuple[int, ...]
) -> None:
    tagger = random_tagger(order + 10 * is_conditioned, 2, order, is_conditioned)
    keys, told = TEMPLATES.keys(WordAtoms({"the"}).of(WORDS)), np.array(fixed, np.int32)
    scores = {
        tags: score_by_definition(tagger, tags)
        for tags in product(range(2), repeat=len(WORDS))
        if all(wanted in (-1, tag) for wanted, tag in zip(fixed, tags, strict=True))
    }
    best = tuple(tagger.best_tags(keys, told).tolist())
    assert scores[best] == pytest.approx(max(scores.values()))
    sums = tagger.log_sums(keys, told)
    for word, tag in product(range(len(WORDS)), range(2)):
        having = [score for tags, score in scores.items() if tags[word] == tag]
        expected = np.logaddexp.reduce(having) if having else -np.inf
        assert sums[word, tag] == pytest.approx(expected)


def test_a_sentence_without_words_has_no_tags() -> None:
    tagger, keys = random_tagger(1, 3, 1, False), TEMPLATES.keys(WordAtoms(()).of(()))
    assert (tagger.best_tags(keys).shape, tagger.log_sums(keys).shape) == ((0,), (0, 3))


def test_features_of_rare_words_alone_look_at_letters() -> None:
    texts = FeatureTexts([WORDS], frozenset({"the"}))
    keys = TEMPLATES.keys(WordAtoms({"the"}).of(WORDS))
    names = {word: [texts.name(*place) for place in places(keys) if place[0] == word] for word in (0, 2, 3)}
    assert names[0] == [
        "always",
        "word the",
        "word-1 ()",
        "word+1 dog",
        "word-2 ()",
        "word+2 Re-sees",
        "word-1,word () the",
        "word,word+1 the dog",
    ]
    assert names[2][8:] == [
        *("prefix1 R", "prefix2 Re", "prefix3 Re-", "prefix4 Re-s"),
        *("suffix1 s", "suffix2 es", "suffix3 ees", "suffix4 sees", "upper yes", "hyphen yes"),
    ]
    assert names[3][8:] == ["prefix1 4", "suffix1 4", "digit yes"]


def test_a_feature_has_the_same_key_by_its_name_as_in_a_sentence() -> None:
    texts = FeatureTexts([WORDS], frozenset({"the"}))
    keys = TEMPLATES.keys(WordAtoms({"the"}).of(WORDS))
    names = [texts.name(*place) for place in places(keys)]
    assert TEMPLATES.keys_of_names(names).tolist() == keys[keys != 0].tolist()
    assert len(set(names)) == len(set(keys[keys != 0].tolist()))
