from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.label_decoding import Tags
from treewhile.incremental.parsers.seen_features import SeenFeatures
from treewhile.incremental.treebanks.treebank import read_sentences
from treewhile.oracles import InputError

TREEBANK = """\
1	dogs	dog	NOUN	_	Number=Plur	2	nsubj	_	_
2	bark	bark	VERB	_	_	0	root	_	_

1	dog	dog	NOUN	_	_	2	nsubj	_	_
2	barked	bark	VERB	_	Tense=Past	0	root	_	_

"""


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    path = tmp_path / "small.conllu"
    path.write_text(2 * TREEBANK)
    return Inventory.of([*read_sentences(path)], lambda word: ())


def tagged(inventory: Inventory, *pairs: tuple[str, str]) -> Tags:
    return (
        np.array([inventory.tag_numbers[tag] for tag, _ in pairs], np.intp),
        np.array([inventory.feature_numbers[column] for _, column in pairs], np.intp),
    )


def test_features_that_fit_stay(inventory: Inventory) -> None:
    tags = tagged(inventory, ("NOUN", "Number=Plur"), ("VERB", "Tense=Past"), ("NOUN", "_"), ("VERB", "_"))
    found = SeenFeatures(inventory).fitting(tags, lambda: pytest.fail("nothing is to be chosen"))
    assert np.array_equal(found, tags)


def test_of_the_others_the_best_that_fit_are_chosen(inventory: Inventory) -> None:
    tags = tagged(inventory, ("NOUN", "Tense=Past"), ("VERB", "Tense=Past"), ("VERB", "Number=Plur"))
    scores = np.zeros((3, 3), np.float32)
    scores[0, inventory.feature_numbers["Number=Plur"]] = 1
    scores[2, inventory.feature_numbers["Number=Plur"]] = 3
    scores[2, inventory.feature_numbers["_"]] = 2
    _, features = SeenFeatures(inventory).fitting(tags, lambda: scores)
    assert [inventory.features[one] for one in features] == ["Number=Plur", "Tense=Past", "_"]


def test_a_model_that_does_not_say_what_was_seen_has_all_pairs(inventory: Inventory) -> None:
    tags = tagged(inventory, ("NOUN", "Tense=Past"))
    old = replace(inventory, tags_of_features=())
    assert np.array_equal(SeenFeatures(old).fitting(tags, lambda: pytest.fail("asked")), tags)


def test_pairs_are_kept_in_the_model(inventory: Inventory) -> None:
    told = inventory.to_json()
    assert Inventory.from_json(told) == inventory
    for wrong in (["NOUN"], ["NOUN", "NOUN", "NAME"], ["VERB"] * 4):
        with pytest.raises(InputError, match="tags of its own for each of its features"):
            Inventory.from_json({**told, "tags_of_features": wrong})
