"""Risk of a committed parse: the expected loss of correct edges that a step may have against waiting."""

from __future__ import annotations

from typing import Final

from treewhile.oracles.errors import InputError

# With risk 0 no step is taken before all words that it may see are known, so few committed arcs are wrong.
RISK: Final = 0.0


def check_risk(risk: object) -> None:
    """Refuse a risk that is not a number from 0 to 1."""
    if isinstance(risk, bool) or not isinstance(risk, int | float) or not 0 <= risk <= 1:
        raise InputError(f"a risk of {risk!r:.40} is not possible: use a number from 0 to 1")
