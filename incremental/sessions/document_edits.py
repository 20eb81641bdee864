"""What happens to the words of a document, once it was checked, and what becomes of its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

TYPED_CHARACTERS: Final = 40  # at once, at most
TYPED_WORDS: Final = 4  # at once, at most


class TextEdited(NamedTuple):
    """`new_text` takes the place of the code points from `start` to `end`; a document may begin with it."""

    start: int
    end: int
    new_text: str
    is_opening: bool = False

    @property
    def caret(self) -> int:
        """Where somebody who types goes on."""
        return self.start + len(self.new_text)

    @property
    def is_typed(self) -> bool:
        """Whether it is short enough to come from a keyboard."""
        return len(self.new_text) <= TYPED_CHARACTERS

    @property
    def is_within_word(self) -> bool:
        """Whether somebody may have typed or deleted letters, and go on with the same word."""
        return not self.is_opening and self.is_typed and not any(map(str.isspace, self.new_text))


def joined(first: TextEdited, then: TextEdited) -> TextEdited | None:
    """Two edits as one, the second of which is at what the first has put in; None if it is elsewhere."""
    start, end, text, is_opening = first
    if then.end < start or then.start > start + len(text):
        return None
    before, behind = text[: max(0, then.start - start)], text[max(0, then.end - start) :]
    further = max(0, then.end - start - len(text))
    new_text = before + then.new_text + behind
    return TextEdited(min(start, then.start), end + further, new_text, is_opening)


class WordsCame(NamedTuple):
    """More words at the end."""

    words: Sequence[str]

    @property
    def is_typed(self) -> bool:
        """Whether there are few enough to come from a keyboard."""
        return len(self.words) <= TYPED_WORDS


class WordsWent(NamedTuple):
    """The last words are gone, `words` of them."""

    words: int
    is_typed: bool = True


class SentenceFinished(NamedTuple):
    """The last sentence has ended."""

    is_typed: bool = True


class TypingPaused(NamedTuple):
    """Nobody has typed for a while: a last sentence that has its final punctuation is a whole one."""

    is_typed: bool = True


class Splice(NamedTuple):
    """What an edit does to sentences: at `place`, `removed` go and `added` come, which makes `in_all`.

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
        """Whether the last sentence has changed, or another one is last."""
        return self.changes_any and self.place + self.added == self.in_all


class Followed(NamedTuple):
    """An edit that words have followed already, with what it has done to sentences, which are to follow."""

    splice: Splice
    is_typed: bool = True


DocumentEdit: TypeAlias = TextEdited | WordsCame | WordsWent | SentenceFinished | TypingPaused | Followed


def splice_between(first: int, before: int, after: int, in_all: int) -> Splice:
    """From sentence `first` on, `before` sentences have become `after`, of `in_all`."""
    kept = min(before, after)
    return Splice(first, first + kept, before - kept, after - kept, in_all)
