from __future__ import annotations

import math

import pytest

from treewhile.incremental.scores.word_schedules import SCHEDULES, same_for_all

WORDS = ("I", "saw", "antelopes", ".")


def test_a_word_has_the_time_in_which_the_next_one_is_typed() -> None:
    assert SCHEDULES["typing:80wpm"](WORDS) == [*(pytest.approx(n * 0.125) for n in (4, 10, 2)), math.inf]
    assert SCHEDULES["typing:40wpm"](WORDS) == [*(pytest.approx(n * 0.25) for n in (4, 10, 2)), math.inf]


def test_typing_a_word_of_five_letters_and_a_blank_takes_as_long_as_the_convention_has_it() -> None:
    assert SCHEDULES["typing:80wpm"](["words"] * 3)[:2] == [pytest.approx(60 / 80)] * 2


def test_speaking_takes_as_long_as_the_syllables() -> None:
    assert SCHEDULES["speech"](WORDS) == [*(pytest.approx(n * 0.18) for n in (1, 3, 1)), math.inf]


def test_pasted_words_come_at_once() -> None:
    assert SCHEDULES["paste"](WORDS) == [0, 0, 0, math.inf]


@pytest.mark.parametrize("name", SCHEDULES)
def test_nothing_comes_after_the_last_word(name: str) -> None:
    assert SCHEDULES[name](["alone"]) == [math.inf]


def test_a_limit_holds_for_the_last_word_too() -> None:
    assert same_for_all(WORDS, 0.05) == [0.05] * 4
