"""Sentences of a treebank in the layouts of real texts, which the treebank's own text lacks.

Passages of some sentences are texts of their own. In some, lines end where they are full, in the middle of
sentences; in others, lines are headings, list items, sentences or paragraphs, and end these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

import numpy as np

from treewhile.incremental.texts.treebank_texts import Piece, Pieces, TreebankText, text_of_pieces
from treewhile.incremental.training.made_up_tokens import MadeUpTokens
from treewhile.incremental.training.quoted_passages import (
    FINAL,
    QuotedPassages,
    before_stop,
    ending,
    is_word,
    with_more,
    word_starts,
)

PASSAGE = 5  # sentences, on average
SHORT_LINE, LONGEST_SHORT_LINE = 2.5, 7  # tokens of headings and of some list items: on average, and at most
LONGEST_WITHOUT_STOP = 12  # tokens of a line
WIDTHS = 48, 100  # of wrapped lines, in characters

# Shares of sentences with made-up tokens: behind them, before them, as last word, before the stop, or
# anywhere
MADE_UP = 0.2
SMILEYS, ELIDED, LAST_WORDS, BEFORE_STOP = 0.15, 0.05, 0.35, 0.5
ABBREVIATION = 0.4  # of the words before a stop: abbreviations whose own stop ends the sentence

QUOTED = 0.45  # share of passages with quotation marks or brackets

# Shares of stops without a space behind, of lines without their stop, of lists of a few words each, of such
# lines with a capital, and of texts that end without white space
GLUED, WITHOUT_STOP, SHORT, CAPITAL, CUT = 0.04, 0.4, 0.5, 0.6, 0.5


def laid_out(text: TreebankText, random: np.random.Generator) -> list[TreebankText]:
    """Return passages of the text, each in a layout of its own."""
    layouts = _Layouts(text, random)
    return [text_of_pieces(layouts.any_of(passage)) for passage in layouts.passages()]


class _Layouts:
    def __init__(self, text: TreebankText, random: np.random.Generator) -> None:
        self._random = random
        self._sentences = text.sentences()
        self._made_up = MadeUpTokens(self._sentences, random)
        self._quoted = QuotedPassages(self._sentences, random)
        self._shares: dict[Callable[[list[Pieces]], list[Pieces]], float] = {
            self._as_it_is: 0.22,
            self._wrapped: 0.3,
            self._paragraphs: 0.1,
            self._lines: 0.1,
            self._headed: 0.1,
            self._list: 0.1,
            self._list_in_a_line: 0.08,
        }

    def passages(self) -> Iterator[list[Pieces]]:
        """Yield all sentences in passages, some with made-up tokens, and some passages quoted."""
        end = 0
        while end < len(self._sentences):
            start, end = end, end + int(self._random.geometric(1 / PASSAGE))
            passage = [self._with_more(pieces) for pieces in self._sentences[start:end]]
            yield self._quoted.of(passage) if self._chance(QUOTED) else passage

    def any_of(self, passage: list[Pieces]) -> list[Pieces]:
        """Return the passage in one of the layouts, which often ends without white space."""
        layouts = list(self._shares)
        chosen = layouts[self._random.choice(len(layouts), p=list(self._shares.values()))]
        found = chosen(passage)
        return [*found[:-1], ending(found[-1], "")] if self._chance(CUT) else found

    # --- layouts ------------------------------------------------------------------------------------------

    def _as_it_is(self, passage: list[Pieces]) -> list[Pieces]:
        return [self._perhaps_glued(pieces) for pieces in passage]

    def _perhaps_glued(self, pieces: Pieces) -> Pieces:
        """Return the sentence, perhaps without a space between its stop and the following one."""
        if not (len(pieces) > 1 and pieces[-1].surface in FINAL and self._chance(GLUED)):
            return pieces
        more = self._made_up.number() if self._chance(0.5) else []
        return ending(with_more(pieces, len(pieces) - 1, more), "")

    def _wrapped(self, passage: list[Pieces]) -> list[Pieces]:
        """Return the passage with lines that end where no more fits."""
        return wrapped(passage, int(self._random.integers(*WIDTHS)))

    def _paragraphs(self, passage: list[Pieces]) -> list[Pieces]:
        """Return the passage with single line ends between paragraphs."""
        return [ending(pieces, "\n") if "\n\n" in pieces[-1].white_space else pieces for pieces in passage]

    def _lines(self, passage: list[Pieces]) -> list[Pieces]:
        """Return a line for each sentence, or for some words of the sentence."""
        return [ending(pieces, "\n") for pieces in self._all_short_or_not(passage)]

    def _headed(self, passage: list[Pieces]) -> list[Pieces]:
        """Return a heading before lines that are wrapped, or paragraphs."""
        heading = self._short_line(passage[0])
        rest = passage[1:] or passage
        body = self._wrapped(rest) if self._chance(0.5) else self._paragraphs(rest)
        return [ending(heading, "\n"), *body]

    def _list(self, passage: list[Pieces]) -> list[Pieces]:
        """Return list items, each on a line, and the sentence before the list."""
        mark = self._made_up.item_marks()
        return [
            ending([*mark(number), *pieces] if number else pieces, "\n")
            for number, pieces in enumerate(self._all_short_or_not(passage))
        ]

    def _list_in_a_line(self, passage: list[Pieces]) -> list[Pieces]:
        """Return numbered items behind one another."""
        numbered = enumerate(map(self._perhaps_without_stop, passage), 1)
        return [ending([*self._made_up.item_number(number), *pieces], " ") for number, pieces in numbered]

    # --- sentences ----------------------------------------------------------------------------------------

    def _with_more(self, pieces: Pieces) -> Pieces:
        """Return the sentence, perhaps with made-up tokens inside or behind."""
        if not self._chance(MADE_UP):
            return pieces
        if self._chance(SMILEYS):
            return with_more(pieces, len(pieces), self._made_up.smiley())
        if self._chance(ELIDED):
            return with_more(pieces, 0, self._made_up.elided())
        stop = before_stop(pieces)
        if self._chance(LAST_WORDS):
            return with_more(pieces, stop, self._made_up.word())
        if self._chance(BEFORE_STOP):
            return self._with_more_at_end(pieces, stop)
        places = [0, *(number for number, piece in enumerate(pieces, 1) if piece.white_space)]
        at = places[self._random.integers(len(places))]
        return with_more(pieces, at, self._made_up.part_of_sentence())

    def _with_more_at_end(self, pieces: Pieces, stop: int) -> Pieces:
        """Return the sentence with made-up tokens before its stop, or an abbreviation that has the stop."""
        abbreviated = self._made_up.last_abbreviation() if self._chance(ABBREVIATION) else []
        if abbreviated and pieces[stop:] == [Piece(".", pieces[-1].white_space)]:
            return ending(with_more(pieces[:stop], stop, abbreviated), pieces[-1].white_space)
        return with_more(pieces, stop, self._made_up.part_of_sentence())

    def _all_short_or_not(self, passage: list[Pieces]) -> Iterator[Pieces]:
        return map(self._short_line if self._chance(SHORT) else self._perhaps_without_stop, passage)

    def _perhaps_without_stop(self, pieces: Pieces) -> Pieces:
        may_lack_it = 1 < len(pieces) <= LONGEST_WITHOUT_STOP and pieces[-1].surface == "."
        return pieces[:-1] if may_lack_it and self._chance(WITHOUT_STOP) else pieces

    def _short_line(self, pieces: Pieces) -> Pieces:
        """Return some words of a sentence, perhaps with a capital."""
        begins = word_starts(pieces)
        if not begins:
            return pieces
        start = begins[self._random.integers(len(begins))]
        most = min(LONGEST_SHORT_LINE, int(self._random.geometric(1 / SHORT_LINE)))
        chosen = [*takewhile(is_word, pieces[start : start + most])]
        if self._chance(CAPITAL):
            first = chosen[0].surface
            chosen[0] = Piece(first[0].upper() + first[1:], chosen[0].white_space)
        return chosen

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def wrapped(passage: Sequence[Pieces], width: int) -> list[Pieces]:
    """Return the passage with line ends for spaces where the next word would exceed the width."""
    pieces = [piece for one in passage for piece in one]
    ends = [number for number, piece in enumerate(pieces, 1) if piece.white_space]
    column = 0
    for start, end in pairwise([0, *ends]):
        size = sum(len(piece.surface) for piece in pieces[start:end])
        if column and column + 1 + size > width and "\n" not in pieces[start - 1].white_space:
            pieces[start - 1] = Piece(pieces[start - 1].surface, "\n")
        if "\n" in pieces[start - 1].white_space:
            column = 0
        column += size + (column > 0)
    sizes = accumulate(map(len, passage), initial=0)
    return [pieces[start:end] for start, end in pairwise(sizes)]
