"""Part of a document's content that its parses follow: all of it, or nothing while its script is unknown.

A text in a script that the model has not learnt would be parsed as nonsense. The content keeps it, and the
parses lose it as if it had been deleted, until an edit makes it readable again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from treewhile.incremental.sessions.document_content import DocumentContent, TextContent
from treewhile.incremental.sessions.document_edits import (
    DocumentEdit,
    SentenceFinished,
    TextEdited,
    WordsCame,
    WordsWent,
)

LOOKED_AT: Final = 120  # characters at the end of a text from which its language is told
LOOKED_AT_WORDS: Final = 25


class ReadableContent:
    """Content in known scripts, or any if `known` is None; `unknown` is the script if it is another one."""

    __slots__ = ("_content", "_known", "unknown")

    def __init__(self, content: DocumentContent, known: Collection[str] | None) -> None:
        self._content, self._known = content, known
        self.unknown: str | None = None

    def followed(self, edit: DocumentEdit) -> Sequence[DocumentEdit]:
        """Return the edits, one at least, for parses to follow an edit that the content has taken."""
        if self._known is None:
            return [edit]
        before, self.unknown = self.unknown, self._content.letters.unknown(self._known)
        if before is None:
            return [edit if self.unknown is None else self._removal(edit)]
        return [self._nothing] if self.unknown else self._all

    def _removal(self, edit: DocumentEdit) -> DocumentEdit:
        """Return the removal of what was there before an edit."""
        content = self._content
        if isinstance(content, TextContent):
            assert isinstance(edit, TextEdited)
            length = len(content.text) - len(edit.new_text) + edit.end - edit.start
            return TextEdited(0, length, "", is_opening=True)
        came = len(edit.words) if isinstance(edit, WordsCame) else 0
        went = edit.words if isinstance(edit, WordsWent) else 0
        return WordsWent(len(content.words) - came + went)

    @property
    def _nothing(self) -> DocumentEdit:
        is_text = isinstance(self._content, TextContent)
        return TextEdited(0, 0, "", is_opening=True) if is_text else WordsCame([])

    @property
    def _all(self) -> Sequence[DocumentEdit]:
        """Edits that make the whole content."""
        content = self._content
        if isinstance(content, TextContent):
            return [TextEdited(0, 0, content.text, is_opening=True)]
        edits: list[DocumentEdit] = []
        for start, end in pairwise([0, *content.ends]):
            edits += [WordsCame(content.words[start:end]), SentenceFinished()]
        return [*edits, WordsCame(content.words[content.ends[-1] if content.ends else 0 :])]

    @property
    def end(self) -> str:
        """Last words of the content; empty if parses do not follow it."""
        content = self._content
        if self.unknown:
            return ""
        if isinstance(content, TextContent):
            return content.text[-LOOKED_AT:]
        return " ".join(content.words[-LOOKED_AT_WORDS:])
