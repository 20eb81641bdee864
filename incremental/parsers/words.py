"""Checks of words and of sentences as lists of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.oracles.errors import InputError

# A longer word is refused: no treebank has one, but an untrusted client may send one.
LONGEST_WORD: Final = 10_000
WORD: Final = f"a text of 1 to {LONGEST_WORD} characters that are not all white space"


def check_words(words: object) -> None:
    """Refuse anything but a list of words, such as a text, which would be parsed letter by letter."""
    if isinstance(words, str | bytes) or not isinstance(words, Sequence):
        what = f"the words of a sentence are a list of texts, and {words!r:.40} is none"
        raise InputError(f"{what}: give a list such as ['Peter', 'drives']")


def is_word(word: object) -> bool:
    """Return whether a value can be parsed as a word."""
    return isinstance(word, str) and len(word) <= LONGEST_WORD and bool(word.strip())


def check_sentences(sentences: object) -> None:
    """Refuse anything but a list of lists of words."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Sequence):
        what = f"sentences are a list of lists of texts, and {sentences!r:.40} is none"
        raise InputError(f"{what}: give a list such as [['Peter', 'drives'], ['It', 'rains']]")
    for words in sentences:
        check_words(words)
