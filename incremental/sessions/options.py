"""Options of a document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from msgspec import UNSET

from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.sessions.messages import Level, OptionChanges, Prediction, Stream

LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2")


def _derived() -> Any:
    """Return a field that the others determine."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
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
    model: str | None = None
    lemmas: bool = False
    grammar: str | None = None

    # Derived, since every key asks for them.
    tells_plans: bool = _derived()  # next steps come with a plan
    tells_steps: bool = _derived()  # next steps are sent unasked
    tells_constituents: bool = _derived()  # analyses have constituents
    tells_analyses: bool = _derived()  # analyses are sent unasked
    tells_completeness: bool = _derived()  # the completeness of the last sentence is sent
    tells_constraints: bool = _derived()  # the broken constraints of each search are sent
    tells_more_than_trees: bool = _derived()  # messages are sent that may change with every letter of a word

    def __post_init__(self) -> None:
        check_risk(self.risk)
        told = {*self.streams}
        self._derive("tells_plans", "plan" in told)
        self._derive("tells_steps", not told.isdisjoint(("steps", "plan")))
        self._derive("tells_constituents", "constituents" in told)
        self._derive("tells_analyses", not told.isdisjoint(("analyses", "constituents")))
        self._derive("tells_completeness", "completeness" in told)
        self._derive("tells_constraints", "constraints" in told)
        self._derive("tells_more_than_trees", self.tells_steps or self.tells_completeness)

    def _derive(self, name: str, value: bool) -> None:
        object.__setattr__(self, name, value)

    def changed(self, changes: OptionChanges) -> DocumentOptions:
        named = {name: getattr(changes, name) for name in changes.__struct_fields__}
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in named.items()
            if value is not UNSET
        }
        return replace(self, **known)


DEFAULT_OPTIONS: Final = DocumentOptions()
