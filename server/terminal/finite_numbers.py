"""Finite numbers on the command line: nan would pass every bound, and inf is no duration."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import click

A_CENTURY: Final = 100 * 365 * 86400.0  # seconds; clocks of event loops do not accept much more


class FiniteRange(click.FloatRange):
    """Type of numbers within bounds, neither nan nor inf."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number that can be counted to: give one like 2.5.", param, ctx)
        return number


SECONDS: Final = FiniteRange(0, A_CENTURY)
