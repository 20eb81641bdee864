from __future__ import annotations

from itertools import cycle, islice, pairwise
from random import Random

import pytest

from treewhile.server.load.invented_texts import invented_words, sentence
from treewhile.server.load.typing_schedules import (
    PASTED_WORDS,
    SECONDS_BETWEEN_PASTES,
    SECONDS_ON_12_KEYS,
    STYLES,
    WORDS_BEFORE_A_CHANGE,
    Stroke,
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
    assert text_of(typed).endswith(" ") or style in ("backspacing", "edits", "mixed")
    assert typed == strokes(style)
    assert typed != strokes(style, seed=2)


@pytest.mark.parametrize("style", ["typing", "12-key", "speech", "paste", "backspacing"])
def test_what_is_typed_in_the_end_is_the_text(style: str) -> None:
    source = Random(3)
    words = [*islice(invented_words(source), 1000)]
    typed = strokes_of(style, iter(words), 80, 40, Random(4))
    while not typed[-1].brings_words:
        typed.pop()
    if style == "backspacing":
        typed = typed[: 3 * len(typed) // 4]
    found = text_of(typed).split()
    assert found[:-1] == words[: len(found) - 1]
    assert words[len(found) - 1].startswith(found[-1])


def test_eighty_words_a_minute_are_480_letters() -> None:
    typed = strokes_of("typing", cycle(["seven"]), 80, 600, Random(5))
    assert len(typed) == pytest.approx(800, abs=1)
    assert len(strokes_of("typing", cycle(["seven"]), 40, 600, Random(5))) == pytest.approx(400, abs=1)


def test_each_style_has_its_rhythm() -> None:
    found = {style: strokes(style) for style in STYLES}
    gaps = {style: [b.at - a.at for a, b in pairwise(typed)] for style, typed in found.items()}
    assert all(gap == pytest.approx(SECONDS_ON_12_KEYS) for gap in gaps["12-key"])
    assert all(gap == pytest.approx(SECONDS_BETWEEN_PASTES) for gap in gaps["paste"])
    assert len(strokes("paste")[0].text.split()) == PASTED_WORDS
    assert sum(gaps["speech"]) / len(gaps["speech"]) < 0.5
    assert sum(not stroke.brings_words for stroke in strokes("backspacing")) > 20


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
