"""Final punctuation of a sentence, detected in its last tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from unicodedata import category, normalize

FINAL_PUNCTUATION: Final = frozenset(".!?。؟।॥።")
CLOSING: Final = ("Pe", "Pf", "Pi")  # categories of characters; „…“ and »…« close with one of Pi
LOOKED_AT: Final = 8  # maximum number of tokens; no more closing ones follow each other


def has_final_punctuation(forms: Sequence[str]) -> bool:
    """Return whether the last token, before closing brackets and quotation marks, is final punctuation."""
    first = max(0, len(forms) - LOOKED_AT)
    for place in range(len(forms) - 1, first - 1, -1):
        shown = normalize("NFKC", forms[place])
        if place == first or not all(map(_closes, shown)):
            return FINAL_PUNCTUATION.issuperset(shown)
    return False


def may_close_sentence(form: str) -> bool:
    """Return whether a last token needs a check; plain letters and digits do not."""
    return not (form.isascii() and form.isalnum())


def _closes(character: str) -> bool:
    return character in "\"'" or category(character) in CLOSING
