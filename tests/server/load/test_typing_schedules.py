from __future__ import annotations

from itertools import cycle, islice, pairwise
from random import Random
from statistics import fmean, stdev

import pytest

from treewhile.server.load.invented_texts import invented_words, sentence
from treewhile.server.load.strokes import Stroke
from treewhile.server.load.typing_schedules import (
    PASTED_WORDS,
    SECONDS_BETWEEN_PASTES,
    SECONDS_ON_12_KEYS,
    STYLES,
    WORDS_BEFORE_A_CHANGE,
    speeds_of,
    strokes_of,
    words_of_text,
)


def strokes(style: str, seconds: float = 60, wpm: float = 80, seed: int = 1) -> list[Stroke]:
    source = Random(seed)
    return strokes_of(style, invented_words(source), wpm, seconds, source)


def text_of(typed: list[Stroke]) -> str:
    text = ""
    for stroke in typed:
        assert 0 <= stroke.start <= stroke.end <= len(text)
        text = text[: stroke.start] + stroke.text + text[stroke.end :]
    return text


@pytest.mark.parametrize("style", [*STYLES, "mixed"])
def test_strokes_are_in_time_and_within_the_text(style: str) -> None:
    typed = strokes(style)
    times = [stroke.at for stroke in typed]
    assert times == sorted(times)
    assert times[-1] < 60
    assert text_of(typed).endswith(" ") or style in ("letters", "backspacing", "edits", "mixed")
    assert typed == strokes(style)
    assert typed != strokes(style, seed=2)


@pytest.mark.parametrize("style", ["words", "12-key", "speech", "paste", "backspacing"])
def test_what_is_typed_in_the_end_is_the_text(style: str) -> None:
    source = Random(3)
    words = [*islice(invented_words(source), 1000)]
    typed = strokes_of(style, iter(words), 80, 40, Random(4))
    while not typed[-1].ends_word:
        typed.pop()
    if style == "backspacing":
        typed = typed[: 3 * len(typed) // 4]
    found = text_of(typed).split()
    assert found[:-1] == words[: len(found) - 1]
    assert words[len(found) - 1].startswith(found[-1])


def test_eighty_words_a_minute_are_480_letters() -> None:
    typed = strokes_of("words", cycle(["seven"]), 80, 600, Random(5))
    assert len(typed) == pytest.approx(800, abs=1)
    assert len(strokes_of("words", cycle(["seven"]), 40, 600, Random(5))) == pytest.approx(400, abs=1)


def test_letters_make_the_text_with_slips_that_are_all_taken_back() -> None:
    words = [*islice(invented_words(Random(7)), 3000)]
    typed = strokes_of("letters", iter(words), 80, 600, Random(8))
    assert all(len(stroke.text) <= 1 for stroke in typed)
    length, text = 0, " ".join(words)
    for stroke in typed:
        assert (stroke.start, stroke.end) in ((length, length), (length - 1, length))
        length += len(stroke.text) - (stroke.end - stroke.start)
    shown = text_of(typed)
    while not text.startswith(shown):
        shown = shown[:-1]
    assert len(text_of(typed)) - len(shown) < 10, "only the last slip may still stand"
    slips = sum(not stroke.text for stroke in typed) / len(typed)
    assert 0.01 < slips < 0.06


def test_letters_come_unevenly_at_the_speed_that_is_asked_for() -> None:
    for wpm in (40, 80):
        typed = strokes_of("letters", invented_words(Random(9)), wpm, 6000, Random(10))
        letters = sum(1 if stroke.text else -1 for stroke in typed)
        assert letters / 100 == pytest.approx(6 * wpm, rel=0.03)
    first = [b.at - a.at for a, b in pairwise(typed) if a.ended == "word" and b.text]
    inside = [b.at - a.at for a, b in pairwise(typed) if a.text.isalpha() and b.text.isalpha()]
    new = [b.at - a.at for a, b in pairwise(typed) if a.ended == "sentence" and b.text]
    assert fmean(inside) < fmean(first) < fmean(new)
    assert stdev(inside) > 0.2 * fmean(inside)


def test_ends_of_words_and_sentences_are_where_white_space_is_typed() -> None:
    typed = strokes_of("letters", cycle(["One", "two", "three."]), 80, 60, Random(11))
    assert all((stroke.text == " ") == stroke.ends_word for stroke in typed)
    text = ""
    for stroke in typed:
        if stroke.ends_word:
            assert (stroke.ended == "sentence") == text.endswith(".")
            assert stroke.last_letter == len(text) - 1
        text = text[: stroke.start] + stroke.text + text[stroke.end :]
    by_words = strokes_of("words", cycle(["One", "two."]), 80, 60, Random(11))
    assert [stroke.ended for stroke in by_words[:4]] == ["word", "sentence"] * 2
    assert [text_of(by_words)[stroke.last_letter] for stroke in by_words[:2]] == ["e", "."]


def test_people_at_their_keys_differ_and_have_the_speed_on_average() -> None:
    speeds = speeds_of("letters", 200, 80)
    assert sum(speeds) / 200 == pytest.approx(80)
    assert 25 < stdev(speeds) < 35
    assert speeds_of("letters", 1, 80) == [80]
    assert speeds_of("words", 3, 80) == [80] * 3


def test_each_style_has_its_rhythm() -> None:
    found = {style: strokes(style) for style in STYLES}
    gaps = {style: [b.at - a.at for a, b in pairwise(typed)] for style, typed in found.items()}
    assert all(gap == pytest.approx(SECONDS_ON_12_KEYS) for gap in gaps["12-key"])
    assert all(gap == pytest.approx(SECONDS_BETWEEN_PASTES) for gap in gaps["paste"])
    assert len(strokes("paste")[0].text.split()) == PASTED_WORDS
    assert sum(gaps["speech"]) / len(gaps["speech"]) < 0.5
    assert sum(not stroke.ends_word for stroke in strokes("backspacing")) > 20


def test_changes_in_mid_sentence_meet_whole_words() -> None:
    typed = strokes_of("edits", (f"w{number}" for number in range(100)), 80, 60, Random(6))
    words = text_of(typed).split()
    changed = [place for place, word in enumerate(words) if word != f"w{place}"]
    assert len(changed) == sum(stroke.end > stroke.start for stroke in typed) > 3
    assert all(word.startswith("w") and word[1:].isdigit() for word in words)
    assert changed[1] - changed[0] == WORDS_BEFORE_A_CHANGE


def test_a_text_goes_round() -> None:
    found = [*islice(words_of_text(["a b", "c"], Random(1)), 7)]
    assert "".join(found) in "abcabcabcabc"


def test_invented_sentences_look_like_sentences() -> None:
    source = Random(1)
    found = [sentence(source) for _ in range(300)]
    assert len(set(found)) > 250
    assert all(one[0].isupper() and one.endswith(".") and " ," not in one for one in found)
    assert not any(word.isupper() and len(word) > 1 for one in found for word in one.split())
    assert max(len(one.split()) for one in found) < 80
