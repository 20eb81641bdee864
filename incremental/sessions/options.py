"""The options of a document, as they stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import UNSET

from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.sessions.messages import Level, OptionChanges, Prediction, Stream

LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2")


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """What `OptionChanges` explains."""

    time_limit: float | None = None
    prediction: Prediction = "virtual"
    stability: float = 0.0
    keep_promises: bool = False
    levels: tuple[Level, ...] = LEVELS
    streams: tuple[Stream, ...] = ("analyses",)
    drift: float = 0.6
    risk: float = RISK
    deltas: bool = True

    @property
    def tells_steps(self) -> bool:
        """Whether next steps are sent unasked."""
        return "steps" in self.streams or "plan" in self.streams

    @property
    def tells_plans(self) -> bool:
        """Whether they come with a plan."""
        return "plan" in self.streams

    @property
    def tells_analyses(self) -> bool:
        """Whether analyses are sent unasked."""
        return "analyses" in self.streams or self.tells_constituents

    @property
    def tells_constituents(self) -> bool:
        """Whether they have constituents."""
        return "constituents" in self.streams

    @property
    def tells_completeness(self) -> bool:
        """Whether it is told how complete the last sentence is."""
        return "completeness" in self.streams

    @property
    def tells_more_than_trees(self) -> bool:
        """Whether something is sent that may be another with every letter of a word."""
        return self.tells_steps or self.tells_completeness

    def changed(self, changes: OptionChanges) -> DocumentOptions:
        named = {name: getattr(changes, name) for name in changes.__struct_fields__}
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in named.items()
            if value is not UNSET
        }
        return replace(self, **known)
