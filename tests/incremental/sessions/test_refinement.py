from __future__ import annotations

import random
from itertools import product
from typing import get_args

import pytest
from searchers import Relabelling
from shells import MakeModel, Shell

from treewhile.incremental.sessions.messages import AnalysisMessage, Edit, Open, OptionChanges, Stage
from treewhile.incremental.sessions.refinement import AFTER_PHASE, Happening, Phase
from treewhile.incremental.sessions.session import Session

AT_WORK = [phase for phase in Phase if phase.next_level]


@pytest.mark.parametrize(("phase", "happening"), [*product(AT_WORK, ["settled", "cut"])])
def test_whatever_is_at_work_can_be_settled_or_cut_and_is_at_rest_then(
    phase: Phase, happening: Happening
) -> None:
    after = AFTER_PHASE[phase, happening]
    assert after.next_level is None
    assert after.stage == ("settled" if happening == "settled" else phase.stage)


def test_only_what_is_settled_is_taken_up_again() -> None:
    at_rest = [(phase, happening) for phase, happening in AFTER_PHASE if phase not in AT_WORK]
    assert at_rest == [(Phase.SETTLED, "searcher")]


def test_the_table_names_all_that_happens_and_reaches_every_phase() -> None:
    assert {happening for _, happening in AFTER_PHASE} == {*get_args(Happening)}
    assert {*AFTER_PHASE.values(), Phase.COMMITTED} == {*Phase}
    assert {*(phase.stage for phase in Phase), "final"} == {*get_args(Stage)}


def random_analyses(seed: int, make_model: MakeModel) -> list[AnalysisMessage]:
    """What is told of a text that is edited while time runs out now and then."""
    source = random.Random(seed)
    shell = Shell(Session(make_model(seed=seed), Relabelling() if seed % 2 else None), source)
    text, now = "the dog. The cat", 0.0
    shell.send(Open("d", 0, text=text, options=OptionChanges(time_limit=source.choice([0.0, 0.01]))))
    for version in range(1, 25):
        start = source.choice([len(text), source.randint(0, len(text))])
        end = min(len(text), start + source.choice([0, 0, 2, 5]))
        new_text = source.choice(["", " dog", ". The", " ", "\n\n"])
        text = text[:start] + new_text + text[end:]
        shell.send(Edit("d", version, start, end, new_text))
        for _ in range(source.randint(0, 6)):
            now += source.choice([0.0, 0.1])
            shell.session.tick(now)
            if shell.jobs:
                shell.run_one()
    shell.pause()
    return shell.client.analyses


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_told_as_settled_that_was_cut_short(seed: int, make_model: MakeModel) -> None:
    analyses = random_analyses(seed, make_model)
    stages = {analysis.stage for analysis in analyses if analysis.cut_short}
    assert "final" in stages, "some end though they were cut short"
    assert "settled" not in stages
