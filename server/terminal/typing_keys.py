"""A line that is typed: keys in, edits of its text out. It reads no terminal itself."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

KEY: Final = re.compile(
    r"(?P<escape>\x1b(\[[0-?]*[ -/]*[@-~]|O[A-Za-z]|(?!\[|O)[^\x1b]?))"
    r"|(?P<control>[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f])"
    r"|(?P<text>[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]+)"
)
UNFINISHED: Final = re.compile(r"\x1b(\[[0-?]*[ -/]*|O)?$")
LEFT, RIGHT = ("\x1b[D", "\x1bOD"), ("\x1b[C", "\x1bOC")
HOME, END = ("\x1b[H", "\x1bOH", "\x1b[1~", "\x01"), ("\x1b[F", "\x1bOF", "\x1b[4~", "\x05")
BACKSPACE, DELETE = ("\x7f", "\x08"), ("\x1b[3~",)
DELETE_WORD, DELETE_LINE, QUIT = ("\x17",), ("\x15",), ("\x03", "\x04")
LAST_WORD: Final = re.compile(r"\S*\s*$")


class TextEdit(NamedTuple):
    """`text` takes the place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str


class TypedLine:
    """A text with a cursor.

    is_over  whether somebody wants to end
    """

    def __init__(self) -> None:
        self.text, self.cursor, self.is_over = "", 0, False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def take(self, keys: bytes) -> Iterator[TextEdit]:
        """What the keys do to the text; half a key waits for its other half."""
        typed = self._rest + self._decoder.decode(keys)
        unfinished = UNFINISHED.search(typed)
        cut = unfinished.start() if unfinished else len(typed)
        self._rest = typed[cut:]
        for match in KEY.finditer(typed[:cut]):
            edit = self._edit(match["text"], match[0])
            if edit:
                yield self._apply(edit)

    def put(self, text: str) -> None:
        """Another text takes the place of what was typed."""
        self.text, self.cursor = text, min(self.cursor, len(text))

    def _edit(self, text: str | None, key: str) -> TextEdit | None:
        at = self.cursor
        if text is not None:
            return TextEdit(at, at, text.replace("\r", "\n"))
        if key in QUIT:
            self.is_over = True
        elif key in BACKSPACE and at:
            return TextEdit(at - 1, at, "")
        elif key in DELETE and at < len(self.text):
            return TextEdit(at, at + 1, "")
        elif key in (*DELETE_WORD, *DELETE_LINE) and at:
            return TextEdit(self._start_of_word() if key in DELETE_WORD else 0, at, "")
        self._move(key)
        return None

    def _move(self, key: str) -> None:
        if key in LEFT:
            self.cursor = max(0, self.cursor - 1)
        elif key in RIGHT:
            self.cursor = min(len(self.text), self.cursor + 1)
        elif key in HOME:
            self.cursor = 0
        elif key in END:
            self.cursor = len(self.text)

    def _start_of_word(self) -> int:
        found = LAST_WORD.search(self.text[: self.cursor])
        assert found is not None
        return found.start()

    def _apply(self, edit: TextEdit) -> TextEdit:
        self.text = self.text[: edit.start] + edit.text + self.text[edit.end :]
        self.cursor = edit.start + len(edit.text)
        return edit
