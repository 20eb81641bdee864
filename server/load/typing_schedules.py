"""What people type and when: edits of a text at their times, by the ways in which people write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from math import isfinite
from random import Random
from typing import Final, TypeAlias

from treewhile.incremental.scores.word_schedules import LETTERS_OF_A_WORD, spoken, typed
from treewhile.server.load.letter_typing import by_letters, spread_speeds
from treewhile.server.load.strokes import Page, Stroke, Strokes, seconds_of_a_letter

SECONDS_ON_12_KEYS: Final = 6.0  # a word
PASTED_WORDS: Final = 60
SECONDS_BETWEEN_PASTES: Final = 10.0
WORDS_BEFORE_A_MISTAKE: Final = 5  # which is deleted and typed again
WORDS_BEFORE_A_CHANGE: Final = 8  # of a word in mid-sentence
WORDS_BACK: Final = 4
AT_ONCE: Final = 200  # words whose gaps are asked for together, since they may come without end

# Words and how many a minute -> strokes without end.
Style: TypeAlias = Callable[[Iterator[str], float, Random], Strokes]


def _in_rhythm(words: Iterator[str], gaps_of: Callable[[Sequence[str]], Sequence[float]]) -> Strokes:
    """One word after the other, with the gaps of a schedule of `incremental.word_schedules`."""
    page, chunk = Page(), [*islice(words, AT_ONCE)]
    while chunk:
        following = [*islice(words, AT_ONCE)]
        for word, gap in zip(chunk, gaps_of([*chunk, *following[:1]]), strict=False):
            yield page.write(word)
            page.at += gap if isfinite(gap) else 0.0
        chunk = following


def by_words(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    """A word comes when its last letter does."""
    return _in_rhythm(words, partial(typed, words_a_minute=words_a_minute))


def on_12_keys(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    return _in_rhythm(words, lambda some: [SECONDS_ON_12_KEYS] * len(some))


def as_spoken(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    return _in_rhythm(words, spoken)


def as_pasted(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    """Many words at once, now and then."""
    page = Page()
    while pasted := [*islice(words, PASTED_WORDS)]:
        yield page.write(" ".join(pasted))
        page.at += SECONDS_BETWEEN_PASTES


def with_mistakes(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    """Now and then the last word is deleted letter by letter and typed again."""
    page, letter = Page(), seconds_of_a_letter(words_a_minute)
    for number, word in enumerate(words, 1):
        yield page.write(word)
        if number % WORDS_BEFORE_A_MISTAKE == 0:
            for _ in range(len(word) + 1):
                page.at += letter
                yield page.delete()
            page.places.pop()
            page.at += letter * (len(word) + 1)
            yield page.write(word)
        page.at += letter * LETTERS_OF_A_WORD


def with_changes(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    """Now and then a word some words before the last one becomes another one."""
    page, letter = Page(), seconds_of_a_letter(words_a_minute)
    for number, word in enumerate(words, 1):
        yield page.write(word)
        page.at += letter * LETTERS_OF_A_WORD
        if number % WORDS_BEFORE_A_CHANGE == 0:
            yield page.replace(WORDS_BACK, page.places[-1][1].strip(".,"))
            page.at += letter * LETTERS_OF_A_WORD


STYLES: Final[dict[str, Style]] = {
    "letters": by_letters,
    "words": by_words,
    "12-key": on_12_keys,
    "speech": as_spoken,
    "paste": as_pasted,
    "backspacing": with_mistakes,
    "edits": with_changes,
}


def speeds_of(style: str, typists: int, words_a_minute: float) -> list[float]:
    """How many words a minute each one types: people at their keys differ."""
    is_uneven = STYLES.get(style) is by_letters
    return spread_speeds(typists, words_a_minute) if is_uneven else [words_a_minute] * typists


def strokes_of(
    style: str, words: Iterator[str], words_a_minute: float, seconds: float, source: Random
) -> list[Stroke]:
    """The strokes of a time in seconds by a style, or by one at random for "mixed", which begin at random."""
    chosen = STYLES[source.choice([*STYLES]) if style == "mixed" else style]
    begin = source.uniform(0, min(60 / words_a_minute, seconds / 2))
    strokes: list[Stroke] = []
    for stroke in chosen(words, words_a_minute, source):
        if begin + stroke.at >= seconds:
            break
        strokes.append(stroke._replace(at=begin + stroke.at))
    return strokes


def words_of_text(text: Iterable[str], source: Random) -> Iterator[str]:
    """The words of a text from a random place on, again and again."""
    words = [word for line in text for word in line.split()]
    start = source.randrange(len(words))
    while True:
        yield from words[start:]
        start = 0
