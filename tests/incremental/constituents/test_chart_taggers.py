from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_phrases import small_trees
from small_taggers import small_taggers

from treewhile.incremental.constituents.chart_tagger_training import STEPS, learnt_taggers
from treewhile.incremental.constituents.sectioned_files import read_sections, write_sections
from treewhile.incremental.constituents.tagger_files import read_taggers, tagger_sections
from treewhile.oracles.constituents.openings import openings_of
from treewhile.oracles.errors import InputError

WORDS = ("the", "dog", "sees", "the", "virn", ".")


@pytest.mark.parametrize("order", [0, 1, 2])
def test_what_is_easy_is_learnt(order: int) -> None:
    right = []
    for tree in small_trees(20, seed=3):
        openness = small_taggers(order).openness([leaf.word for leaf in tree.leaves])
        for scores, flags in zip(openness, openings_of(tree), strict=True):
            right += ((scores[1:-1] > 0) == flags[1:-1]).tolist()
    assert sum(right) > 0.95 * len(right)


def test_nothing_is_decided_at_the_ends() -> None:
    begins, ends, unaries = small_taggers().openness(WORDS)
    assert (begins[0], begins[-1], ends[0], ends[-1]) == (np.inf, -np.inf, -np.inf, np.inf)
    assert np.isfinite(unaries).all()
    assert small_taggers().openness(["dog"]).begins.tolist() == [np.inf]


def test_the_same_seed_learns_the_same_and_tells_of_each_step() -> None:
    steps: list[int] = []
    found = [
        learnt_taggers(small_trees(12, seed=1), small_trees(4, seed=2), 1, seed, steps.append)
        for seed in (5, 5)
    ]
    assert sum(steps) == 2 * STEPS
    assert found[0].accuracy == found[1].accuracy
    assert found[0].accuracy["parts of speech"] == 100
    first, again = (one.taggers.openness(WORDS) for one in found)
    assert [one.tolist() for one in first] == [one.tolist() for one in again]


@pytest.mark.parametrize("name", ["model.txt", "model.txt.gz"])
@pytest.mark.parametrize("order", [0, 2])
def test_taggers_are_read_as_they_were_written(order: int, name: str, tmp_path: Path) -> None:
    taggers = small_taggers(order)
    write_sections(tmp_path / name, tagger_sections(taggers))
    again = read_taggers(read_sections(tmp_path / name), name)
    assert again.frequent == taggers.frequent
    for one, other in zip(again.openness(WORDS), taggers.openness(WORDS), strict=True):
        assert one.tolist() == other.tolist()
    assert again.begins.names == taggers.begins.names
    assert again.parts_of_speech.tags == taggers.parts_of_speech.tags


def test_a_single_tree_is_enough_to_learn_from() -> None:
    [tree] = small_trees(1, seed=1)
    taggers = learnt_taggers([tree], [tree], 1).taggers
    assert len(taggers.openness([leaf.word for leaf in tree.leaves]).begins) == len(tree.leaves)


def test_nothing_is_learnt_from_nothing() -> None:
    with pytest.raises(InputError, match="no trees to learn from"):
        learnt_taggers([], small_trees(1, seed=1), 1)


@pytest.mark.parametrize(
    ("line", "other", "what"),
    [
        ("order 1", "order 3", r"Markov order is 0, 1 or 2, and not '3', at .*model.txt:\d+"),
        ("conditioned yes", "", r"tagger's conditioned have to stand here, at .*:\d+"),
        ("templates always ", "templates never ", r"there is no template 'never"),
        ("after closed closed\t", "after closed sure\t", r"a transition is `after`.*, at .*:\d+"),
        ("\topen ", "\tajar ", r"weights of a feature are a tag, a blank and a number each, at .*:\d+"),
        ("word-1 ()", "word-1 () ()", r"the feature 'word-1 \(\) \(\)' has no such template"),
        ("[tagger of ends]", "[tagger of words]", r"no section \[tagger of ends\] in .*model.txt"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(
    line: str, other: str, what: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.txt"
    write_sections(path, tagger_sections(small_taggers()))
    text = path.read_text()
    at = text.rindex(line)
    path.write_text(text[:at] + other + text[at + len(line) :])
    with pytest.raises(InputError, match=what):
        read_taggers(read_sections(path), str(path))
