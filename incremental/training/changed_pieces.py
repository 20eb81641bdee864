"""Changes of the pieces of a sentence: other white space at its end, more pieces inside."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.texts.treebank_texts import Piece, Pieces

FINAL: Final = frozenset(".!?…")


def ending(pieces: Pieces, white_space: str) -> Pieces:
    """Return the pieces with other white space at the end."""
    return [*pieces[:-1], Piece(pieces[-1].surface, white_space)]


def with_more(pieces: Pieces, at: int, more: Pieces) -> Pieces:
    """Return the pieces with more pieces before a given place, and white space before the new ones."""
    if not more:
        return pieces
    if not at:
        return [*ending(more, " "), *pieces]
    before, gap = pieces[:at], pieces[at - 1].white_space
    return [*ending(before, " "), *ending(more, gap), *pieces[at:]]


def is_word(piece: Piece) -> bool:
    """Return whether a piece has letters or digits."""
    return any(map(str.isalnum, piece.surface))


def before_stop(pieces: Pieces) -> int:
    """Return the place before the stop of a sentence, or the sentence's end if there is no stop."""
    return len(pieces) - (len(pieces) > 1 and FINAL.issuperset(pieces[-1].surface))


def word_starts(pieces: Pieces) -> list[int]:
    """Return the places of words that begin a sentence or follow white space."""
    return [
        at for at, piece in enumerate(pieces) if is_word(piece) and (not at or pieces[at - 1].white_space)
    ]
