"""Strokes, which are edits of a text at their times, and the page on which they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from treewhile.incremental.scores.word_schedules import LETTERS_OF_A_WORD

Ended: TypeAlias = Literal["nothing", "word", "sentence"]


class Stroke(NamedTuple):
    """At a time, in seconds from the start, `text` takes the place of what stands from `start` to `end`.

    A word ends with the white space behind it, and so does a sentence, whose last word has a full stop.
    """

    at: float
    start: int
    end: int
    text: str
    ended: Ended = "word"

    @property
    def ends_word(self) -> bool:
        return self.ended != "nothing"

    @property
    def last_letter(self) -> int:
        """Where the last letter stands that is there after it."""
        return max(0, self.start + len(self.text.rstrip()) - 1)


Strokes: TypeAlias = Iterator[Stroke]


@dataclass
class Page:
    """The text so far and the time."""

    at: float = 0.0
    length: int = 0
    places: list[tuple[int, str]] = field(default_factory=list)  # of the words

    def write(self, word: str) -> Stroke:
        """A word at the end, with its blank."""
        self.places.append((self.length, word))
        return self._edit(self.length, self.length, f"{word} ", ended_by(word))

    def press(self, letter: str, ended: Ended) -> Stroke:
        """A letter at the end."""
        return self._edit(self.length, self.length, letter, ended)

    def delete(self) -> Stroke:
        """The last letter."""
        return self._edit(self.length - 1, self.length, "", "nothing")

    def replace(self, back: int, word: str) -> Stroke:
        """Another word in the place of one that stands a number of words before the end."""
        start, old = self.places[-back]
        longer = len(word) - len(old)
        self.places[-back] = start, word
        self.places[len(self.places) - back + 1 :] = [
            (place + longer, one) for place, one in self.places[len(self.places) - back + 1 :]
        ]
        return self._edit(start, start + len(old), word, "word")

    def _edit(self, start: int, end: int, text: str, ended: Ended) -> Stroke:
        self.length += len(text) - (end - start)
        return Stroke(self.at, start, end, text, ended)


def ended_by(word: str) -> Ended:
    """What has ended with the white space behind a word."""
    return "sentence" if word.endswith((".", "!", "?")) else "word"


def seconds_of_a_letter(words_a_minute: float) -> float:
    return 60 / words_a_minute / LETTERS_OF_A_WORD
