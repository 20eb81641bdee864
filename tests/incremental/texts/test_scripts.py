from __future__ import annotations

from unicodedata import normalize

import pytest

from treewhile.incremental.texts.scripts import (
    LetterCounts,
    count_letters,
    known_scripts,
    refusal,
    unknown_script,
)

LATIN = frozenset({"Latin"})
GREEK_LETTERS = "αβγδεζηθικλ"


def of(text: str) -> str | None:
    return unknown_script(count_letters(text), LATIN)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("אתמול קראתי ספר מעניין מאוד", "Hebrew"),
        ("Вчера я прочитал интересную книгу.", "Cyrillic"),
        ("قرأت أمس كتابا ممتعا جدا", "Arabic"),
        ("我昨天读了一本书。", "Chinese"),
        ("きのうおもしろいほんをよみました。", "Japanese"),
        ("어제 재미있는 책을 읽었다.", "Korean"),
        ("Χθες διάβασα ένα βιβλίο.", "Greek"),
        ("Вчера вечером купил iPhone 15 Pro в магазине около метро и очень доволен им.", "Cyrillic"),
    ],
)
def test_a_text_that_would_be_nonsense_is_refused(text: str, script: str) -> None:
    assert of(text) == script


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12 + 30 = 42 😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀",
        "Gestern las ich ein schönes Buch über Ærø, Łódź und Ångström.",
        normalize("NFD", "Été à Ærø, à Łódź et à Ångström, où les élèves répètent la leçon."),
        "Владимир",
        "Николай Андреевич Римский-Корсаков wrote it.",
        "Пётр Ильич Чайковский wrote Щелкунчик.",
        "习近平 met her.",
        "In Hebrew one says אתמול קראתי ספר מעניין מאוד, which means that somebody has read a book.",
    ],
)
def test_a_name_or_a_quotation_in_another_script_never_is(text: str) -> None:
    assert of(text) is None


def test_a_model_knows_the_scripts_of_which_it_has_enough_letters() -> None:
    assert known_scripts("abcdefghijkl,.αβγ") == {"Latin"}
    assert known_scripts("abcdefghijkl" + GREEK_LETTERS) == {"Greek", "Latin"}
    assert unknown_script(count_letters(GREEK_LETTERS * 3), {"Greek", "Latin"}) is None


def test_nothing_is_refused_for_a_model_of_which_nothing_is_known() -> None:
    assert unknown_script(count_letters(GREEK_LETTERS * 9), frozenset()) is None


def test_counts_follow_a_text_that_changes() -> None:
    letters = LetterCounts()
    letters.replace("", "Yes, ")
    assert letters.unknown(LATIN) is None
    letters.replace("", GREEK_LETTERS * 4)
    before = letters.copy()
    assert letters.unknown(LATIN) == "Greek"
    letters.replace(GREEK_LETTERS, "")
    assert (letters.unknown(LATIN), before.unknown(LATIN)) == (None, "Greek")
    letters.replace("Yes, ", "")
    assert letters.unknown(LATIN) == "Greek"


def test_the_sentence_names_what_there_is() -> None:
    said = refusal("Hebrew", {"Latin", "Greek"})
    assert said.startswith("the text is in Hebrew letters, and the model knows Greek and Latin ones: ")
