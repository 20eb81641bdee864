"""Walks by optimal steps from a sentence to its tree, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.progress import MofNCompleteColumn
from rich.table import Table
from rich.text import Text

from treewhile.oracles import Configuration, OptimalStepTracker, is_projective
from treewhile.oracles.systems import ARC_EAGER, ARC_STANDARD, StepValues, as_system
from treewhile.server.terminal.consoles import console, plain_table, shown
from treewhile.server.terminal.progress_bars import progress_bar

# Preference among optimal steps: edges early, shifts last.
PREFERRED = {
    ARC_STANDARD: ("reduce_right", "reduce_left", "shift"),
    ARC_EAGER: ("left_arc", "right_arc", "reduce", "shift"),
}
STACK_SHOWN, INPUT_SHOWN = 4, 3  # number of forms at the top of the stack and at the front of the input
BEST = "bold green"


class Step(NamedTuple):
    """Configuration, the values of its steps, and the step taken."""

    configuration: Configuration
    scores: StepValues
    taken: str
    entries_filled: int  # table entries computed for these scores
    entries_in_all: int  # for the same scores without entries from earlier steps

    @property
    def edge(self) -> tuple[int, int] | None:
        return self.configuration.edge(self.taken)


class Walk(NamedTuple):
    """Sentence with its tree, and the steps to it."""

    forms: Sequence[str]
    heads: Sequence[int | None]
    system: str
    strategy: str | None  # None if the system has none
    steps: Sequence[Step]

    def form(self, node: int) -> str:
        return self.forms[node - 1] if node else "root"

    @property
    def gold_edges_made(self) -> int:
        edges = [step.edge for step in self.steps if step.edge]
        return sum(self.heads[child - 1] == head for head, child in edges)


def walk(
    forms: Sequence[str],
    heads: Sequence[int | None],
    system: str = ARC_STANDARD,
    strategy: str | None = None,
) -> Walk:
    """Return the walk from the initial configuration to a final one, with an optimal step each time.

    If the tree has one root, the root takes one child.
    """
    new_tracker: Callable[..., OptimalStepTracker[Any]] = OptimalStepTracker
    tracker = new_tracker(heads, strategy, single_root=list(heads).count(0) == 1, system=system)
    steps: list[Step] = []
    filled = 0
    with progress_bar("walking", 2 * len(heads), MofNCompleteColumn()) as advance:
        while not tracker.configuration.is_final:
            scores, filled_before, filled = tracker.scores(), filled, tracker.entries_filled
            taken = next(step for step in PREFERRED[system] if step in scores.best)
            in_all = tracker.entries_from_scratch()
            steps.append(Step(tracker.configuration, scores, taken, filled - filled_before, in_all))
            tracker.apply(taken)
            advance(1)
    return Walk(forms, heads, system, tracker.strategy, steps)


def show(walked: Walk, text: str) -> None:
    """Print the walk as a table, between the sentence's text and a summary."""
    kind = "projective" if is_projective(walked.heads) else "not projective"
    known = len(walked.heads) - walked.heads.count(None)
    filled = sum(step.entries_filled for step in walked.steps)
    in_all = sum(step.entries_in_all for step in walked.steps)
    out = console()
    out.print(Text.assemble((shown(text), "bold"), f" ({kind}, {walked.strategy or walked.system})"))
    out.print(_table(walked))
    out.print(f"{walked.gold_edges_made} of {known} gold edges made, {filled:,} of {in_all:,} entries filled")


def _table(walked: Walk) -> Table:
    table, names = plain_table(), as_system(walked.system).values.steps
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("stack", overflow="fold")
    table.add_column("remaining", overflow="fold")
    for name in names:
        table.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
    table.add_column("step taken", overflow="fold", min_width=max(map(len, names)))
    table.add_column("entries\nfilled", justify="right", no_wrap=True)
    for number, step in enumerate(walked.steps, 1):
        table.add_row(str(number), *_cells(walked, step), f"{step.entries_filled:,}/{step.entries_in_all:,}")
    return table


def _cells(walked: Walk, step: Step) -> list[Text]:
    stack, front = step.configuration.stack, step.configuration.front
    top = [shown(walked.form(node)) for node in stack[-STACK_SHOWN:]]
    following = [shown(form) for form in walked.forms[front - 1 : front - 1 + INPUT_SHOWN]]
    return [
        Text(" ".join(["…"] * (len(stack) > STACK_SHOWN) + top)),
        Text(" ".join(following + ["…"] * (len(walked.forms) - front >= INPUT_SHOWN))),
        *(
            _score(score, name in step.scores.best)
            for name, score in zip(step.scores.steps, step.scores, strict=True)
        ),
        _taken(walked, step),
    ]


def _score(score: float | None, is_best: bool) -> Text:
    return Text(f"{score}*", BEST) if is_best else Text("— " if score is None else f"{score} ")


def _taken(walked: Walk, step: Step) -> Text:
    if step.edge is None:
        return Text(step.taken)
    head, child = (shown(walked.form(node)) for node in step.edge)
    return Text(f"{step.taken} {head} → {child}")
