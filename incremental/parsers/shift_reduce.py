"""Configurations of the shift-reduce parser, with the outermost children of their nodes, and its legal steps.

A class of step is a number: 0 is shift, then come the labels of reduce_left, then those of reduce_right.

The root takes one child, as the very last step, in training and in use. That child has a label of roots, and
no other word has one, unless one of these kinds of label is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.network_shapes import MISSING, ROLES, step_classes
from treewhile.oracles.errors import InputError
from treewhile.oracles.transitions import Configuration, step_numbered

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


ROOT_LABEL: Final = "root"  # in Universal Dependencies; other treebanks have others

# Possible steps in a configuration.
MUST_SHIFT, ANY_STEP, MUST_REDUCE, MUST_TAKE_ROOT, IS_FINAL = range(5)


def situation(nodes: int, may_shift: bool) -> int:
    """Return the possible steps for a stack of so many nodes, root included; waiting counts as shifting."""
    if may_shift:
        return MUST_SHIFT if nodes < 3 else ANY_STEP
    if nodes < 3:
        return IS_FINAL if nodes < 2 else MUST_TAKE_ROOT
    return MUST_REDUCE


def labels_of(
    labels: Sequence[str], is_root: bool, root_labels: Collection[str] = (ROOT_LABEL,)
) -> list[int]:
    """Return the numbers of the labels that a child of the root, or another word, can have."""
    of_root = [number for number, label in enumerate(labels) if label in root_labels]
    others = [number for number, label in enumerate(labels) if label not in root_labels]
    return (of_root or others) if is_root else (others or of_root)


def barred_classes(
    labels: Sequence[str], root_labels: Collection[str] = (ROOT_LABEL,)
) -> npt.NDArray[np.float32]:
    """Return [situation, class]: 0 for legal classes of step, -inf for others."""
    kinds = len(labels)
    inner, root = (np.array(labels_of(labels, is_root, root_labels)) for is_root in (False, True))
    barred = np.full((IS_FINAL, step_classes(kinds)), -np.inf, np.float32)
    barred[[MUST_SHIFT, ANY_STEP], SHIFT] = 0
    for reducing in (ANY_STEP, MUST_REDUCE):
        barred[reducing, 1 + inner] = barred[reducing, 1 + kinds + inner] = 0
    barred[MUST_TAKE_ROOT, 1 + root] = 0
    return barred


def checked_classes(classes: Sequence[int], kinds: int, n: int) -> list[int]:
    """Return the classes if they are legal in sequence over n unshifted words; else raise an InputError."""
    configuration, legal = Configuration.initial(n), range(step_classes(kinds))
    for place, step_class in enumerate(classes, 1):
        if step_class not in legal:
            what = f"step {place} is {step_class!r:.40}, and the classes of step are 0 to {legal[-1]}"
            raise InputError(f"{what}: give one of these")
        configuration = configuration.apply(step_numbered(step_of(step_class, kinds)))
    return [*map(int, classes)]
