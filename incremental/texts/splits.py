"""Splits of multiword tokens into words, by whole tokens or by endings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from treewhile.incremental.texts.alphabets import BLANK_LINE, class_of


class Split(NamedTuple):
    """Split of a token: its last characters are removed, `ending` completes the first word, others follow."""

    strip: int
    ending: str
    others: tuple[str, ...]

    def words(self, surface: str) -> tuple[str, ...]:
        """Return the words of `surface`, in its case."""
        at = len(surface) - self.strip
        stem, tail = surface[:at], surface[at:]
        if not self.ending and "".join(self.others) == lower_case(tail):
            return (stem, *_pieces(tail, map(len, self.others)))
        words = (stem + self.ending, *self.others)
        if len(surface) > 1 and surface.isupper():
            return tuple(word.upper() for word in words)
        return (words[0][:1].upper() + words[0][1:], *words[1:]) if surface[:1].isupper() else words


def _pieces(text: str, lengths: Iterable[int]) -> Iterator[str]:
    at = 0
    for length in lengths:
        yield text[at : at + length]
        at += length


def lower_case(surface: str) -> str:
    """Return the surface in lower case, with one character for each."""
    lower = surface.lower()
    if len(lower) == len(surface):
        return lower
    return "".join(min(character.lower(), character, key=len) for character in surface)


@dataclass(frozen=True)
class Splits:
    """Known splits of multiword tokens, in lower case: whole tokens first, else the longest known ending.

    None marks a token, or an ending, that is a single word. What an ending is cut off from may end in another
    one, as in `couldn't've`.
    """

    tokens: Mapping[str, Split | None]
    endings: Mapping[str, Split | None]

    def words(self, surface: str) -> tuple[str, ...]:
        """Return the words of a token, mostly itself alone."""
        lower = lower_case(surface)
        if lower in self.tokens:
            return _stripped(self.tokens[lower], surface)
        return self._by_endings(surface)

    def _by_endings(self, surface: str) -> tuple[str, ...]:
        split = self._by_ending(lower_case(surface))
        words = _stripped(split, surface)
        if split is None or split.ending or len(words) == 1:
            return words
        return (*self._by_endings(words[0]), *words[1:])

    def _by_ending(self, lower: str) -> Split | None:
        for at in range(max(1, len(lower) - self._longest), len(lower)):
            if (ending := lower[at:]) in self.endings:
                return self.endings[ending]
        return None

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.endings), default=0)


def _stripped(split: Split | None, surface: str) -> tuple[str, ...]:
    """Return the words of a token without spaces around them; itself if it has no split or an empty word."""
    words = split.words(surface) if split else (surface,)
    if " " in surface:
        words = tuple(map(str.strip, words))
    return words if all(words) else (surface,)


def is_form(form: str) -> bool:
    """Return whether a form is nonempty, with no white space but single spaces between characters."""
    is_plain = all(character == " " or class_of(character) > BLANK_LINE for character in form)
    return is_plain and bool(form) and " ".join(form.split()) == form
