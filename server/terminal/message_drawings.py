"""Drawings of messages: tree, phrases, a table of words, and lines with the next steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size

from treewhile.incremental.sessions.messages import AnalysisMessage, ChoiceView, Head, StepsMessage
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.server.terminal.analysis_views import ON_LATER
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.drawings import draw_arcs, draw_brackets

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


# --- next steps ---------------------------------------------------------------------------------------------

ADVISED: Final = "▸"
SAYS, GAIN = 44, 5  # widths of columns


def step_lines(steps: StepsMessage | None, analysis: AnalysisMessage) -> list[str]:
    """Return a line for the effect, gain and loss of each step; none if the steps are about other words."""
    if steps is None or steps.n != len(analysis.words) or not steps.choices:
        return []
    lines = [_choice_line(choice, steps, analysis) for choice in steps.choices]
    plan = "; ".join(_without_quotes(step.says) for step in steps.plan or ())
    return [*lines, f"  plan: {plan}"] if plan else lines


def node_name(node: Head, analysis: AnalysisMessage) -> str:
    """Return the name of a word, or of an expected word, as in the tree."""
    if node == "later" or node is None:
        return ON_LATER
    if node > 0:
        return shown(analysis.words[node - 1].form)
    if node == 0:
        return "root"
    return next((f"[{one.tag}]" for one in analysis.virtual if one.node == -node), ON_LATER)


def _choice_line(choice: ChoiceView, steps: StepsMessage, analysis: AnalysisMessage) -> str:
    mark = ADVISED if choice.step in steps.optimal else " "
    says = set_cell_size(_without_quotes(choice.says), SAYS)
    lost = ", ".join(
        f"{node_name(child, analysis)} under {node_name(head, analysis)}" for head, child in choice.loses
    )
    return f"{mark} {says} {_gain(choice, steps).rjust(GAIN)} {f'loses {lost}' if lost else ''}".rstrip()


def _gain(choice: ChoiceView, steps: StepsMessage) -> str:
    """Return the expected number of correct arcs, or of attainable arcs if there is no expectation."""
    if steps.expected is None:
        return str(getattr(steps, choice.step))
    return f"{getattr(steps.expected, choice.step) or 0.0:.1f}"


def _without_quotes(says: str) -> str:
    return re.sub(r"\*([^*]+)\*", lambda quoted: shown(quoted[1]), says)
