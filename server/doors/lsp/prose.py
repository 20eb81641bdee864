"""What of a document is prose: the same text, in which all else is blank, so that places stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

MARKDOWN: Final = frozenset({"gfm", "markdown", "mdx", "quarto", "rmd"})  # what editors call it

FENCE: Final = re.compile(r"\s{0,3}(```+|~~~+)")
OPENING: Final = "---"  # in the first line: what is said of the document, until it comes again
LINE_MARK: Final = re.compile(r"\s*(?:#{1,6}|(?:>\s*)*(?:[-*+]|\d+[.)])?)(?=\s)|\s{0,3}\[[^\]]+\]:.*")

# Each begins with a letter of its own, so that the next one is found at once.
MARKUP: Final = re.compile(
    r"`[^`]+`|<!--.*?-->|</?[A-Za-z][^<>]*>|\]\([^()]*\)|https?://[^\s)>]+|!\[|\[|\]|\*|_|\|"
)
LONG: Final = 1000  # characters of a line that is not kept, so that the kept ones take little room


def prose_of(text: str, language: str) -> str:
    """The prose of a document in a language of editors, as long as the document."""
    return "\n".join(_prose_lines(text.split("\n"))) if language in MARKDOWN else text


def _prose_lines(lines: Sequence[str]) -> Iterator[str]:
    """Without blocks of code, and each without its marks."""
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
    """As much white space; code within a sentence is a word."""
    if found[0].startswith("`"):
        return f" {'X' * (len(found[0]) - 2)} "
    return " " * len(found[0])
