"""Schedules of words: the seconds from each word to the next one.

No word comes after the last word of a sentence, so its time is unlimited, unless all words have the same
limit. A typed word comes with its last letter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

Schedule: TypeAlias = Callable[[Sequence[str]], list[float]]

LETTERS_OF_A_WORD: Final = 6  # by convention, with the blank
LETTERS_OF_A_SYLLABLE: Final = 3
SECONDS_OF_A_SYLLABLE: Final = 0.18  # makes 0.3 s a word, in English


def same_for_all(words: Sequence[str], seconds: float) -> list[float]:
    """Return the same time for each word, also the last one."""
    return [seconds] * len(words)


def typed(words: Sequence[str], words_a_minute: float) -> list[float]:
    """Return the times of words typed letter by letter, with a blank before each."""
    seconds = 60 / words_a_minute / LETTERS_OF_A_WORD
    return _until_next(words, lambda word: (1 + len(word)) * seconds)


def spoken(words: Sequence[str]) -> list[float]:
    """Return the times of spoken words, by syllables of up to three letters; punctuation counts as one."""
    return _until_next(
        words, lambda word: math.ceil(len(word) / LETTERS_OF_A_SYLLABLE) * SECONDS_OF_A_SYLLABLE
    )


def pasted(words: Sequence[str]) -> list[float]:
    """Return the times of words that come at once."""
    return _until_next(words, lambda word: 0.0)


def _until_next(words: Sequence[str], seconds_of: Callable[[str], float]) -> list[float]:
    return [*map(seconds_of, words[1:]), math.inf]


SCHEDULES: Final[dict[str, Schedule]] = {
    "typing:80wpm": partial(typed, words_a_minute=80),
    "typing:40wpm": partial(typed, words_a_minute=40),
    "speech": spoken,
    "paste": pasted,
}
