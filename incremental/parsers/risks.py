"""What a committed parse may risk: how many right edges a step may be expected to lose against waiting."""

from __future__ import annotations

from typing import Final

from treewhile.oracles.errors import InputError

# No step is taken before all words that it may see are known, so what is committed is rarely wrong.
RISK: Final = 0.0


def check_risk(risk: object) -> None:
    """Refuses what is no number of edges that a step may be expected to lose."""
    if isinstance(risk, bool) or not isinstance(risk, int | float) or not 0 <= risk <= 1:
        raise InputError(f"a risk of {risk!r:.40} is not possible: use a number from 0 to 1")
