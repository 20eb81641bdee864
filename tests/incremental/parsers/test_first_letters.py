from __future__ import annotations

from treewhile.incremental.parsers.first_letters import tags_by_letters
from treewhile.incremental.parsers.shipped_models import load_model


def test_letters_have_the_tag_of_most_words_that_begin_so() -> None:
    forms = ["to", "a", "this", "that", "tea"]  # 1 for ADP, 1/3 + 1/4 for DET, 1/5 for NOUN
    tags = tags_by_letters(forms, ["ADP", "DET", "DET", "DET", "NOUN"])
    assert (tags["t"], tags["th"], tags["te"], tags["a"]) == ("ADP", "DET", "NOUN", "DET")
    assert {"z", "that"}.isdisjoint(tags), "these are none of theirs, or as good as a word"


def test_a_model_knows_the_tags_of_its_first_letters_in_either_case() -> None:
    model = load_model("en")
    assert [model.tag_by_letters(letters) for letters in ("th", "Th", "i", ".", "zzz")] == [
        *("DET", "DET", "PRON", "PUNCT", None)
    ]
