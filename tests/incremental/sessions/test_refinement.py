from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from cases import each
from searchers import Relabelling
from shells import Shell, last

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import Edit, Level, Open, OptionChanges, Stage
from treewhile.incremental.sessions.refinement import AFTER_PHASE, Happening, Phase
from treewhile.incremental.sessions.session import Session

AT_WORK = [phase for phase in Phase if phase.next_level]


@each("phase, happening", [*product(AT_WORK, ["settled", "cut"])])
def test_whatever_is_at_work_can_be_settled_or_cut_and_is_at_rest_then(
    phase: Phase, happening: Happening
) -> None:
    after = AFTER_PHASE[phase, happening]
    assert after.next_level is None
    assert after.stage == ("settled" if happening == "settled" else phase.stage)


def test_nothing_at_rest_is_taken_up_again() -> None:
    assert {phase for phase, _ in AFTER_PHASE} <= {*AT_WORK}


def test_the_table_names_all_that_happens_and_reaches_every_phase() -> None:
    assert {happening for _, happening in AFTER_PHASE} == {*get_args(Happening)}
    assert {*AFTER_PHASE.values(), Phase.COMMITTED} == {*Phase}
    assert {*(phase.stage for phase in Phase), "final"} == {*get_args(Stage)}


@pytest.mark.parametrize("levels", [["L0", "L1"], ["L0", "L1", "L2"]])
def test_what_was_cut_short_is_told_as_it_was_when_it_is_final_no_longer(levels: list[Level]) -> None:
    shell = Shell(Session(load_model("en"), Relabelling()))
    shell.send(Open("d", 0, text="I ran. The dog", options=OptionChanges(time_limit=0, levels=levels)))
    shell.settle()
    told = [last(shell)]
    shell.send(Edit("d", 1, 6, 14, "T"))  # it may belong to the full stop
    shell.settle()
    told.append(last(shell))
    assert [analysis.words for analysis in told] == [told[0].words] * 2
    assert [(analysis.stage, analysis.cut_short) for analysis in told] == [("final", True), ("initial", True)]
