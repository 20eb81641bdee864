from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.constituents.network_phrases import NetworkPhrases
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Constituent, Leaf, Phrase, constituents_of, phrase_of

WORDS = ("the", "old", "dog", "sees", "the", "cat", ".")
LEAVES = tuple(Leaf(tag, word) for tag, word in zip("DJNVDN.", WORDS, strict=True))


@pytest.fixture(scope="module")
def model(make_model: Callable[..., Model]) -> Model:
    return make_model(with_spans=True, seed=2)


def given(words: tuple[str, ...]) -> GivenSentence:
    return GivenSentence(words, None, "here:1")


def tags_of(model: Model, words: tuple[str, ...]) -> tuple[str, ...]:
    """The tagger's own tags, which labels of a dependency tree have not changed."""
    tops = model.network.causal.states(model.gates(words, FROM_LEFT), [len(words)]).top
    around = model.around([Snapshot(words, tops, False)])
    [(tags, _)] = model.network.surroundings.tags(around)
    return tuple(model.inventory.tags[tag] for tag in tags)


def test_trees_have_the_constituents_that_analyses_have(model: Model) -> None:
    trees = NetworkPhrases(model).parse_all([given(WORDS), given(WORDS[:3]), given(("cat",))])
    for tree, words in zip(trees, (WORDS, WORDS[:3], ("cat",)), strict=True):
        assert constituents_of(tree)[1:] == model.parse(words).constituents
        assert tuple(leaf.word for leaf in tree.leaves) == words
        assert tuple(leaf.tag for leaf in tree.leaves) == tags_of(model, words)


def test_leaves_that_were_given_are_kept(model: Model) -> None:
    [tree] = NetworkPhrases(model).parse_all([GivenSentence(WORDS, LEAVES, "here:1")])
    assert tree.leaves == LEAVES


def test_closed_cells_have_no_constituents(model: Model) -> None:
    free, closed = (NetworkPhrases(model, names) for names in ((), ("linear", "unary")))
    openness = closed.openness(WORDS)
    [tree] = closed.parse_all([given(WORDS)])
    singles = {one.first for one in constituents_of(tree) if one.first == one.last}
    assert singles <= {*(np.flatnonzero(openness.unaries >= -4) + 1).tolist()}
    assert free.parse_all([given(WORDS)])[0].leaves == tree.leaves


def test_nothing_is_to_be_decided_at_the_ends_of_a_sentence(model: Model) -> None:
    openness = NetworkPhrases(model).openness(WORDS)
    assert (openness.begins[0], openness.begins[-1]) == (np.inf, -np.inf)
    assert (openness.ends[0], openness.ends[-1]) == (-np.inf, np.inf)
    assert np.isfinite(openness.begins[1:-1]).all()
    assert np.isfinite(openness.unaries).all()


def test_a_model_without_constituents_is_refused(make_model: Callable[..., Model]) -> None:
    with pytest.raises(InputError, match="learn them with treewhile train constituents"):
        NetworkPhrases(make_model())


def test_open_constituents_reach_to_the_last_leaf() -> None:
    found = phrase_of([Constituent("S", 1, None), Constituent("NP", 1, 2)], LEAVES[:3], "TOP")
    noun = Phrase("NP", LEAVES[:2])
    assert found == Phrase("TOP", (Phrase("S", (noun, LEAVES[2])),))
