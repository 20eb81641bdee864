"""Numbers on the command line that are what they seem: nan passes every bound, and nothing lasts for inf."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import click

A_CENTURY: Final = 100 * 365 * 86400.0  # seconds; no clock of a loop takes much more


class FiniteRange(click.FloatRange):
    """A number within bounds, neither nan nor inf."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number that can be counted to: give one like 2.5.", param, ctx)
        return number


SECONDS: Final = FiniteRange(0, A_CENTURY)
