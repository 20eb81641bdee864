"""Arc-eager dependency parsing as one table (Nivre 2008), with 0 at the bottom of the stack.

A word on top of the stack takes its right children as they come to the front, and each of them stands on the
stack above its head until it is reduced. The front takes its left children from the stack.

When you edit the table: a step is legal if its row allows it and every word can still get a head. So no
computation ends with a word left over: the last word is not shifted, and is not taken by a right_arc while a
word below has no head. No projective tree is lost, since the last word of the tree has its head on the left.
A sentence of n words takes 2n steps: words that are on the stack at the end are reduced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from treewhile.oracles.errors import InputError
from treewhile.oracles.transitions import Configuration, Stack, as_index, few, row_named

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
        row, remaining = _row(step), self.n + 1 - self.front
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
        return _row(step).edge(self._before(step)[-1], self.front)

    def apply(self, step: str) -> EagerConfiguration:
        row, stack = _row(step), self._before(step)
        after = object.__new__(EagerConfiguration)  # the configuration after a legal step needs no check
        object.__setattr__(after, "stack", row.stack_after(stack, self.front))
        object.__setattr__(after, "front", self.front + row.takes_input)
        object.__setattr__(after, "n", self.n)
        object.__setattr__(after, "headed", row.headed_after(self.headed, self.front))
        return after

    def _shown(self) -> str:
        heads = f", where {few(self.headed)} have heads," if self.headed else ""
        return f"{few(self.stack)}{heads}"


def _row(step: str) -> EagerTransition:
    return row_named(EAGER_TRANSITIONS, "step of arc-eager", step)
