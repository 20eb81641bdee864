from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from treewhile.incremental.constituents.treebank_grammars import RARE, WordTags, shapes

TAGS = ("DT", "NN", "NNP", "VB")
COUNTS = {
    ("DT", "the"): 4000,
    ("NN", "dog"): 20,
    ("VB", "dog"): 10,
    ("NN", "nation"): 1,
    ("NN", "station"): 2,
    ("NNP", "Rome"): 2,
    ("NNP", "Oslo"): 1,
    ("VB", "eats"): 2,
}
Counts = dict[tuple[str, str], int]


@pytest.fixture
def tags() -> WordTags:
    return WordTags(COUNTS, TAGS)


def shares(counts: Counts, tags: Sequence[str] = TAGS) -> Any:
    """The share of all words that each tag has."""
    found = [sum(count for (own, _), count in counts.items() if own == tag) for tag in tags]
    return np.array(found) / sum(found)


def best(tags: WordTags, *words: str) -> list[str]:
    chances = tags.scores(words) + np.log(shares(COUNTS))
    return [TAGS[place] for place in chances.argmax(axis=1)]


def test_a_frequent_word_has_the_tags_that_it_was_seen_with(tags: WordTags) -> None:
    the, dog = tags.scores(["the", "dog"])
    assert np.isfinite(the).tolist() == [True, False, False, False]
    assert np.isfinite(dog[[1, 3]]).all()
    ratio = (dog + np.log(shares(COUNTS)))[[1, 3]] @ [1, -1]
    assert ratio == pytest.approx(np.log(20 / 10), abs=0.05)  # the shape counts a little


def test_unknown_words_have_the_tags_of_their_shape(tags: WordTags) -> None:
    assert best(tags, "the", "ration", "Lima", "beats") == ["DT", "NN", "NNP", "VB"]


def test_the_capital_of_a_sentence_is_none_of_its_first_word(tags: WordTags) -> None:
    assert np.array_equal(tags.scores(["Dog", "dog"])[0], tags.scores(["dog"])[0])
    assert not np.array_equal(tags.scores(["the", "Dog"])[1], tags.scores(["the", "dog"])[1])


def test_every_word_has_a_tag(tags: WordTags) -> None:
    words = ["", "-", "§", "4-5", "XY", "x" * 1000, "ß", "\u2028", "Tion"]
    assert np.isfinite(tags.scores(words)).any(axis=1).all()
    assert tags.scores([]).shape == (0, len(TAGS))


def test_a_tagger_counts_as_much_as_the_word_alone(tags: WordTags) -> None:
    words = ["ration", "the", "dog"]
    alone, with_tagger = (
        np.exp(tags.scores(words, told)) * shares(COUNTS) for told in (None, ["VB", "DT", "XX"])
    )
    told = np.array([[0, 0, 0, 1], [1, 0, 0, 0]])
    assert with_tagger[:2] == pytest.approx((alone[:2] + told) / 2, abs=2e-3)
    assert np.array_equal(with_tagger[2], alone[2])  # the tag is not known


def test_only_rare_words_are_counted_by_shape() -> None:
    counts = {("NN", "ration"): RARE, ("VB", "station"): RARE - 1, ("DT", "the"): RARE}
    tags = ("DT", "NN", "VB")
    _, noun, verb = WordTags(counts, tags).scores(["nation"])[0] + np.log(shares(counts, tags))
    assert verb > noun


def test_shapes_go_from_the_general_to_the_special() -> None:
    assert [*shapes("Over-Fed")] == [
        "",
        "capital hyphen",
        "capital hyphen -d",
        "capital hyphen -ed",
        "capital hyphen -fed",
    ]
    assert [*shapes("1990s")][1:3] == ["small digits", "small digits -s"]
    assert [[*shapes(word)][1] for word in ("USA", "5.5", "a", "I", "-")] == [
        "capitals",
        "none digits",
        "small",
        "capital",
        "none",
    ]
