"""Configurations of the shift-reduce parser, with the outermost children of their nodes.

A class of step is a number: 0 is shift, then come the labels of reduce_left, then those of reduce_right.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from treewhile.incremental.parsers.network_shapes import MISSING, ROLES

# Values of a role without a word: minus the number of its vector.
NONE, ROOT, HIDDEN, END = (-MISSING.index(name) for name in ("none", "root", "hidden", "end"))

SHIFT: Final = 0

# Steps without labels, numbered as in the table of transitions.
REDUCE_LEFT: Final = 1
REDUCE_RIGHT: Final = 2

AHEAD: Final = [role for role, name in enumerate(ROLES) if name.startswith("b")]


def step_of(step_class: int, kinds: int) -> int:
    """Return the step of a class, without its label, given the number of labels."""
    return SHIFT if step_class == SHIFT else REDUCE_LEFT if step_class <= kinds else REDUCE_RIGHT


class Attachment(NamedTuple):
    """Edge that a step made, and the previous outermost child."""

    head: int
    child: int
    label: int
    is_left: bool  # whether the child stands left of its head
    outermost_before: int


class LabelledComputation:
    """Computation over words that come one by one; steps must be legal, and can be undone."""

    def __init__(self, kinds: int, n: int = 0) -> None:
        self._kinds = kinds
        self.stack = [0]
        self.front, self.n = 1, n
        self.attachments: dict[int, Attachment] = {}  # by child
        self._past: list[Attachment | None] = []
        self._leftmost, self._rightmost = [NONE] * (n + 1), [NONE] * (n + 1)

    @property
    def remaining(self) -> int:
        return self.n + 1 - self.front

    def child(self, step: int) -> int:
        """Return the word that a reduction gives a head: the top of the stack, or the node below."""
        return self.stack[-step]

    def class_of(self, step: int, label: int) -> int:
        """Return the class of a step with a label, which a shift ignores."""
        return SHIFT if step == SHIFT else 1 + (step - 1) * self._kinds + label

    def step_of(self, step_class: int) -> int:
        """Return the step of a class, without its label."""
        return step_of(step_class, self._kinds)

    def append(self) -> None:
        """Add one more word."""
        self.n += 1
        self._leftmost.append(NONE)
        self._rightmost.append(NONE)

    def cut(self, n: int) -> None:
        """Remove the words after n, which must not have been shifted."""
        self.n = n
        del self._leftmost[n + 1 :], self._rightmost[n + 1 :]

    def take(self, step: int) -> Attachment | None:
        """Take a step, given its class; return the new edge, if any."""
        attachment = None
        if step == SHIFT:
            self.stack.append(self.front)
            self.front += 1
        else:
            attachment = self._attach((step - 1) % self._kinds, is_left=step > self._kinds)
        self._past.append(attachment)
        return attachment

    def _attach(self, label: int, is_left: bool) -> Attachment:
        child = self.stack.pop(-2 if is_left else -1)
        head = self.stack[-1]
        outermost = self._leftmost if is_left else self._rightmost
        attachment = Attachment(head, child, label, is_left, outermost[head])
        outermost[head] = child
        self.attachments[child] = attachment
        return attachment

    def undo(self) -> Attachment | None:
        """Undo the last step; return the removed edge, if any."""
        attachment = self._past.pop()
        if attachment is None:
            self.front = self.stack.pop()
            return None
        head, child, _, is_left, before = attachment
        (self._leftmost if is_left else self._rightmost)[head] = before
        self.stack.insert(len(self.stack) - is_left, child)
        del self.attachments[child]
        return attachment

    def roles(self, ahead: int, is_closed: bool) -> list[int]:
        """Return the words in the roles, or their substitutes, for a parser with limited lookahead."""
        s2, s1, s0 = [None, None, *self.stack[-3:]][-3:]
        nodes = [NONE if node is None else node or ROOT for node in (s0, s1, s2)]
        left, right = self._leftmost, self._rightmost
        children = [NONE if node is None else side[node] for node in (s0, s1) for side in (left, right)]
        return nodes + children + [self._ahead(place, ahead, is_closed) for place in range(len(AHEAD))]

    def _ahead(self, place: int, ahead: int, is_closed: bool) -> int:
        word = self.front + place
        if word <= self.n:
            return word if place < ahead else HIDDEN
        return END if is_closed and (self.remaining == 0 or place < ahead) else HIDDEN
