"""Shift-reduce dependency parsing as tables: Table 1 of Nederhof 2019, and arc-eager (Nivre 2008).

When you edit the table: a step is legal if enough words stand on the stack and in the remaining input; node 0
never gets a parent; the edge is computed in the configuration before the step. All code that follows a parser
(optimal steps, the tracker, the session) reads these rows.

In arc-eager 0 stands at the bottom of the stack. A word on top of the stack takes its right children as they
come to the front, and each of them stands on the stack above its head until it is reduced. The front takes
its left children from the stack.

When you edit the table of arc-eager: a step is legal if its row allows it and every word can still get a
head. So no computation ends with a word left over: the last word is not shifted, and is not taken by a
right_arc while a word below has no head. No projective tree is lost, since the last word of the tree has its
head on the left. A sentence of n words takes 2n steps: words that are on the stack at the end are reduced.
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
    """Row of Table 1."""

    needs_stack: int  # number of nodes that must stand on the stack, 0 included
    needs_input: int  # number of words that must remain
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
    """Restrictions on edges after a step, beyond those of the stack (Nederhof 2019, Section 2)."""

    bars_left_after_shift: bool  # the old top takes no left child, since it takes its right children first
    bars_left_below_top: bool  # no stack element below the top takes a left child
    bars_right_after_reduce_right: bool  # the top takes no right child, since it took all of them before


STRATEGIES = {
    "left-before-right": Strategy(True, False, False),
    "strict-left-before-right": Strategy(True, True, False),
    "right-before-left": Strategy(False, False, True),
}


def row_named(table: Mapping[str, Row], kind: str, name: str) -> Row:
    """Return the row of a table; an InputError lists the names in the table."""
    if isinstance(name, str) and name in table:
        return table[name]
    raise InputError(f"there is no {kind} {name!r:.40}: use one of {', '.join(table)}")


def as_strategy(name: str) -> Strategy:
    return row_named(STRATEGIES, "strategy", name)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A stack that begins with 0, and the remaining words, from `front` to n; n + 1 if none remain."""

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
        """Return the configuration before the first step of a sentence of n words."""
        return cls((0,), 1, n)

    @property
    def is_final(self) -> bool:
        """True if no step is legal: 0 stands alone, and no word remains."""
        return self.front > self.n and len(self.stack) == 1

    def is_legal(self, step: str) -> bool:
        row = _row(step)
        return len(self.stack) >= row.needs_stack and self.n + 1 - self.front >= row.needs_input

    def legal_steps(self) -> tuple[str, ...]:
        return tuple(step for step in TRANSITIONS if self.is_legal(step))

    def edge(self, step: str) -> tuple[int, int] | None:
        """Return the (head, child) that a legal step makes; None for a shift."""
        return _row(step).edge(self._before(step))

    def apply(self, step: str) -> Configuration:
        """Return the configuration after a legal step."""
        row, stack = _row(step), self._before(step)
        after = object.__new__(Configuration)  # a legal step needs no check afterwards, which takes O(k)
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
    """Return the name of a step, given its number in the order of the table."""
    if number in range(len(steps)):
        return steps[number]
    known = ", ".join(f"{number} {step}" for number, step in enumerate(steps))
    raise InputError(f"there is no step {number!r:.40}: use one of {known}")


def _row(step: str) -> Transition:
    if type(step) is str and step in TRANSITIONS:  # called at every step, so without a detour
        return TRANSITIONS[step]
    return row_named(TRANSITIONS, "step", step)


def as_index(number: object) -> int:
    """Return a number of a configuration as an int; an InputError says what was given instead."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"a configuration is made of whole numbers, and {number!r:.40} is none") from None


def few(stack: Stack) -> str:
    """Return the stack as text, short enough for a sentence."""
    shown = list(map(str, stack))
    if len(shown) > 12:
        shown[6:-6] = ["..."]
    return f"({' '.join(shown)})"


Words = tuple[int, ...]


class EagerTransition(NamedTuple):
    """Row of the table of transitions."""

    needs_stack: int  # number of nodes that must stand on the stack, 0 included
    needs_input: int  # number of words that must remain
    needs_head: bool | None  # whether the top must have a head; None if either is allowed
    takes_input: int  # number of remaining words that the step consumes
    stack_after: Callable[[Stack, int], Stack]  # (stack, front)
    headed_after: Callable[[Words, int], Words]  # (words on the stack that have a head, front)
    edge: Callable[[int, int], tuple[int, int] | None]  # (top, front) to (head, child)


EAGER_TRANSITIONS = {
    "shift": EagerTransition(
        1,
        1,
        None,
        1,
        lambda stack, front: (*stack, front),
        lambda headed, front: headed,
        lambda top, front: None,
    ),
    "left_arc": EagerTransition(
        2,
        1,
        False,
        0,
        lambda stack, front: stack[:-1],
        lambda headed, front: headed,
        lambda top, front: (front, top),
    ),
    "right_arc": EagerTransition(
        1,
        1,
        None,
        1,
        lambda stack, front: (*stack, front),
        lambda headed, front: (*headed, front),
        lambda top, front: (top, front),
    ),
    "reduce": EagerTransition(
        2,
        0,
        True,
        0,
        lambda stack, front: stack[:-1],
        lambda headed, front: headed[:-1],
        lambda top, front: None,
    ),
}


@dataclass(frozen=True, slots=True)
class EagerConfiguration(Configuration):
    """Configuration of arc-eager, with the set of words on the stack that have a head.

    The head of such a word is the node just below. A word without a head gets one from the words that remain.
    """

    headed: Words = ()

    def __post_init__(self) -> None:
        Configuration.__post_init__(self)  # super() does not work here in a dataclass with slots
        object.__setattr__(self, "headed", tuple(sorted(map(as_index, self.headed))))
        self._check_headed()
        waiting = sorted({*self.stack[1:]} - {*self.headed})
        if waiting and self.front > self.n:
            raise InputError(f"word {waiting[0]} on the stack has no head, and no word remains to be it")

    def _check_headed(self) -> None:
        for word, before in zip(self.headed, (0, *self.headed), strict=False):
            if word not in self.stack[1:]:
                raise InputError(
                    f"{word} is among those that have a head, but not among the words on the stack "
                    f"{few(self.stack)}"
                )
            if word == before:
                raise InputError(f"word {word} is twice among those that have a head")

    def is_legal(self, step: str) -> bool:
        row, remaining = _eager_row(step), self.n + 1 - self.front
        is_allowed = (
            len(self.stack) >= row.needs_stack
            and remaining >= row.needs_input
            and row.needs_head in (None, self.headed[-1:] == self.stack[-1:])
        )
        return is_allowed and (remaining > row.takes_input or self._have_heads_after(row))

    def _have_heads_after(self, row: EagerTransition) -> bool:
        """Return whether all words on the stack have a head after a step."""
        words_after = len(row.stack_after(self.stack, self.front)) - 1
        return words_after == len(row.headed_after(self.headed, self.front))

    def legal_steps(self) -> tuple[str, ...]:
        return tuple(step for step in EAGER_TRANSITIONS if self.is_legal(step))

    def edge(self, step: str) -> tuple[int, int] | None:
        """Return the (head, child) that a legal step makes; None for a shift or a reduce."""
        return _eager_row(step).edge(self._before(step)[-1], self.front)

    def apply(self, step: str) -> EagerConfiguration:
        row, stack = _eager_row(step), self._before(step)
        after = object.__new__(EagerConfiguration)  # the configuration after a legal step needs no check
        object.__setattr__(after, "stack", row.stack_after(stack, self.front))
        object.__setattr__(after, "front", self.front + row.takes_input)
        object.__setattr__(after, "n", self.n)
        object.__setattr__(after, "headed", row.headed_after(self.headed, self.front))
        return after

    def _shown(self) -> str:
        heads = f", where {few(self.headed)} have heads," if self.headed else ""
        return f"{few(self.stack)}{heads}"


def _eager_row(step: str) -> EagerTransition:
    return row_named(EAGER_TRANSITIONS, "step of arc-eager", step)
