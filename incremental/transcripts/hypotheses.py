"""Hypotheses of a speech recognizer, whole or as differences, and their words.

A word is a run of characters without white space, as the recognizer writes it. The segmentation of such words
for an analysis ("don't" into "do" and "n't") is left to the session, which segments the joined text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, NamedTuple

from treewhile.incremental.sessions.document_content import UNFIT
from treewhile.oracles.errors import InputError

MOST_HEARD: Final = 500_000  # characters in a hypothesis, and in a turn
LOOKED_AHEAD: Final = 3  # number of words that a recognizer may time without writing them


class HeardWord(NamedTuple):
    """Word as heard, with its times in seconds; None if unknown."""

    form: str
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Hypothesis of a recognizer about a stretch of speech: all its words so far.

    text        what was said
    words       the same as words, which may have times. Where there is a text, too, it is the text that
                counts, and its words take the times of these
    is_final    whether the recognizer will not change it any more
    id          names the stretch, in all hypotheses about it, if the recognizer gives it a name
    start, end  of the stretch, in seconds; those of its words where they are not given
    """

    text: str | None = None
    words: Sequence[str | HeardWord] = ()
    is_final: bool = False
    id: str | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Change of the words that are not final yet: the last ones are revoked, then others added."""

    added: Sequence[str | HeardWord] = ()
    revoked: int = 0
    is_final: bool = False


def heard_words(hypothesis: Hypothesis | Difference) -> list[HeardWord]:
    """Return the words of a hypothesis; an InputError if they are too many or no texts.

    Controls are removed, and times that are no numbers or run backwards within their word.
    """
    if isinstance(hypothesis, Difference):
        return _cut(hypothesis.added)
    timed = _cut(hypothesis.words)
    return timed if hypothesis.text is None else _with_times(_cut([hypothesis.text]), timed)


def key_of(form: str) -> str:
    """Return a key that is equal for words that differ in case and punctuation."""
    return "".join(filter(str.isalnum, form.casefold())) or form


def _cut(given: Iterable[str | HeardWord]) -> list[HeardWord]:
    if isinstance(given, str):
        given = [given]
    words: list[HeardWord] = []
    length = 0
    for word in given:
        form, start, end = _checked(word)
        length += len(form) + 1
        if length > MOST_HEARD:
            what = f"a hypothesis has more than {MOST_HEARD} characters"
            raise InputError(f"{what}: give what was said since the last final one")
        words += [HeardWord(piece, start, end) for piece in UNFIT.sub("", form).split()]
    return words


def _checked(word: object) -> HeardWord:
    heard = HeardWord(word) if isinstance(word, str) else word
    if not isinstance(heard, HeardWord) or not isinstance(heard.form, str):
        raise InputError(f"{word!r:.40} is no word that was heard: give a text or a HeardWord")
    start, end = seconds(heard.start), seconds(heard.end)
    runs_backwards = start is not None and end is not None and end < start
    return HeardWord(heard.form) if runs_backwards else HeardWord(heard.form, start, end)


def seconds(time: object) -> float | None:
    """Return a time as a float, or None if it is not a finite number."""
    return float(time) if isinstance(time, int | float) and isfinite(time) else None


def _with_times(words: list[HeardWord], timed: Sequence[HeardWord]) -> list[HeardWord]:
    """Return the words with the times of those with equal keys, in order."""
    at = 0
    for number, word in enumerate(words):
        near = enumerate(timed[at : at + LOOKED_AHEAD], at)
        found = next((place for place, one in near if key_of(one.form) == key_of(word.form)), None)
        if found is not None:
            words[number] = HeardWord(word.form, timed[found].start, timed[found].end)
            at = found + 1
    return words
