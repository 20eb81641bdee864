"""Spellings of words, case-folded and as shapes, and the names that are none of them."""

from __future__ import annotations

from itertools import groupby
from typing import Final

SPELT: Final = ("lower", "shape")  # attributes that are not any name


def shape_of(word: str) -> str:
    """Return the shape: X for upper-case letters, x, d for digits, without repetition: "Xx", "d.d"."""
    return "".join(mark for mark, _ in groupby(map(_mark, word)))


def _mark(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return "d" if character.isdigit() else character


def misspelling(attribute: str, name: str) -> str | None:
    """Return why no word has a name as its attribute "lower" or "shape"; None if some word may."""
    if attribute == "lower" and name != name.casefold():
        return f"no word has {name!r:.40} as its lower: write {name.casefold()!r:.40}, or compare its form"
    shape = shape_of(name.replace("d", "0"))
    if attribute == "shape" and name != shape:
        return f"no word has the shape {name!r:.40}: did you mean {shape!r:.40}?"
    return None
