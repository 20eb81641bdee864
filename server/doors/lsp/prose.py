"""Extraction of prose: all other characters become blanks, so that offsets stay the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

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
