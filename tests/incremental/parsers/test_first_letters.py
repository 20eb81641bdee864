from __future__ import annotations

from treewhile.incremental.parsers.inventories import FirstLetters
from treewhile.incremental.parsers.shipped_models import load_model


def test_letters_have_the_tag_of_most_words_that_begin_so() -> None:
    tags = {"to": "ADP", "a": "DET", "this": "DET", "that": "DET", "tea": "NOUN"}
    asked: list[str] = []

    def tag_of(form: str) -> str:
        asked.append(form)
        return tags[form]

    letters = FirstLetters([*tags], tag_of)
    found = [letters.tag(some) for some in ("th", "te", "t", "a")]  # t: 1 for ADP, 1/3 + 1/4 for DET
    assert found == ["DET", "NOUN", "ADP", "DET"]
    assert [letters.tag(some) for some in ("z", "that")] == [None, None], (
        "none of theirs, or as good as a word"
    )
    assert sorted(asked) == sorted(tags), "each form is tagged once"


def test_a_model_knows_the_tags_of_its_first_letters_in_either_case() -> None:
    model = load_model("en")
    assert [model.tag_by_letters(letters) for letters in ("th", "Th", "i", ".", "zzz")] == [
        *("DET", "DET", "PRON", "PUNCT", None)
    ]
