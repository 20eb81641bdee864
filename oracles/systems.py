"""Transition systems by name, as data: the types of input and output of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from treewhile.oracles.eager_transitions import EagerConfiguration
from treewhile.oracles.errors import InputError
from treewhile.oracles.step_values import EagerSteps, OptimalSteps
from treewhile.oracles.transitions import Configuration, Strategy, as_strategy, row_named

ARC_STANDARD: Final = "arc-standard"
ARC_EAGER: Final = "arc-eager"

Scores = Sequence[float | None]  # [step], in the order of the table; None if the step is not legal


class System(NamedTuple):
    """Transition system, a row of the table below."""

    configuration: type[Configuration]
    values: type[OptimalSteps] | type[EagerSteps]
    strategy: str | None  # default strategy; None if the system has no strategies
    leaves_root_alone: str  # the step after which no word is on the stack

    def as_values(
        self, scores: Scores, configuration: Configuration, single_root: bool
    ) -> OptimalSteps | EagerSteps:
        """Return the scores as a named tuple; a single root does not gain, or lose, its child early."""
        values = self.values(*scores)
        is_early = single_root and len(configuration.stack) == 2 and configuration.front <= configuration.n
        return values._replace(**{self.leaves_root_alone: None}) if is_early else values


SYSTEMS: Final = {
    ARC_STANDARD: System(Configuration, OptimalSteps, "left-before-right", "reduce_left"),
    ARC_EAGER: System(EagerConfiguration, EagerSteps, None, "reduce"),
}


def as_system(name: str) -> System:
    return row_named(SYSTEMS, "system", name)


def configuration_of(system: str, configuration: Configuration) -> Configuration:
    """Return the configuration as one of the system; words of a plain configuration have no head."""
    wanted = as_system(system).configuration
    if type(configuration) is wanted:
        return configuration
    if wanted is EagerConfiguration:
        return EagerConfiguration(configuration.stack, configuration.front, configuration.n)
    raise InputError(f"this is a configuration of {ARC_EAGER}: say so by system={ARC_EAGER!r}")


def strategy_of(system: str, strategy: str | None) -> Strategy:
    """Return the strategy of this name, or the default strategy of the system."""
    row = as_system(system)
    if row.strategy is not None:
        return as_strategy(row.strategy if strategy is None else strategy)
    if strategy is None:
        return Strategy(False, False, False)
    raise InputError(f"{system} has no strategies, which order the steps of {ARC_STANDARD}: leave it out")
