"""Grammars as texts in the words of their authors: includes are replaced by what they include."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from treewhile.incremental.constraints.language.grammars import (
    GrammarText,
    grammar_text,
    installed_grammars,
    load_grammar,
)
from treewhile.incremental.constraints.language.written import Token, tokens, unquoted


class Included(NamedTuple):
    """Include in a text: the positions of its begin and end, the name, and the section around it."""

    begin: int
    end: int
    name: str
    section: str  # as written: a name, or a text in quotes


def resolved_text(name_or_path: str) -> str:
    """Return the text of a grammar with everything that it includes, each once.

    Raise InputError if the grammar has a mistake.
    """
    load_grammar(name_or_path)
    return "".join(_pieces(grammar_text(name_or_path), set()))


def _pieces(given: GrammarText, seen: set[str]) -> Iterator[str]:
    text, at = given.text, 0
    for include in includes(text):
        yield text[at : include.begin]
        included, at = _included(include.name, given.folder), include.end
        if included.file not in seen:
            seen.add(included.file)
            yield f"# --- begin of {include.name} ---\n\n"
            yield from _pieces(included, seen)
            yield f"\n# --- end of {include.name} ---\n\nsection {include.section}"
    yield text[at:]


def _included(name: str, folder: Path | None) -> GrammarText:
    """Return the text of an installed grammar, or of a file in the folder of the one that includes it."""
    is_own = folder is not None and name not in installed_grammars()
    return grammar_text((folder / name).resolve() if folder is not None and is_own else name)


def includes(text: str) -> Iterator[Included]:
    """Yield the includes of a text without mistakes."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def position(token: Token) -> int:
        return starts[token.place.line - 1] + token.place.column - 1

    section = '""'
    for item, title in pairwise(tokens(text, "")):
        if item.kind != "name":
            continue
        if item.text == "include":
            name = unquoted(title) if title.kind == "text" else title.text
            yield Included(position(item), position(title) + len(title.text), name, section)
        elif item.text == "section":
            section = title.text


def introduction(text: str) -> str:
    """Return the comment with which a text begins, as one line."""
    lines = takewhile(lambda line: line.startswith("#"), text.split("\n"))
    return " ".join(line.lstrip("#").strip() for line in lines)
