"""Scripts of letters, such as Latin and Hebrew, and texts in a script that a model has not learnt.

Python has no table of scripts, but the name of a letter begins with its script: "HEBREW LETTER ALEF". A text
is refused only if it would be parsed as nonsense: if it has no letter that the model knows, or if it is long
and most of its letters are unknown. A name in another script never is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final
from unicodedata import name, normalize

import numpy as np

from treewhile.oracles.errors import InputError

LATIN: Final = "Latin"
SHOWN: Final = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}

# Letters that count as several, since words in these scripts have fewer letters.
WEIGHTS: Final = {"Chinese": 3, "Japanese": 3, "Korean": 2}

FEWEST_KNOWN: Final = 10  # letters of a script that a model has to know
SHORTEST: Final = 16  # letters from which a text without any known letter is refused
SHORTEST_MIXED: Final = 40  # letters from which one is refused of whose letters most are unknown

LONG: Final = 1000  # characters
NO_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalpha())


def count_letters(text: str) -> Mapping[str, int]:
    """Return the number of letters in each script."""
    if text.isascii():
        letters = len(text.encode().translate(None, NO_LETTERS))
        return {LATIN: letters} if letters else {}
    counts: Counter[str] = Counter()
    for letter, times in _times(text):
        if letter.isalpha():
            script = _script_of(letter)
            counts[script] += times * WEIGHTS.get(script, 1)
    return counts


def _times(text: str) -> Iterable[tuple[str, int]]:
    """Return how often each character occurs; by numpy in long texts, which is ten times as fast."""
    if len(text) < LONG:
        return Counter(text).items()
    times = np.bincount(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32))
    return [(chr(code), int(times[code])) for code in np.flatnonzero(times)]


@lru_cache(1 << 12)
def _script_of(letter: str) -> str:
    first, *_ = name(normalize("NFKC", letter)[0], "unknown").split()
    return SHOWN.get(first, first.title())


def known_scripts(characters: Iterable[str]) -> frozenset[str]:
    """Return the scripts of which enough letters are among some characters."""
    letters = Counter(_script_of(character) for character in characters if character.isalpha())
    return frozenset(script for script, count in letters.items() if count >= FEWEST_KNOWN)


def unknown_script(
    letters: Mapping[str, int], known: Collection[str], shortest: int = SHORTEST
) -> str | None:
    """Return the script of a text with these letters if the text is to be refused by who knows others."""
    unknown = {script: count for script, count in letters.items() if script not in known}
    if not (unknown and known):
        return None
    strange = sum(unknown.values())
    familiar = sum(letters.values()) - strange
    is_refused = strange >= (SHORTEST_MIXED if familiar else shortest) and strange > familiar
    return max(unknown, key=unknown.__getitem__) if is_refused else None


def refusal(script: str, known: Collection[str]) -> str:
    """Return the sentence that refuses a text in an unknown script."""
    others = " and ".join(sorted(known))
    return f"the text is in {script} letters, and the model knows {others} ones: take a model for the text"


def check_script(text: str, known: Collection[str]) -> None:
    """Raise InputError for a text that is to be refused by who knows some scripts."""
    script = unknown_script(count_letters(text), known)
    if script is not None:
        raise InputError(refusal(script, known))


class LetterCounts:
    """Number of letters in each script of a text that changes."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def copy(self) -> LetterCounts:
        copied = LetterCounts()
        copied._counts = self._counts.copy()
        return copied

    def replace(self, removed: str, added: str) -> None:
        """Count the letters of an added text, and no longer those of a removed one."""
        for text, sign in ((added, 1), (removed, -1)):
            for script, count in count_letters(text).items() if text else ():
                self._counts[script] = self._counts.get(script, 0) + sign * count

    def unknown(self, known: Collection[str]) -> str | None:
        """Return the script of the text if the text is to be refused."""
        if len(self._counts) == 1 and next(iter(self._counts)) in known:
            return None
        return unknown_script(self._counts, known)
