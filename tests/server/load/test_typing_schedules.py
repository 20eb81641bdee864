from __future__ import annotations

from itertools import cycle, islice, pairwise
from random import Random
from statistics import fmean, stdev

import pytest

from treewhile.server.load.invented_texts import invented_words, sentence
from treewhile.server.load.measurements import repeated
from treewhile.server.load.typing_schedules import STYLES, Stroke, speeds_of, strokes_of


def strokes(style: str, seconds: float = 60, wpm: float = 80, seed: int = 1) -> list[Stroke]:
    source = Random(seed)
    return strokes_of(style, invented_words(source), wpm, seconds, source)


def text_of(typed: list[Stroke]) -> str:
    text = ""
    for stroke in typed:
        assert 0 <= stroke.start <= stroke.end <= len(text)
        text = text[: stroke.start] + stroke.text + text[stroke.end :]
    return text


@pytest.mark.parametrize("style", STYLES)
def test_strokes_are_in_time_and_within_the_text(style: str) -> None:
    typed = strokes(style)
    times = [stroke.at for stroke in typed]
    assert times == sorted(times)
    assert times[-1] < 60
    assert text_of(typed).endswith(" ") or style == "letters"
    assert typed == strokes(style)
    assert typed != strokes(style, seed=2)


def test_words_make_the_text() -> None:
    source = Random(3)
    words = [*islice(invented_words(source), 1000)]
    typed = strokes_of("words", iter(words), 80, 40, Random(4))
    found = text_of(typed).split()
    assert len(found) > 40
    assert found == words[: len(found)]


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


@pytest.mark.slow
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
    assert all((stroke.text == " ") == (stroke.ended != "nothing") for stroke in typed)
    text = ""
    for stroke in typed:
        if stroke.ended != "nothing":
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


def test_a_text_goes_round() -> None:
    assert [*islice(repeated(["a", "b", "c"], 1), 7)] == [*"bcabcab"]


def test_invented_sentences_look_like_sentences() -> None:
    source = Random(1)
    found = [sentence(source) for _ in range(300)]
    assert len(set(found)) > 250
    assert all(one[0].isupper() and one.endswith(".") and " ," not in one for one in found)
    assert not any(word.isupper() and len(word) > 1 for one in found for word in one.split())
    assert max(len(one.split()) for one in found) < 80
