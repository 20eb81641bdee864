"""When words come: the seconds that pass after each word until the next one, by a schedule.

Nothing comes after the last word of a sentence, so there is all the time for it, unless all words have the
same limit. A word that is typed comes when its last letter does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

Schedule: TypeAlias = Callable[[Sequence[str]], list[float]]

LETTERS_OF_A_WORD: Final = 6  # by convention, with the blank
LETTERS_OF_A_SYLLABLE: Final = 3
SECONDS_OF_A_SYLLABLE: Final = 0.18  # which makes 0.3 s a word, in English


def same_for_all(words: Sequence[str], seconds: float) -> list[float]:
    """Each word has the same time, and so has the whole sentence."""
    return [seconds] * len(words)


def typed(words: Sequence[str], words_a_minute: float) -> list[float]:
    """Each word is typed letter by letter, with a blank before it."""
    seconds = 60 / words_a_minute / LETTERS_OF_A_WORD
    return _until_next(words, lambda word: (1 + len(word)) * seconds)


def spoken(words: Sequence[str]) -> list[float]:
    """Each word takes as long as its syllables, of three letters or less; punctuation is a pause of one."""
    return _until_next(
        words, lambda word: math.ceil(len(word) / LETTERS_OF_A_SYLLABLE) * SECONDS_OF_A_SYLLABLE
    )


def pasted(words: Sequence[str]) -> list[float]:
    """All words come at once."""
    return _until_next(words, lambda word: 0.0)


def _until_next(words: Sequence[str], seconds_of: Callable[[str], float]) -> list[float]:
    return [*map(seconds_of, words[1:]), math.inf]


SCHEDULES: Final[dict[str, Schedule]] = {
    "typing:80wpm": partial(typed, words_a_minute=80),
    "typing:40wpm": partial(typed, words_a_minute=40),
    "speech": spoken,
    "paste": pasted,
}
