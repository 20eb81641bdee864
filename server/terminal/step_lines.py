"""Lines with the next steps of a sentence: one for each step, the advised one marked, and the plan."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import set_cell_size

from treewhile.incremental.sessions.messages import AnalysisMessage, ChoiceView, Head, StepsMessage
from treewhile.server.terminal.analysis_views import ON_LATER
from treewhile.server.terminal.consoles import shown

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
