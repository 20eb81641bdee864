"""What people type and when: edits of a text at their times, by the ways in which people write.

A stroke is one edit. Those that bring words are told apart from those that only delete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import isfinite
from random import Random
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.scores.word_schedules import LETTERS_OF_A_WORD, spoken, typed

SECONDS_ON_12_KEYS: Final = 6.0  # a word
PASTED_WORDS: Final = 60
SECONDS_BETWEEN_PASTES: Final = 10.0
WORDS_BEFORE_A_MISTAKE: Final = 5  # which is deleted and typed again
WORDS_BEFORE_A_CHANGE: Final = 8  # of a word in mid-sentence
WORDS_BACK: Final = 4
AT_ONCE: Final = 200  # words whose gaps are asked for together, since they may come without end


class Stroke(NamedTuple):
    """At a time, in seconds from the start, `text` takes the place of what stands from `start` to `end`."""

    at: float
    start: int
    end: int
    text: str

    @property
    def brings_words(self) -> bool:
        return bool(self.text.strip())


Strokes: TypeAlias = Iterator[Stroke]
Style: TypeAlias = Callable[[Iterator[str], float], Strokes]  # words, words a minute -> strokes without end


@dataclass
class _Page:
    """The text so far and the time."""

    at: float = 0.0
    length: int = 0
    places: list[tuple[int, str]] = field(default_factory=list)  # of the words

    def write(self, word: str) -> Stroke:
        """A word at the end, with its blank."""
        self.places.append((self.length, word))
        return self._edit(self.length, self.length, f"{word} ")

    def delete(self) -> Stroke:
        """The last letter."""
        return self._edit(self.length - 1, self.length, "")

    def replace(self, back: int, word: str) -> Stroke:
        """Another word in the place of one that stands a number of words before the end."""
        start, old = self.places[-back]
        longer = len(word) - len(old)
        self.places[-back] = start, word
        self.places[len(self.places) - back + 1 :] = [
            (place + longer, one) for place, one in self.places[len(self.places) - back + 1 :]
        ]
        return self._edit(start, start + len(old), word)

    def _edit(self, start: int, end: int, text: str) -> Stroke:
        self.length += len(text) - (end - start)
        return Stroke(self.at, start, end, text)


def _in_rhythm(words: Iterator[str], gaps_of: Callable[[Sequence[str]], Sequence[float]]) -> Strokes:
    """One word after the other, with the gaps of a schedule of `incremental.word_schedules`."""
    page, chunk = _Page(), [*islice(words, AT_ONCE)]
    while chunk:
        following = [*islice(words, AT_ONCE)]
        for word, gap in zip(chunk, gaps_of([*chunk, *following[:1]]), strict=False):
            yield page.write(word)
            page.at += gap if isfinite(gap) else 0.0
        chunk = following


def as_typed(words: Iterator[str], words_a_minute: float) -> Strokes:
    """A word comes when its last letter does."""
    return _in_rhythm(words, partial(typed, words_a_minute=words_a_minute))


def on_12_keys(words: Iterator[str], words_a_minute: float) -> Strokes:
    return _in_rhythm(words, lambda some: [SECONDS_ON_12_KEYS] * len(some))


def as_spoken(words: Iterator[str], words_a_minute: float) -> Strokes:
    return _in_rhythm(words, spoken)


def as_pasted(words: Iterator[str], words_a_minute: float) -> Strokes:
    """Many words at once, now and then."""
    page = _Page()
    while pasted := [*islice(words, PASTED_WORDS)]:
        yield page.write(" ".join(pasted))
        page.at += SECONDS_BETWEEN_PASTES


def with_mistakes(words: Iterator[str], words_a_minute: float) -> Strokes:
    """Now and then the last word is deleted letter by letter and typed again."""
    page, letter = _Page(), _seconds_of_a_letter(words_a_minute)
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


def with_changes(words: Iterator[str], words_a_minute: float) -> Strokes:
    """Now and then a word some words before the last one becomes another one."""
    page, letter = _Page(), _seconds_of_a_letter(words_a_minute)
    for number, word in enumerate(words, 1):
        yield page.write(word)
        page.at += letter * LETTERS_OF_A_WORD
        if number % WORDS_BEFORE_A_CHANGE == 0:
            yield page.replace(WORDS_BACK, page.places[-1][1].strip(".,"))
            page.at += letter * LETTERS_OF_A_WORD


def _seconds_of_a_letter(words_a_minute: float) -> float:
    return 60 / words_a_minute / LETTERS_OF_A_WORD


STYLES: Final[dict[str, Style]] = {
    "typing": as_typed,
    "12-key": on_12_keys,
    "speech": as_spoken,
    "paste": as_pasted,
    "backspacing": with_mistakes,
    "edits": with_changes,
}


def strokes_of(
    style: str, words: Iterator[str], words_a_minute: float, seconds: float, source: Random
) -> list[Stroke]:
    """The strokes of a time in seconds by a style, or by one at random for "mixed", which begin at random."""
    chosen = STYLES[source.choice([*STYLES]) if style == "mixed" else style]
    begin = source.uniform(0, min(60 / words_a_minute, seconds / 2))
    strokes: list[Stroke] = []
    for stroke in chosen(words, words_a_minute):
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
