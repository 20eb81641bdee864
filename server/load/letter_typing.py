"""People at their keys: uneven times between letters, slips, and backspaces once a slip is noticed.

What studies of typists found, as factors of the mean time between two keys:

    intervals are about log-normal, so that some are so short that the keys overlap, and the speeds of people
    spread by two fifths of their mean (Dhakal, Feit, Kristensson and Oulasvirta 2018: 136 million
    keystrokes of 168,000 people);
    two letters by different hands, and frequent pairs of letters, come faster (Salthouse 1986);
    the first letter of a word comes later than those inside (Ostry 1983), and people pause between sentences;
    one slips at one to three letters in a hundred, most slips are a wrong letter, and most are noticed within
    a few letters; a pause comes before the first backspace, and none after the last (Crump and Logan 2013).

The sizes are rounded, and chosen so that 3 to 4% of all strokes are backspaces, as of fast typists. Times are
scaled so that the text, without its slips, comes with as many words a minute as were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import exp
from random import Random
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

from treewhile.server.load.strokes import Page, Strokes, ended_by, seconds_of_a_letter

SPREAD_OF_SPEEDS: Final = 0.37  # of their logarithm
SPREAD_OF_INTERVALS: Final = 0.35  # likewise
FIRST_OF_A_SENTENCE, FIRST_OF_A_WORD, BLANK, SHIFTED = 6.0, 1.4, 0.9, 1.4
OTHER_HAND, SAME_HAND, FREQUENT = 0.9, 1.1, 0.85
NOTICING, BACKSPACE = 2.5, 0.8
SLIPS: Final = 0.022  # of the letters
GOING_ON: Final = 0.5  # how probably a slip goes unnoticed for one more letter
LATEST: Final = 8  # letters until a slip is noticed
AT_ONCE: Final = 40  # words whose times are scaled together

LEFT_HAND: Final = frozenset("qwertasdfgzxcvb")
PAIRS: Final = (
    "th",
    "he",
    "in",
    "er",
    "an",
    "re",
    "on",
    "at",
    "en",
    "nd",
    "ti",
    "es",
    "or",
    "te",
    "of",
    "ed",
)
ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


class Key(NamedTuple):
    """A letter, or "" for a backspace, that comes after a time in units of its own."""

    time: float
    letter: str
    before: str = ""


def spread_speeds(typists: int, words_a_minute: float) -> list[float]:
    """What each of them types, slowest first; on average what is asked for."""
    normal = NormalDist(0, SPREAD_OF_SPEEDS)
    speeds = [exp(normal.inv_cdf((number + 0.5) / typists)) for number in range(typists)]
    return [words_a_minute * speed / fmean(speeds) for speed in speeds]


def by_letters(words: Iterator[str], words_a_minute: float, source: Random) -> Strokes:
    """An edit for each key."""
    page, before = Page(), "  "
    while some := [*islice(words, AT_ONCE)]:
        text = "".join(f"{word} " for word in some)
        keys = [*_keys(text, before, source)]
        before = text[-2:]
        unit = seconds_of_a_letter(words_a_minute) * len(text) / sum(key.time for key in keys)
        for key in keys:
            page.at += unit * key.time
            ended = ended_by(key.before) if key.letter == " " else "nothing"
            yield page.press(key.letter, ended) if key.letter else page.delete()


def _keys(text: str, before: str, source: Random) -> Iterator[Key]:
    """All that is pressed for a text that stands behind two letters, with the slips."""
    shown = before + text
    for at in range(2, len(shown)):
        if shown[at].isalpha() and source.random() < SLIPS:
            yield from _slip(shown, at, source)
        yield _key(shown[at - 2 : at], shown[at], source)


def _slip(shown: str, at: int, source: Random) -> Iterator[Key]:
    """A wrong letter, those behind it until it is noticed, and their deletion."""
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
    """How long it takes from the letters before to this one."""
    last, shift = before[-1], SHIFTED if letter.isupper() or not letter.isalnum() else 1.0
    if letter == " ":
        return BLANK
    if last == " ":
        is_first = ended_by(before[0]) == "sentence"
        return shift * (FIRST_OF_A_SENTENCE if is_first else FIRST_OF_A_WORD)
    hand = OTHER_HAND if (last in LEFT_HAND) != (letter in LEFT_HAND) else SAME_HAND
    return shift * hand * (FREQUENT if last + letter in PAIRS else 1.0)


def _varied(time: float, source: Random) -> float:
    """A time with this mean."""
    return time * source.lognormvariate(-(SPREAD_OF_INTERVALS**2) / 2, SPREAD_OF_INTERVALS)


def _neighbour(letter: str, source: Random) -> str:
    """What is pressed instead of a letter."""
    row = next((row for row in ROWS if letter.lower() in row), letter)
    at = row.find(letter.lower()) + source.choice((-1, 1))
    return row[at] if 0 <= at < len(row) else row[-2:][0]
