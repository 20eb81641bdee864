"""Language of a text, one of seven, by the n-grams of its words.

The classifier is linear: each word adds its score for each language, the sum of the weights of its n-grams,
which are hashed into rows. Digits and punctuation are ignored, and case but for names, which tell more of
people than of a language; so speech counts as writing does. `make languages` learns the weights: see
`training/language_learning.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

LANGUAGES: Final = {
    "af": "Afrikaans",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "nl": "Dutch",
    "pt": "Portuguese",
}
CODES: Final = tuple(LANGUAGES)  # columns of the weights

ROWS: Final = 1 << 14
NGRAM_LENGTHS: Final = range(1, 6)
WORD: Final = re.compile(r"'?[a-zß-öø-ɏ]+")
NAME: Final = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-Þ][a-zß-ÿ]\w*")
LONGEST_WORD: Final = 32  # letters that are looked at
PATH: Final = Path(__file__).resolve().parent / "languages.safetensors"

# What a notice needs.
FEWEST_LETTERS: Final = 20
SURE: Final = 0.999

Scores = npt.NDArray[np.float32]  # by language
NO_SCORES: Final = np.zeros(len(CODES), np.float32)


class Likely(NamedTuple):
    """Most probable language of a text, and its probability among the seven."""

    language: str
    confidence: float


def likely_language(text: str) -> Likely | None:
    """Return the most probable language of a text; None for one without Latin letters."""
    words = words_without_names(text)
    return _likely(_scores(words)) if words else None


def other_language(text: str, own: str, told: str | None = None) -> str | None:
    """Return the language that a text surely looks like, if it is not its own.

    The one that was `told` before is kept until another is sure, or the text looks like its own again.
    """
    words = words_without_names(text) if own in LANGUAGES else []
    scores = _scores(words)
    if not words or CODES[scores.argmax()] == own:
        return None
    language, confidence = _likely(scores)
    is_sure = confidence >= SURE and sum(map(len, words)) >= FEWEST_LETTERS
    return language if is_sure else told


def words_without_names(text: str) -> list[str]:
    """Return the words without those that begin with a capital within a sentence."""
    return words_of(NAME.sub(" ", text))


def words_of(text: str) -> list[str]:
    """Return the words in lower case, those after an apostrophe with it."""
    return WORD.findall(text.lower().replace("\u2019", "'"))


def _likely(scores: Scores) -> Likely:
    best = int(scores.argmax())
    return Likely(CODES[best], float(1 / np.exp(scores - scores[best]).sum()))


def _scores(words: list[str]) -> Scores:
    scores: Scores = np.concatenate([NO_SCORES, *map(_scores_of, words)]).reshape(-1, len(CODES)).sum(0)
    return scores


@lru_cache(1 << 13)
def _scores_of(word: str) -> Scores:
    weights, scale = _weights()
    scores: Scores = np.float32(scale) * weights[list(ngram_rows(word))].sum(0, dtype=np.float32)
    return scores


def ngram_rows(word: str) -> set[int]:
    """Return the rows of the n-grams of a word, and of the whole word."""
    marked = f"<{word[:LONGEST_WORD]}>"
    grams = {marked[at : at + n] for n in NGRAM_LENGTHS for at in range(len(marked) - n + 1)}
    return {crc32(gram.encode()) % ROWS for gram in grams - {"<", ">"} | {marked}}


@lru_cache(1)
def _weights() -> tuple[npt.NDArray[np.int8], float]:
    """Return the weights, [row, language], and their scale."""
    arrays = load_file(PATH)
    return arrays["weights"], float(arrays["scale"][0])
