"""Sentences of a treebank in quotation marks or brackets, which some treebanks lack.

A mark belongs to the adjacent sentence: `"Not yet." "Why not?"` is two sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.texts.treebank_texts import Piece, Pieces
from treewhile.incremental.training.made_up_tokens import Chance

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


class Marks(NamedTuple):
    """Pair of marks, and the white space between the marks and the enclosed text."""

    opening: str
    closing: str
    gap: str = ""


STRAIGHT: Final = Marks('"', '"'), Marks("'", "'")
QUOTATION_MARKS: Final = (
    *(STRAIGHT * 3),
    *((Marks("“", "”"), Marks("‘", "’")) * 2),  # noqa: RUF001
    *(Marks("„", "”"), Marks("„", "“"), Marks("‚", "’"), Marks("‚", "‘")),  # noqa: RUF001
    *(Marks("«", "»"), Marks("»", "«"), Marks("«", "»", " "), Marks("''", "''"), Marks(",,", "''")),
)
BRACKETS: Final = (*((Marks("(", ")"),) * 3), Marks("[", "]"))
QUOTES: Final = frozenset(chain.from_iterable(marks[:2] for marks in QUOTATION_MARKS)) | {"`", "``"}
PARENTHESES: Final = frozenset(chain.from_iterable(marks[:2] for marks in BRACKETS))
# Shares of passages in brackets, of quoted sentences in dialogues, and of shortened ones
IN_BRACKETS, QUOTED, SHORT = 0.15, 0.75, 0.6
SHORT_SENTENCE, SHORT_CLAUSE = 4, 2  # words, on average: of sentences, and of clauses that name the speaker
LONGEST_CLAUSE = 6  # words before a quotation
LEAST_STOPS = 3  # of a kind, to end other sentences with it


class QuotedPassages:
    """Maker of passages with marks around whole sentences, several of them, or parts."""

    def __init__(self, sentences: Sequence[Pieces], random: np.random.Generator) -> None:
        self._chance = Chance(random)
        self._random = random
        ends = Counter(one[-1].surface for one in sentences)
        stops = [stop for stop, times in ends.items() if times >= LEAST_STOPS and FINAL.issuperset(stop)]
        self._stops = [*"..?!", *sorted(stops)]
        self._clauses = [one for one in sentences if len(word_starts(one)) > 1 and _is_plain(one)]

    def of(self, passage: list[Pieces]) -> list[Pieces]:
        """Return the passage with marks, or unchanged if it has such marks already."""
        in_brackets = self._chance.happens(IN_BRACKETS)
        marks = self._chance.one_of(BRACKETS if in_brackets else QUOTATION_MARKS)
        known = PARENTHESES if in_brackets else QUOTES
        if not self._clauses or any(_has_any(known, one) for one in passage):
            return passage
        ways = [self._some_together, self._parts, *([] if in_brackets else [self._dialogue] * 4)]
        return self._chance.one_of(ways)(passage, marks)

    # --- passages -----------------------------------------------------------------------------------------

    def _dialogue(self, passage: list[Pieces], marks: Marks) -> list[Pieces]:
        """Return the passage with most sentences quoted, each by itself."""
        said = [self._shortened(one) if self._chance.happens(SHORT) else one for one in passage]
        return [self._said(one, marks) if self._chance.happens(QUOTED) else one for one in said]

    def _some_together(self, passage: list[Pieces], marks: Marks) -> list[Pieces]:
        """Return the passage with one pair of marks around some consecutive sentences."""
        start = self._chance.below(len(passage))
        end = start + 1 + self._chance.below(len(passage) - start)
        return [*passage[:start], *_enclosed(passage[start:end], marks), *passage[end:]]

    def _parts(self, passage: list[Pieces], marks: Marks) -> list[Pieces]:
        """Return the passage with some words of each sentence enclosed."""
        return [self._with_part_enclosed(one, marks) for one in passage]

    # --- sentences ----------------------------------------------------------------------------------------

    def _shortened(self, pieces: Pieces) -> Pieces:
        """Return the first words of the sentence, with a stop of any kind."""
        ends = [at for at in word_starts(pieces)[1:] if is_word(pieces[at - 1])]
        if not ends:
            return pieces
        end = ends[min(len(ends), int(self._random.geometric(1 / SHORT_SENTENCE))) - 1]
        return [*ending(pieces[:end], ""), Piece(self._chance.one_of(self._stops), pieces[-1].white_space)]

    def _said(self, pieces: Pieces, marks: Marks) -> Pieces:
        """Return the sentence quoted, perhaps with a clause that names the speaker."""
        ways: list[Callable[[Pieces, Marks], Pieces]] = [
            _alone,
            _alone,
            self._with_clause_before,
            self._with_clause_behind,
        ]
        return self._chance.one_of(ways)(pieces, marks)

    def _with_clause_before(self, pieces: Pieces, marks: Marks) -> Pieces:
        clause = self._chance.one_of(self._clauses)
        ends = [at for at in word_starts(clause)[1 : LONGEST_CLAUSE + 1] if is_word(clause[at - 1])]
        if not ends:
            return _alone(pieces, marks)
        begin = ending(clause[: self._chance.one_of(ends)], "")
        quoted = _alone(pieces, marks) if self._chance.happens(0.7) else _before_stop_alone(pieces, marks)
        return [*begin, Piece(self._chance.one_of(":,"), " "), *quoted]

    def _with_clause_behind(self, pieces: Pieces, marks: Marks) -> Pieces:
        clause = self._chance.one_of(self._clauses)
        starts = word_starts(clause)[1:]
        start = starts[-min(len(starts), int(self._random.geometric(1 / SHORT_CLAUSE)))]
        rest = ending(clause[start:], pieces[-1].white_space)
        if pieces[-1].surface != "." and before_stop(pieces) < len(pieces):
            return [*_alone(ending(pieces, " "), marks), *rest]
        said, comma = pieces[: before_stop(pieces)], [Piece(",", "")]
        if self._chance.happens(0.6):
            return [*_alone([*ending(said, ""), *ending(comma, " ")], marks), *rest]
        return [*_alone(ending(said, ""), marks), *ending(comma, " "), *rest]

    def _with_part_enclosed(self, pieces: Pieces, marks: Marks) -> Pieces:
        """Return the sentence with some words enclosed, mostly the last ones, with or without its stop."""
        starts = word_starts(pieces)
        if len(starts) < 2:
            return pieces
        start = self._chance.one_of(starts[1:])
        ends = [at for at in [*starts, before_stop(pieces), len(pieces)] if at > start]
        end = self._chance.one_of(ends[-2:] if self._chance.happens(0.5) else ends)
        return [*pieces[:start], *_alone(pieces[start:end], marks), *pieces[end:]]


def _has_any(surfaces: Collection[str], pieces: Pieces) -> bool:
    return any(piece.surface in surfaces for piece in pieces)


def _is_plain(pieces: Pieces) -> bool:
    """Return whether a sentence has a stop and no marks."""
    return before_stop(pieces) < len(pieces) and not _has_any(QUOTES | PARENTHESES, pieces)


def _enclosed(passage: list[Pieces], marks: Marks) -> list[Pieces]:
    """Return the sentences between a pair of marks, with their final white space behind the closing one."""
    passage = [[Piece(marks.opening, marks.gap), *passage[0]], *passage[1:]]
    last = passage[-1]
    return [*passage[:-1], [*ending(last, marks.gap), Piece(marks.closing, last[-1].white_space)]]


def _alone(pieces: Pieces, marks: Marks) -> Pieces:
    return _enclosed([pieces], marks)[0]


def _before_stop_alone(pieces: Pieces, marks: Marks) -> Pieces:
    """Return the sentence between marks but for its stop."""
    at = before_stop(pieces)
    return [*_alone(pieces[:at], marks), *pieces[at:]]
