"""Letters at the end of a text that may wait to be segmented: all they do is begin a word, or go on with it.

No token ends between them, and where they begin a word, another one stands a space before them. Whether they
make others of the words before, as *cannot* becomes two, is asked once their word ends, or its typist pauses.
"""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.document_content import TextContent
from treewhile.incremental.sessions.document_edits import TextEdited
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.text_positions import units
from treewhile.incremental.texts.segmenter import Segmenter

MOST_LETTERS: Final = 32  # that may wait


class TypedLetters:
    """Of a content, as it is once they have been typed."""

    __slots__ = ("_content", "_segmenter")

    def __init__(self, content: TextContent, segmenter: Segmenter) -> None:
        self._content, self._segmenter = content, segmenter

    def begin(self, words: SentenceWords, start: int, edit: TextEdited) -> SentenceWords | None:
        """The words of the last sentence, which begins at `start`, with one that an edit begins."""
        content, letters = self._content, edit.new_text
        if not (letters and self._is_at_end(edit)):
            return None
        if not self._segmenter.is_within_sentence(edit.start, content.text):
            return None
        place = content.size[0] - units(letters, content.positions)
        return words.with_more(letters, place - start, content.positions)

    def go_on(
        self, words: SentenceWords, edit: TextEdited, waited: TextEdited | None
    ) -> SentenceWords | None:
        """The words of the last sentence with other letters behind the last one; some may have waited."""
        content, form = self._content, words.forms[-1]
        known = form[: len(form) - len(waited.new_text)] if waited else form
        if not (self._is_at_end(edit) and content.text.endswith(known, 0, edit.start)):
            return None
        return words.with_last(known + edit.new_text, content.positions) if self._fit(known, edit) else None

    def _is_at_end(self, edit: TextEdited) -> bool:
        start, end, letters, _ = edit
        return start == end == len(self._content.text) - len(letters) and len(letters) <= MOST_LETTERS

    def _fit(self, known: str, edit: TextEdited) -> bool:
        """Whether letters go with those of their word that are segmented, or begin a word."""
        text, segmenter = self._content.text, self._segmenter
        if known:
            return segmenter.is_unbroken(text[edit.start - 1 :])
        return bool(edit.new_text) and segmenter.is_within_sentence(edit.start, text)
