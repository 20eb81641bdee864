"""Options of a document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from msgspec import UNSET

from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.sessions.messages import Level, OptionChanges, Prediction, Stream

LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2")


@dataclass(frozen=True)
class DocumentOptions:
    """Current values of the options; see `OptionChanges`."""

    time_limit: float | None = None
    prediction: Prediction = "virtual"
    stability: float = 0.0
    keep_promises: bool = False
    levels: tuple[Level, ...] = LEVELS
    streams: tuple[Stream, ...] = ("analyses",)
    drift: float = 0.6
    risk: float = RISK
    deltas: bool = True

    def __post_init__(self) -> None:
        check_risk(self.risk)

    @cached_property
    def tells_steps(self) -> bool:
        """True if next steps are sent unasked."""
        return "steps" in self.streams or "plan" in self.streams

    @cached_property
    def tells_plans(self) -> bool:
        """True if next steps come with a plan."""
        return "plan" in self.streams

    @cached_property
    def tells_analyses(self) -> bool:
        """True if analyses are sent unasked."""
        return "analyses" in self.streams or self.tells_constituents

    @cached_property
    def tells_constituents(self) -> bool:
        """True if analyses have constituents."""
        return "constituents" in self.streams

    @cached_property
    def tells_completeness(self) -> bool:
        """True if the completeness of the last sentence is sent."""
        return "completeness" in self.streams

    @cached_property
    def tells_more_than_trees(self) -> bool:
        """True if messages are sent that may change with every letter of a word."""
        return self.tells_steps or self.tells_completeness

    def changed(self, changes: OptionChanges) -> DocumentOptions:
        named = {name: getattr(changes, name) for name in changes.__struct_fields__}
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in named.items()
            if value is not UNSET
        }
        return replace(self, **known)


DEFAULT_OPTIONS: Final = DocumentOptions()
