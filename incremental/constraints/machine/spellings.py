"""Attributes of single words for constraints: spellings of the form, affixes, tag and features."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from treewhile.incremental.constraints.language.terms import FEATURE, Affix


def attribute_of(name: str | Affix, word: str, tag: str, features: str) -> str | None:
    """Return the form, lower, tag, shape, "feature Number" or affix of a word; None if missing."""
    if isinstance(name, Affix):
        return affix_of_word(name, word)
    if name == "tag":
        return tag
    if name.startswith(FEATURE):
        return values_of(features).get(name.removeprefix(FEATURE))
    return spellings(word)[name]


@lru_cache(1 << 12)
def values_of(features: str) -> dict[str, str]:
    """Return the values of features by name, given a column FEATS."""
    pairs = (pair.partition("=") for pair in features.split("|"))
    return {name: value for name, equals, value in pairs if equals}


def affix_of_word(asked: Affix, word: str) -> str | None:
    """Return the first of the affixes that the word has, case-insensitively."""
    has = str.startswith if asked.operation == "starts" else str.endswith
    folded = spellings(word)["lower"]
    if not has(folded, asked.affixes):  # a fast test of all affixes at once
        return None
    return next(affix for affix in asked.affixes if has(folded, affix))


@lru_cache(1 << 12)
def spellings(word: str) -> dict[str, str]:
    return {"form": word, "lower": word.casefold(), "shape": shape_of(word)}


def shape_of(word: str) -> str:
    """Return the shape: X for upper-case letters, x, d for digits, without repetition: "Xx", "d.d"."""
    return "".join(mark for mark, _ in groupby(map(_mark, word)))


def _mark(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return "d" if character.isdigit() else character
