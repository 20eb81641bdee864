"""Edits of a document: positions in its text, checked edits of its words, and their effects on its sentences.

Positions of a document are in code points or in the units that its client counts; edits are in code points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from treewhile.incremental.sessions.messages import Positions


def units(text: str, positions: Positions) -> int:
    """Return the length of a text in units."""
    if positions == "code_points" or text.isascii():
        return len(text)
    return len(text.encode("utf-16-le")) // 2


class TextPositions:
    """Positions of the characters that are two units long; no conversion scans the whole text."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._wide: list[int] = []  # in code points
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def copy(self) -> TextPositions:
        copied = TextPositions(self._positions)
        copied._wide, copied._length = [*self._wide], self._length
        return copied

    @property
    def units(self) -> int:
        """Length of the text in units."""
        return self._length + len(self._wide)

    @property
    def has_wide(self) -> bool:
        """True if both kinds of positions differ anywhere."""
        return bool(self._wide)

    def replace(self, start: int, end: int, new_text: str) -> None:
        """Replace the code points from `start` to `end` by `new_text`."""
        shift = len(new_text) - (end - start)
        self._length += shift
        if self._positions == "code_points" or (not self._wide and new_text.isascii()):
            return
        first, behind = bisect_left(self._wide, start), bisect_left(self._wide, end)
        new = [place for place, character in enumerate(new_text, start) if character > "\uffff"]
        self._wide[first:] = [*new, *(place + shift for place in self._wide[behind:])]

    def in_units(self, place: int) -> int:
        return place + bisect_left(self._wide, place)

    def in_code_points(self, place: int) -> int | None:
        """Return a position in units as one in code points; None if outside, or within a character."""
        if not self._wide:
            return place if place <= self._length else None
        before = bisect_left(range(len(self._wide)), place, key=lambda number: self._wide[number] + number)
        found = place - before
        if found > self._length or (before and self._wide[before - 1] >= found):
            return None
        return found


class TextEdit(NamedTuple):
    """Replacement of the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def edit_between(before: str, after: str) -> TextEdit | None:
    """Return the shortest edit from one text to the other; None if they are the same."""
    if before == after:
        return None
    most = min(len(before), len(after))
    start = _shared(before[:most], after[:most])
    most -= start
    behind = _shared(before[len(before) - most :][::-1], after[len(after) - most :][::-1])
    return TextEdit(start, len(before) - behind, after[start : len(after) - behind])


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts of equal length, by bisection."""
    least, most = 0, len(one)
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


TYPED_CHARACTERS: Final = 40  # maximum for one keystroke
TYPED_WORDS: Final = 4  # maximum for one keystroke


class TextEdited(NamedTuple):
    """Replacement of the code points from `start` to `end` by `new_text`; a document may begin with one."""

    start: int
    end: int
    new_text: str
    is_opening: bool = False

    @property
    def caret(self) -> int:
        """Position where typing would go on."""
        return self.start + len(self.new_text)

    @property
    def is_typed(self) -> bool:
        """True if the text is short enough to come from a keyboard."""
        return len(self.new_text) <= TYPED_CHARACTERS

    @property
    def is_within_word(self) -> bool:
        """True if this may be letters typed or deleted within one word."""
        letters = self.new_text
        return not (self.is_opening or len(letters) > TYPED_CHARACTERS or any(map(str.isspace, letters)))


def joined(first: TextEdited, then: TextEdited) -> TextEdited | None:
    """Return two edits as one if the second is within the text of the first; else None."""
    start, end, text, is_opening = first
    if then.end < start or then.start > start + len(text):
        return None
    before, behind = text[: max(0, then.start - start)], text[max(0, then.end - start) :]
    further = max(0, then.end - start - len(text))
    new_text = before + then.new_text + behind
    return TextEdited(min(start, then.start), end + further, new_text, is_opening)


class WordsCame(NamedTuple):
    """Addition of words at the end."""

    words: Sequence[str]

    @property
    def is_typed(self) -> bool:
        """True if the words are few enough to come from a keyboard."""
        return len(self.words) <= TYPED_WORDS


class WordsWent(NamedTuple):
    """Removal of the last `words` words."""

    words: int
    is_typed: bool = True


class SentenceFinished(NamedTuple):
    """End of the last sentence."""

    is_typed: bool = True


class TypingPaused(NamedTuple):
    """Pause in typing: a last sentence with final punctuation counts as a whole one."""

    is_typed: bool = True


class Splice(NamedTuple):
    """Effect of an edit: at `place`, `removed` sentences go and `added` come, `in_all` altogether.

    Those from `first` to `place` stay with other words, or the same words in other places. Sentences are
    numbered from 1 in the order in which they come, and keep their numbers.
    """

    first: int
    place: int
    removed: int
    added: int
    in_all: int

    @property
    def changes_any(self) -> bool:
        return self.first < self.place or bool(self.removed or self.added)

    @property
    def changes_last(self) -> bool:
        """True if the last sentence has changed, or another one is last."""
        return self.changes_any and self.place + self.added == self.in_all


class Followed(NamedTuple):
    """Edit that the words have followed already, with its effect on sentences, not yet applied."""

    splice: Splice
    is_typed: bool = True


DocumentEdit: TypeAlias = TextEdited | WordsCame | WordsWent | SentenceFinished | TypingPaused | Followed


def splice_between(first: int, before: int, after: int, in_all: int) -> Splice:
    """Return the splice that replaces `before` sentences by `after`, from `first` on, of `in_all`."""
    kept = min(before, after)
    return Splice(first, first + kept, before - kept, after - kept, in_all)
