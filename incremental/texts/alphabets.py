"""Symbols of text: characters by the codes of a vocabulary, each run of white space as one symbol."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import NamedTuple, TypeAlias
from unicodedata import category

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts import kernels

SHORT = 64  # length up to which a loop over characters is faster than arrays


# Symbols without a character, then classes of characters, then the characters of a vocabulary.
END, BEGIN, HIDDEN, SPACE, LINE_END, BLANK_LINE = kernels.SYMBOLS
MARK, JOINER, UPPER, LOWER, LETTER, DIGIT, PUNCTUATION, SIGN, OTHER = range(6, 15)
CLASSES = 15


Codes: TypeAlias = npt.NDArray[np.uint16]
Positions: TypeAlias = npt.NDArray[np.int64]


CLASS_OF_CATEGORY = {"Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Cc": SPACE}
CLASS_OF_MAJOR = {"M": MARK, "L": LETTER, "N": DIGIT, "P": PUNCTUATION, "S": SIGN}
CLASS_OF_CHARACTER = {
    "\n": LINE_END,
    "\u200b": SPACE,
    "\ufeff": SPACE,
    "\u200d": JOINER,
    **dict.fromkeys(map(chr, range(0x1F3FB, 0x1F400)), MARK),  # skin tones
}
# Shortest text of each white-space symbol, behind which the next text is appended.
WHITE_SPACE = {SPACE: " ", LINE_END: "\n", BLANK_LINE: "\n\n"}


def class_of(character: str) -> int:
    """Return the class of a character; controls count as white space, as no file has them in a word."""
    if character in CLASS_OF_CHARACTER:
        return CLASS_OF_CHARACTER[character]
    if character.isspace():
        return SPACE
    kind = category(character)
    return CLASS_OF_CATEGORY.get(kind) or CLASS_OF_MAJOR.get(kind[0], OTHER)


class Symbols(NamedTuple):
    """Text as symbols: for each its code, its start in the text, and its character or one space."""

    codes: Codes
    starts: Positions
    shown: str


class Alphabet(dict[str, int]):
    """Code of every character: its own if it is in the vocabulary, else that of its class."""

    def __init__(self, vocabulary: str) -> None:
        super().__init__((character, code) for code, character in enumerate(vocabulary, CLASSES))
        self.vocabulary = vocabulary
        self.classes = np.array([*range(CLASSES), *map(class_of, vocabulary)], np.uint16)
        folded = [self.get(character.lower(), code) for code, character in enumerate(vocabulary, CLASSES)]
        self.folded = np.array([*range(CLASSES), *folded], np.uint16)
        self.folded[UPPER] = LOWER

    def __missing__(self, character: str) -> int:
        self[character] = code = class_of(character)
        return code

    def symbols(self, text: str) -> Symbols:
        codes, starts = self.codes(text)
        symbols = zip(codes, starts, strict=True)
        shown = "".join(" " if code in WHITE_SPACE else text[start] for code, start in symbols)
        return Symbols(np.array(codes, np.uint16), np.array(starts, np.int64), shown)

    def codes(self, text: str) -> tuple[array[int], array[int]]:
        """Return the codes of the symbols of a text, and their starts."""
        return self._few_codes(text) if len(text) <= SHORT else self._many_codes(text)

    def _many_codes(self, text: str) -> tuple[array[int], array[int]]:
        codes = np.fromiter(map(self.__getitem__, text), np.uint16, len(text))
        starts = np.empty(len(codes), np.int64)
        count = kernels.merge_white_space(codes, starts)
        return array("H", codes[:count].tobytes()), array("q", starts[:count].tobytes())

    def _few_codes(self, text: str) -> tuple[array[int], array[int]]:
        """Return codes and starts in a loop, which is faster for few characters."""
        codes, starts, line_ends = array("H"), array("q"), -1  # in the last white space; -1 if there is none
        for at, code in enumerate(map(self.__getitem__, text)):
            if not SPACE <= code <= BLANK_LINE:
                line_ends = -1
                codes.append(code)
                starts.append(at)
                continue
            if line_ends < 0:
                line_ends = 0
                codes.append(SPACE)
                starts.append(at)
            line_ends += code == LINE_END
            codes[-1] = SPACE + min(line_ends, 2)
        return codes, starts

    @cached_property
    def letters(self) -> npt.NDArray[np.uint64]:
        """Summands of hashes of runs, by code; 0 for codes that end a run."""
        is_letter = (self.classes >= MARK) & (self.classes <= DIGIT)
        return np.where(is_letter, self.folded + np.uint64(1), np.uint64(0))


def is_white(codes: Codes) -> npt.NDArray[np.bool_]:
    """Return the mask of white-space symbols."""
    return (codes >= SPACE) & (codes <= BLANK_LINE)
