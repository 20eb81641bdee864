"""The transition systems by name, as data: what a caller gives for each, and gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from treewhile.oracles.eager_transitions import EagerConfiguration
from treewhile.oracles.errors import InputError
from treewhile.oracles.step_values import EagerSteps, OptimalSteps
from treewhile.oracles.transitions import Configuration, Strategy, as_strategy, row_named

ARC_STANDARD: Final = "arc-standard"
ARC_EAGER: Final = "arc-eager"

Scores = Sequence[float | None]  # [step], in the order of the table; None where it is not legal


class System(NamedTuple):
    """A row: what is different from system to system."""

    configuration: type[Configuration]
    values: type[OptimalSteps] | type[EagerSteps]
    strategy: str | None  # where none is given; None where there are none
    leaves_root_alone: str  # the step after which no word is on the stack

    def as_values(
        self, scores: Scores, configuration: Configuration, single_root: bool
    ) -> OptimalSteps | EagerSteps:
        """The scores for callers: a single root does not take, or give up, its child while words remain."""
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
    """The configuration as one of the system; of arc-standard none of its words has a head."""
    wanted = as_system(system).configuration
    if type(configuration) is wanted:
        return configuration
    if wanted is EagerConfiguration:
        return EagerConfiguration(configuration.stack, configuration.front, configuration.n)
    raise InputError(f"this is a configuration of {ARC_EAGER}: say so by system={ARC_EAGER!r}")


def strategy_of(system: str, strategy: str | None) -> Strategy:
    """The strategy of this name, or that of the system."""
    row = as_system(system)
    if row.strategy is not None:
        return as_strategy(row.strategy if strategy is None else strategy)
    if strategy is None:
        return Strategy(False, False, False)
    raise InputError(f"{system} has no strategies, which order the steps of {ARC_STANDARD}: leave it out")
