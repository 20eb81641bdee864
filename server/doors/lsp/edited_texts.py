"""Texts of an editor: their edits in lines and units of its encoding, their prose, and words at offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from lsprotocol import types

from treewhile.incremental.sessions.document_content import UNFIT
from treewhile.incremental.sessions.messages import AnalysisMessage

LINE_END: Final = re.compile("\r\n?|\n")
CODECS: Final = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}  # bytes per unit


class EditedText:
    """Text with the starts of its lines; places are offsets in code points.

    Characters that a session does not accept are replaced by others with as many units in any encoding. A
    position behind the end of its line, or of the text, means that end.
    """

    def __init__(self, text: str, encoding: str) -> None:
        self._codec, self._unit = CODECS[encoding]
        self._take(UNFIT.sub(_replaced, text))

    def change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply a change, of a range or of the whole text."""
        text = UNFIT.sub(_replaced, change.text)
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = sorted((self.place(change.range.start), self.place(change.range.end)))
            text = self.text[:start] + text + self.text[end:]
        self._take(text)

    def place(self, position: types.Position) -> int:
        """Return the offset of a position."""
        if position.line >= len(self._starts):
            return len(self.text)
        number, units = int(position.line), int(position.character)
        start, line = self._starts[number], self._line(number)
        if line.isascii():
            return start + min(units, len(line))
        before = line.encode(self._codec)[: units * self._unit]
        return start + len(before.decode(self._codec, "ignore"))

    def has(self, position: types.Position) -> bool:
        """Return whether a position is in the text, and not behind the end of its line."""
        number = int(position.line)
        if number >= len(self._starts):
            return False
        end = self.position(self._starts[number] + len(self._line(number)))
        return bool(position.character <= end.character)

    def position(self, place: int) -> types.Position:
        number = bisect_right(self._starts, place) - 1
        before = self.text[self._starts[number] : place]
        units = len(before) if before.isascii() else len(before.encode(self._codec)) // self._unit
        return types.Position(number, units)

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def paragraph(self, place: int) -> tuple[int, int]:
        """Return the start and end of the non-blank lines around an offset."""
        first = last = bisect_right(self._starts, place) - 1
        while first > 0 and self._line(first - 1).strip():
            first -= 1
        while last + 1 < len(self._starts) and self._line(last + 1).strip():
            last += 1
        return self._starts[first], self._starts[last] + len(self._line(last))

    def _take(self, text: str) -> None:
        self.text = text
        self._starts = _line_starts(text)

    def _line(self, number: int) -> str:
        """Return a line without its line end."""
        behind = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : behind].rstrip("\r\n")


def _line_starts(text: str) -> list[int]:
    """Return the starts of lines; a text with line feeds takes a path that is twenty times as fast."""
    if text.count("\r") > text.count("\r\n"):
        return [0, *[end.end() for end in LINE_END.finditer(text)]]
    return [*accumulate([len(line) + 1 for line in text.split("\n")[:-1]], initial=0)]


def _replaced(unfit: re.Match[str]) -> str:
    """Return a replacement of the same length: a blank, a no-break space, or the replacement character."""
    return " " if unfit[0] < "\x80" else "\xa0" if unfit[0] < "\ud800" else "\N{REPLACEMENT CHARACTER}"


# --- prose --------------------------------------------------------------------------------------------------

MARKDOWN: Final = frozenset({"gfm", "markdown", "mdx", "quarto", "rmd"})  # language identifiers of editors

FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
OPENING: Final = "---"  # first line of front matter, which ends with the same line
LINE_MARK: Final = re.compile(r"\s*(?:#{1,6}|(?:>\s*)*(?:[-*+]|\d+[.)])?)(?=\s)|\s{0,3}\[[^\]]+\]:.*")

# Each alternative begins with another character, so that matching is fast.
MARKUP: Final = re.compile(
    r"`[^`]+`|<!--.*?-->|</?[A-Za-z][^<>]*>|\]\([^()]*\)|https?://[^\s)>]+|!\[|\[|\]|\*|_|\|"
)
LONG: Final = 1000  # characters of a line; longer ones are not cached


def prose_of(text: str, language: str) -> str:
    """Return the prose of a document, given its language identifier; it is as long as the document."""
    return "\n".join(_prose_lines(text.split("\n"))) if language in MARKDOWN else text


def _prose_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without markup; lines of code blocks are blank."""
    end = OPENING if lines[0].rstrip() == OPENING else None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if end is not None:
            yield " " * len(line)
            if number and line.lstrip().startswith(end):
                end = None
        elif fence:
            yield " " * len(line)
            end = fence[1]
        else:
            yield _prose_of(line) if len(line) > LONG else _kept_prose_of(line)


def _prose_of(line: str) -> str:
    return MARKUP.sub(_blank, LINE_MARK.sub(_blank, line, count=1) if LINE_MARK.match(line) else line)


_kept_prose_of = lru_cache(maxsize=1 << 12)(_prose_of)


def _blank(found: re.Match[str]) -> str:
    """Return as much white space; code in a sentence becomes a word."""
    if found[0].startswith("`"):
        return f" {'X' * (len(found[0]) - 2)} "
    return " " * len(found[0])


# --- words at an offset -------------------------------------------------------------------------------------


def sentence_around(sentences: Sequence[AnalysisMessage | None], place: int) -> AnalysisMessage | None:
    """Return the sentence that contains an offset or ends there."""
    return next((one for one in sentences if one and one.words and touches(span_of(one), place)), None)


def words_around(sentence: AnalysisMessage, place: int) -> list[int]:
    """Return the numbers of words at an offset, several for a contraction, or that of a word ending there."""
    inside = place - sentence.start
    within = [n for n, word in enumerate(sentence.words, 1) if word.start <= inside < word.end]
    return within or [n for n, word in enumerate(sentence.words, 1) if word.end == inside]


def span_of(sentence: AnalysisMessage) -> tuple[int, int]:
    """Return the start of the first word and the end of the last, in the document."""
    ends = (sentence.words[0].start, max(word.end for word in sentence.words))
    return sentence.start + ends[0], sentence.start + ends[1]


def touches(span: tuple[int, int], place: int) -> bool:
    return span[0] <= place <= span[1]
