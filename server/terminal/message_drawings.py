"""Drawings of the analysis in a message: tree, phrases, and a table of words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from treewhile.incremental.sessions.messages import AnalysisMessage, Head
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.server.terminal.analysis_views import ON_LATER
from treewhile.server.terminal.arc_drawings import draw_arcs
from treewhile.server.terminal.bracket_drawings import draw_brackets
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.step_lines import node_name

FORM, TAG, HEAD = 20, 6, 20  # widths of columns


def tree_lines(analysis: AnalysisMessage, width: int) -> list[str]:
    """Draw the tree over as many of the last words as fit, virtual nodes included."""
    names, heads = _names(analysis), _heads(analysis)
    hidden = _hidden(names, width)
    nodes = [one.node for one in analysis.virtual]

    def place(head: Head) -> int | None:
        if head is None or head == 0:
            return head
        if head == "later":
            return len(names) - hidden
        known = head if head > 0 else len(analysis.words) + 1 + nodes.index(-head)
        return known - hidden if known > hidden else None

    places = [place(head) for head in heads] + [None] * (len(names) - len(heads))
    return draw_arcs(names[hidden:], places[hidden:]).split("\n")


def fits(analysis: AnalysisMessage, width: int) -> bool:
    """Return whether the tree over all words fits the width."""
    return _hidden(_names(analysis), width) == 0


def phrase_lines(analysis: AnalysisMessage, width: int) -> list[str]:
    """Draw the phrases over as many of the last words as fit."""
    forms, constituents = [shown(word.form) for word in analysis.words], analysis.constituents or []
    for hidden in range(len(forms)):
        seen = [
            Constituent(label, max(1, first - hidden), None if last is None else last - hidden)
            for label, first, last in constituents
            if last is None or last > hidden
        ]
        lines = draw_brackets(forms[hidden:], seen).split("\n")
        if max(map(cell_len, lines)) <= width:
            return lines
    return []


def _heads(analysis: AnalysisMessage) -> list[Head]:
    return [*(word.head for word in analysis.words), *(one.head for one in analysis.virtual)]


def _names(analysis: AnalysisMessage) -> list[str]:
    """Return the names of words, then of expected words."""
    later = [ON_LATER] if "later" in _heads(analysis) else []
    forms = [shown(word.form) for word in analysis.words]
    return [*forms, *(f"[{one.tag}]" for one in analysis.virtual), *later]


def _hidden(names: Sequence[str], width: int) -> int:
    """Return the number of first words that do not fit, in columns as wide as those of `draw_arcs`."""
    room = width - len("root ")
    for number in range(len(names), 0, -1):
        room -= max(3, cell_len(names[number - 1])) + 1
        if room < 0:
            return number
    return 0


def word_lines(analysis: AnalysisMessage) -> list[str]:
    """Return a line for every word with tag, head and label, the last word first, to keep it visible."""
    rows = [
        (
            set_cell_size(shown(word.form), FORM),
            word.tag.ljust(TAG),
            set_cell_size(node_name(word.head, analysis), HEAD),
            word.label,
        )
        for word in analysis.words
    ]
    return [f"{form} {tag} {head} {label or ''}".rstrip() for form, tag, head, label in reversed(rows)]
