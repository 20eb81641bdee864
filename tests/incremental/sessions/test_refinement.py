from __future__ import annotations

import pytest
from searchers import Relabelling
from shells import Shell, last

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import Edit, Level, Open, OptionChanges
from treewhile.incremental.sessions.session import Session


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
