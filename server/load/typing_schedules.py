"""Typing schedules: edits of a text and their times, letter by letter or word by word.

Times of letters follow studies of typists; the factors below multiply the mean time between two keys:

    intervals are about log-normal, and the speeds of people spread by two fifths of their mean
    (Dhakal, Feit, Kristensson and Oulasvirta 2018: 136 million keystrokes of 168,000 people);
    two letters by different hands, and frequent pairs of letters, come faster (Salthouse 1986);
    the first letter of a word comes later than later ones (Ostry 1983), and people pause between sentences;
    typists slip at one to three letters in a hundred, most slips are a wrong letter, and most are noticed
    within a few letters; a pause precedes the first backspace, none follows the last (Crump, Logan 2013).

The sizes are rounded, and chosen so that 3 to 4% of all strokes are backspaces, as for fast typists. Times
are scaled so that the text, without its slips, has the requested number of words per minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import exp
from random import Random
from statistics import NormalDist, fmean
from typing import Final, Literal, NamedTuple, TypeAlias

from treewhile.incremental.scores.word_schedules import LETTERS_OF_A_WORD

SPREAD_OF_SPEEDS, SPREAD_OF_INTERVALS = 0.37, 0.35  # standard deviations of the logarithms
FIRST_OF_A_SENTENCE, FIRST_OF_A_WORD, BLANK, SHIFTED = 6.0, 1.4, 0.9, 1.4
OTHER_HAND, SAME_HAND, FREQUENT = 0.9, 1.1, 0.85
NOTICING, BACKSPACE = 2.5, 0.8
SLIPS: Final = 0.022  # of the letters
GOING_ON: Final = 0.5  # probability that a slip goes unnoticed for one more letter
LATEST: Final = 8  # letters until a slip is noticed
AT_ONCE: Final = 40  # number of words whose times are scaled together
LEFT_HAND: Final = frozenset("qwertasdfgzxcvb")
PAIRS: Final = "th he in er an re on at en nd ti es or te of ed"
ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
STYLES: Final = ("letters", "words")

Ended: TypeAlias = Literal["nothing", "word", "sentence"]


class Stroke(NamedTuple):
    """Edit, `at` seconds after the start, that replaces the text from `start` to `end` by `text`.

    A word ends with the white space behind it, and so does a sentence, whose last word has a full stop.
    """

    at: float
    start: int
    end: int
    text: str
    ended: Ended = "word"

    @property
    def last_letter(self) -> int:
        """Position of the last letter after this stroke."""
        return max(0, self.start + len(self.text.rstrip()) - 1)


class Key(NamedTuple):
    """Letter, or "" for a backspace, with the relative time before it."""

    time: float
    letter: str
    before: str = ""


def strokes_of(
    style: str, words: Iterator[str], words_a_minute: float, seconds: float, source: Random
) -> list[Stroke]:
    """Return the strokes of a time span, by letters or by words; the first one comes at a random time."""
    typed = (by_letters if style == "letters" else by_words)(words, words_a_minute, source)
    begin = source.uniform(0, min(60 / words_a_minute, seconds / 2))
    strokes: list[Stroke] = []
    for stroke in typed:
        if begin + stroke.at >= seconds:
            break
        strokes.append(stroke._replace(at=begin + stroke.at))
    return strokes


def speeds_of(style: str, typists: int, words_a_minute: float) -> list[float]:
    """Return the words per minute of each typist; they differ if typing is by letters."""
    return spread_speeds(typists, words_a_minute) if style == "letters" else [words_a_minute] * typists


def spread_speeds(typists: int, words_a_minute: float) -> list[float]:
    """Return the words per minute of each typist, slowest first, with the requested mean."""
    normal = NormalDist(0, SPREAD_OF_SPEEDS)
    speeds = [exp(normal.inv_cdf((number + 0.5) / typists)) for number in range(typists)]
    return [words_a_minute * speed / fmean(speeds) for speed in speeds]


def by_words(words: Iterator[str], words_a_minute: float, source: Random) -> Iterator[Stroke]:
    """Yield a stroke for each word with its blank, at the time of its last letter."""
    at, length, seconds = 0.0, 0, _seconds_of_a_letter(words_a_minute)
    for number, word in enumerate(words):
        at += (1 + len(word)) * seconds if number else 0.0
        yield Stroke(at, length, length, f"{word} ", _ended_by(word))
        length += len(word) + 1


def by_letters(words: Iterator[str], words_a_minute: float, source: Random) -> Iterator[Stroke]:
    """Yield a stroke for each key."""
    at, length, before = 0.0, 0, "  "
    while some := [*islice(words, AT_ONCE)]:
        text = "".join(f"{word} " for word in some)
        keys = [*_keys(text, before, source)]
        before = text[-2:]
        unit = _seconds_of_a_letter(words_a_minute) * len(text) / sum(key.time for key in keys)
        for key in keys:
            at += unit * key.time
            start = length if key.letter else length - 1
            yield Stroke(
                at, start, length, key.letter, _ended_by(key.before) if key.letter == " " else "nothing"
            )
            length = start + len(key.letter)


def _ended_by(word: str) -> Ended:
    return "sentence" if word.endswith((".", "!", "?")) else "word"


def _seconds_of_a_letter(words_a_minute: float) -> float:
    return 60 / words_a_minute / LETTERS_OF_A_WORD


def _keys(text: str, before: str, source: Random) -> Iterator[Key]:
    """Yield the keys, slips included, of a text behind two letters."""
    shown = before + text
    for at in range(2, len(shown)):
        if shown[at].isalpha() and source.random() < SLIPS:
            yield from _slip(shown, at, source)
        yield _key(shown[at - 2 : at], shown[at], source)


def _slip(shown: str, at: int, source: Random) -> Iterator[Key]:
    """Yield a wrong letter, the letters until the slip is noticed, and their deletion."""
    noticed = at + 1
    while noticed < min(at + LATEST, len(shown)) and source.random() < GOING_ON:
        noticed += 1
    typed = shown[:at] + _neighbour(shown[at], source) + shown[at + 1 : noticed]
    for one in range(at, noticed):
        yield _key(typed[one - 2 : one], typed[one], source)
    for one in range(at, noticed):
        yield Key(_varied(NOTICING if one == at else BACKSPACE, source), "")


def _key(before: str, letter: str, source: Random) -> Key:
    return Key(_varied(_factor(before, letter), source), letter, before[-1])


def _factor(before: str, letter: str) -> float:
    """Return the relative time of a letter behind two others."""
    last, shift = before[-1], SHIFTED if letter.isupper() or not letter.isalnum() else 1.0
    if letter == " ":
        return BLANK
    if last == " ":
        return shift * (FIRST_OF_A_SENTENCE if _ended_by(before[0]) == "sentence" else FIRST_OF_A_WORD)
    hand = OTHER_HAND if (last in LEFT_HAND) != (letter in LEFT_HAND) else SAME_HAND
    return shift * hand * (FREQUENT if last + letter in PAIRS else 1.0)


def _varied(time: float, source: Random) -> float:
    """Draw a random time with the given mean."""
    return time * source.lognormvariate(-(SPREAD_OF_INTERVALS**2) / 2, SPREAD_OF_INTERVALS)


def _neighbour(letter: str, source: Random) -> str:
    row = next((row for row in ROWS if letter.lower() in row), letter)
    at = row.find(letter.lower()) + source.choice((-1, 1))
    return row[at] if 0 <= at < len(row) else row[-2:][0]
