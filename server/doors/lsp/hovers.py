"""Hovers: the role of a word in its tree, and the tree of its sentence if it is small enough."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage, Head
from treewhile.incremental.sessions.words_to_come import RELATIONS
from treewhile.server.doors.lsp.edited_texts import EditedText, sentence_around, words_around
from treewhile.server.terminal.message_drawings import fits, node_name, tree_lines

WIDTH: Final = 80  # of a drawn tree, in columns
MOST_CHILDREN: Final = 12  # shown by name
SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!<>|~&$])")  # in Markdown
ESCAPED: Final = r"\\\1"


def hover_at(
    place: int, sentences: Sequence[AnalysisMessage | None], text: EditedText, is_markdown: bool
) -> types.Hover | None:
    """Return the hover for the words at an offset."""
    sentence = sentence_around(sentences, place)
    numbers = words_around(sentence, place) if sentence else []
    if not sentence or not numbers:
        return None
    teller = _Teller(sentence, is_markdown)
    parts = [line for number in numbers for line in teller.lines(number)] + teller.tree()
    kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
    word = sentence.words[numbers[0] - 1]
    return types.Hover(
        types.MarkupContent(kind, "\n\n".join(parts)),
        text.range(sentence.start + word.start, sentence.start + word.end),
    )


class _Teller:
    """Writer of hover texts about a sentence, in Markdown or plain text."""

    def __init__(self, sentence: AnalysisMessage, is_markdown: bool) -> None:
        self._sentence, self._is_markdown = sentence, is_markdown

    def lines(self, number: int) -> Iterator[str]:
        """Yield a line about the role of a word, and one about its children."""
        word = self._sentence.words[number - 1]
        if word.head == 0:
            yield f"{self._name(number)} is the root of its sentence."
        elif word.label is None:
            yield f"Of {self._name(number)} nothing is known yet."
        else:
            yield f"{self._name(number)} is the {_relation(word.label)} of {self._name(word.head)}."
        children = [(n, one.label) for n, one in enumerate(self._sentence.words, 1) if one.head == number]
        if children:
            told = [f"{self._name(n)} as {_relation(label or '')}" for n, label in children[:MOST_CHILDREN]]
            more = len(children) - len(told)
            yield f"On it hang {', '.join(told)}{f' and {more} more' if more else ''}."

    def tree(self) -> list[str]:
        """Return the drawing of the tree, or nothing if it is too wide."""
        if not fits(self._sentence, WIDTH):
            return []
        drawing = "\n".join(tree_lines(self._sentence, WIDTH))
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", drawing)), default=0))
        return [f"{fence}\n{drawing}\n{fence}" if self._is_markdown else drawing]

    def _name(self, node: Head) -> str:
        """Return the name of a word or of an expected word."""
        if node in ("later", None):
            return "a word to come"
        name = node_name(node, self._sentence)
        return f"*{SPECIAL.sub(ESCAPED, name)}*" if self._is_markdown else f"“{name}”"


def _relation(label: str) -> str:
    """Return the relation of a word to its head, with its label."""
    general = RELATIONS.get(label.partition(":")[0])
    return f"{RELATIONS.get(label, general)} ({label})" if general else label
