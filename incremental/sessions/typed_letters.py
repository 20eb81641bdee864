"""Letters at the end of a text that may be segmented later: they only begin or continue a word.

No token ends between them, and if they begin a word, another one stands a space before them. Effects on
earlier words, as when *cannot* becomes two, are computed once the word ends, or the typist pauses.
"""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.document_content import TextContent
from treewhile.incremental.sessions.document_edits import TextEdited, units
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.texts.segmenter import Segmenter

MOST_LETTERS: Final = 32  # maximum that may wait


class TypedLetters:
    """Typed letters of a content, in its state after they were typed."""

    __slots__ = ("_content", "_segmenter")

    def __init__(self, content: TextContent, segmenter: Segmenter) -> None:
        self._content, self._segmenter = content, segmenter

    def begin(self, words: SentenceWords, start: int, edit: TextEdited) -> SentenceWords | None:
        """Return the words of the last sentence, which begins at `start`, with one that an edit begins."""
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
        """Return the words of the last sentence with other last letters, some of which may have waited."""
        form, letters = words.forms[-1], waited.new_text if waited else ""
        known = form[: len(form) - len(letters)]
        fit = self._is_at_end(edit) and self._fit(known, edit, letters)
        return words.with_last(known + edit.new_text, self._content.positions) if fit else None

    def _is_at_end(self, edit: TextEdited) -> bool:
        start, end, letters, _ = edit
        return start == end == len(self._content.text) - len(letters) and len(letters) <= MOST_LETTERS

    def _fit(self, known: str, edit: TextEdited, waited: str) -> bool:
        """Return whether letters continue their word's segmented letters, or begin a word.

        Letters that have waited were checked before.
        """
        text, segmenter = self._content.text, self._segmenter
        if waited and edit.new_text.startswith(waited):
            return segmenter.is_unbroken(text[edit.start + len(waited) - 1 :])
        if known:
            return text.endswith(known, 0, edit.start) and segmenter.is_unbroken(text[edit.start - 1 :])
        return bool(edit.new_text) and segmenter.is_within_sentence(edit.start, text)
