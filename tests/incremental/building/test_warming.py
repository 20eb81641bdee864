from __future__ import annotations

from typing import Any

import pytest

from treewhile.incremental import Model, warm_up
from treewhile.incremental.building import warming
from treewhile.oracles.errors import InputError


@pytest.mark.parametrize("levels", ["L0", ["L3"], ["L0", "tags"]])
def test_levels_that_there_are_not_are_refused(levels: Any, model: Model) -> None:
    with pytest.raises(InputError, match="give a list of some of L0, L1, L2, steps"):
        warm_up(model, levels)


def test_no_more_than_the_levels_that_are_asked_for_is_run(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: list[str] = []
    monkeypatch.setattr(warming, "run_level", lambda model, level: run.append(level))
    warm_up(model, ["steps", "L0"])
    assert run == ["L0", "steps"]
