"""Shift-reduce dependency parsing as one table (Nederhof 2019, Table 1).

When you edit the table: a step is legal where enough words stand on the stack and in the remaining input;
node 0 never gets a parent; the edge is told in the configuration before the step. All that follows a parser
(optimal steps, the tracker, the session) reads these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import NamedTuple, TypeVar

from treewhile.oracles.errors import InputError

Stack = tuple[int, ...]
Row = TypeVar("Row")


class Transition(NamedTuple):
    """A row of Table 1."""

    needs_stack: int  # how many nodes must stand on the stack, 0 included
    needs_input: int  # how many words must remain
    stack_after: Callable[[Stack, int], Stack]  # (stack, front)
    edge: Callable[[Stack], tuple[int, int] | None]  # (head, child)


TRANSITIONS = {
    "shift": Transition(1, 1, lambda stack, front: (*stack, front), lambda stack: None),
    "reduce_left": Transition(2, 0, lambda stack, front: stack[:-1], lambda stack: (stack[-2], stack[-1])),
    "reduce_right": Transition(
        3, 0, lambda stack, front: (*stack[:-2], stack[-1]), lambda stack: (stack[-1], stack[-2])
    ),
}

STEPS = tuple(TRANSITIONS)


class Strategy(NamedTuple):
    """Which edges may still be made after a step, beyond what the stack allows (Nederhof 2019, Section 2)."""

    bars_left_after_shift: bool  # the old top takes no left child, for it takes its right children first
    bars_left_below_top: bool  # no stack element below the top takes a left child
    bars_right_after_reduce_right: bool  # the top takes no right child, for it took all of them before


STRATEGIES = {
    "left-before-right": Strategy(True, False, False),
    "strict-left-before-right": Strategy(True, True, False),
    "right-before-left": Strategy(False, False, True),
}


def row_named(table: Mapping[str, Row], kind: str, name: str) -> Row:
    """The row of a table; an InputError tells which there are."""
    if isinstance(name, str) and name in table:
        return table[name]
    raise InputError(f"there is no {kind} {name!r:.40}: use one of {', '.join(table)}")


def as_strategy(name: str) -> Strategy:
    return row_named(STRATEGIES, "strategy", name)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A stack that begins with 0, and the words from `front` to n that remain; n + 1 when none do."""

    stack: Stack
    front: int
    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "stack", tuple(map(as_index, self.stack)))
        object.__setattr__(self, "front", as_index(self.front))
        object.__setattr__(self, "n", as_index(self.n))
        if not self.stack or self.stack[0] != 0:
            raise InputError(f"the stack {few(self.stack)} does not start with 0, the root")
        for lower, upper in zip(self.stack, self.stack[1:], strict=False):
            if upper <= lower:
                raise InputError(
                    f"the stack {few(self.stack)} is not increasing: {upper} stands above {lower}"
                )
        if not self.stack[-1] < self.front <= self.n + 1:
            raise InputError(
                f"front is {self.front}, but it has to lie between {self.stack[-1] + 1}, right of the top of "
                f"the stack, and n + 1 = {self.n + 1}, where no word remains"
            )

    @classmethod
    def initial(cls, n: int) -> Configuration:
        """The configuration before the first step of a sentence of n words."""
        return cls((0,), 1, n)

    @property
    def is_final(self) -> bool:
        """Whether no step is legal: 0 stands alone, and no word remains."""
        return self.front > self.n and len(self.stack) == 1

    def is_legal(self, step: str) -> bool:
        row = _row(step)
        return len(self.stack) >= row.needs_stack and self.n + 1 - self.front >= row.needs_input

    def legal_steps(self) -> tuple[str, ...]:
        return tuple(step for step in TRANSITIONS if self.is_legal(step))

    def edge(self, step: str) -> tuple[int, int] | None:
        """The (head, child) that a legal step makes; None for a shift."""
        return _row(step).edge(self._before(step))

    def apply(self, step: str) -> Configuration:
        """The configuration after a legal step."""
        row, stack = _row(step), self._before(step)
        after = object.__new__(Configuration)  # what a legal step leads to needs no check, which takes O(k)
        object.__setattr__(after, "stack", row.stack_after(stack, self.front))
        object.__setattr__(after, "front", self.front + row.needs_input)
        object.__setattr__(after, "n", self.n)
        return after

    def _before(self, step: str) -> Stack:
        if not self.is_legal(step):
            remaining = self.n + 1 - self.front
            words = f"{remaining} {'word' if remaining == 1 else 'words'} remaining"
            legal = " or ".join(self.legal_steps())
            instead = f": take {legal} instead" if legal else ", and no other step is: this is the end"
            raise InputError(f"{step} is not legal with stack {self._shown()} and {words}{instead}")
        return self.stack

    def _shown(self) -> str:
        return few(self.stack)


def step_numbered(number: int, steps: Sequence[str] = STEPS) -> str:
    """The name of a step, which are numbered in the order of the table."""
    if number in range(len(steps)):
        return steps[number]
    known = ", ".join(f"{number} {step}" for number, step in enumerate(steps))
    raise InputError(f"there is no step {number!r:.40}: use one of {known}")


def _row(step: str) -> Transition:
    if type(step) is str and step in TRANSITIONS:  # at every step, so without a detour
        return TRANSITIONS[step]
    return row_named(TRANSITIONS, "step", step)


def as_index(number: object) -> int:
    """A number of a configuration; an InputError tells what it is instead."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"a configuration is made of whole numbers, and {number!r:.40} is none") from None


def few(stack: Stack) -> str:
    """A stack to be read, short enough for a sentence."""
    shown = list(map(str, stack))
    if len(shown) > 12:
        shown[6:-6] = ["..."]
    return f"({' '.join(shown)})"
