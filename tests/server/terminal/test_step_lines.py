from __future__ import annotations

from typing import Any

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    ChoiceView,
    ExpectedView,
    KnownView,
    PlannedView,
    StepsMessage,
    VirtualView,
    WordView,
)
from treewhile.server.terminal.message_drawings import step_lines

WORDS = [WordView(form, 0, 1, "X", "_", head, "dep") for form, head in (("old", -1), ("dog*", "later"))]
ANALYSIS = AnalysisMessage(
    "d", 0, 1, [0], 0, 0, 0, "settled", ["L0"], WORDS, [VirtualView(1, "NOUN", 2, "obj")], [], 0, None, 0.1
)
CHOICES = [
    ChoiceView("shift", None, None, None, [], "wait for a NOUN"),
    ChoiceView("reduce_left", 1, 2, None, [(-1, 1), ("later", 2), (0, 2)], "attach *dog* to *old*"),
]


def steps(**others: Any) -> StepsMessage:
    told: dict[str, Any] = {
        "document": "d",
        "version": 0,
        "sentence": 0,
        "stack": [0, 1, 2],
        "front": 3,
        "n": 2,
        "shift": 3,
        "reduce_left": 0,
        "reduce_right": None,
        "optimal": ["shift"],
        "share": 1.0,
        "entries_filled": 0,
        "entries_in_all": None,
        "reference": "best",
        "wait": True,
        "best": ["shift"],
        "known": KnownView(0, 0, None),
        "expected": ExpectedView(2.25, 0.5, None),
        "choices": CHOICES,
    }
    return StepsMessage(**told | others)


def test_each_step_has_a_line_and_the_advised_one_a_mark() -> None:
    wait, reduce = step_lines(steps(), ANALYSIS)
    assert wait.split() == ["▸", "wait", "for", "a", "NOUN", "2.2"]
    assert reduce.startswith("  attach dog to old ")
    assert reduce.endswith("0.5 loses old under [NOUN], dog* under …, dog* under root")


def test_where_nothing_is_expected_arcs_of_the_tree_are_counted() -> None:
    assert step_lines(steps(expected=None), ANALYSIS)[0].split()[-1] == "3"


def test_the_plan_is_a_line() -> None:
    plan = [
        PlannedView("shift", None, None, None, -1, "NOUN", "wait for a NOUN"),
        PlannedView("reduce_right", -1, 1, None, None, None, "attach *old* to it"),
    ]
    assert step_lines(steps(plan=plan), ANALYSIS)[-1] == "  plan: wait for a NOUN; attach old to it"


def test_steps_for_other_words_are_not_shown() -> None:
    assert step_lines(steps(n=3), ANALYSIS) == step_lines(None, ANALYSIS) == []
    assert step_lines(steps(choices=[]), ANALYSIS) == []
