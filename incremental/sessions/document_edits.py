"""Checked edits of a document's words, and their effects on its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

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
        return not self.is_opening and self.is_typed and not any(map(str.isspace, self.new_text))


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
