"""Configurations as an arc-eager parser sees them: with the outermost children of their nodes.

A class of step is a number: 0 shifts, then come the labels of left_arc, those of right_arc, and reduce.

While a sentence is open nobody knows its last word, and words may be left without a head when it ends. Then
the uppermost of them goes back to the input (the *unshift* of Nivre & Fernández-González 2014) as its last
word: it takes those below it, and gets a head itself. Once is enough, since no other is left after that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from treewhile.incremental.parsers.labelled_computations import END, HIDDEN, NONE, ROOT, SHIFT, Attachment
from treewhile.incremental.parsers.network_shapes import EAGER_ROLES
from treewhile.oracles.references import Heads
from treewhile.oracles.step_values import EagerSteps
from treewhile.oracles.systems import ARC_EAGER
from treewhile.oracles.tracker import OptimalStepTracker

# The steps without their labels, as they stand in the table of arc-eager; words go back by none of these.
LEFT_ARC: Final = 1
RIGHT_ARC: Final = 2
REDUCE: Final = 3
UNSHIFT: Final = 4

AHEAD: Final = [EAGER_ROLES.index(f"b{place}") for place in range(1, 4)]


def reduce_class(kinds: int) -> int:
    return 1 + 2 * kinds


def unshift_class(kinds: int) -> int:
    """No step that is ever chosen."""
    return 2 + 2 * kinds


def step_of(step_class: int, kinds: int) -> int:
    """The step of a class, without its label, given how many labels there are."""
    if step_class >= reduce_class(kinds):
        return REDUCE if step_class == reduce_class(kinds) else UNSHIFT
    return SHIFT if step_class == SHIFT else LEFT_ARC if step_class <= kinds else RIGHT_ARC


# Among steps that are as good, a word is reduced as soon as nothing is lost by it, and shifted last of all.
ORDER: Final = (LEFT_ARC, RIGHT_ARC, REDUCE, SHIFT)


def best_step(tracker: OptimalStepTracker[EagerSteps]) -> int:
    """The one to take of the optimal steps."""
    is_best = tracker.scores().optimal_mask()
    return next(step for step in ORDER if is_best[step])


def steps_to(heads: Heads) -> list[int]:
    """The steps to a whole projective tree whose root has one child."""
    tracker, steps = OptimalStepTracker(heads, single_root=True, system=ARC_EAGER), list[int]()
    while not tracker.configuration.is_final:
        steps.append(best_step(tracker))
        tracker.apply(steps[-1])
    return steps


class _Taken(NamedTuple):
    """A step, and what it takes to go back."""

    step: int
    attachment: Attachment | None
    word: int  # that was reduced; or the front before a word went back


class EagerComputation:
    """A computation over words that come one by one; steps are trusted to be legal, and can be undone."""

    def __init__(self, kinds: int, n: int = 0) -> None:
        self._kinds = kinds
        self.stack = [0]
        self.front, self.n = 1, n
        self.attachments: dict[int, Attachment] = {}  # by their children
        self._unshifted = 0  # the word that went back to the input and is its last one
        self._past: list[_Taken] = []
        self._leftmost, self._rightmost = [NONE] * (n + 1), [NONE] * (n + 1)

    @property
    def last(self) -> int:
        """The last word of the input."""
        return self._unshifted or self.n

    @property
    def remaining(self) -> int:
        return self.last + 1 - self.front

    @property
    def steps_taken(self) -> int:
        return len(self._past)

    @property
    def has_head(self) -> bool:
        """Whether the top of the stack has one."""
        return self.stack[-1] in self.attachments

    @property
    def headless(self) -> int:
        """How many words on the stack have no head."""
        return sum(word not in self.attachments for word in self.stack[1:])

    def child(self, step: int) -> int:
        """The word that gets its head by an arc: the top of the stack, or the front."""
        return self.stack[-1] if step == LEFT_ARC else self.front

    def class_of(self, step: int, label: int) -> int:
        """The class of a step with a label, which matters to arcs alone."""
        if step >= REDUCE:
            return reduce_class(self._kinds) if step == REDUCE else unshift_class(self._kinds)
        return SHIFT if step == SHIFT else 1 + (step - 1) * self._kinds + label

    def step_of(self, step_class: int) -> int:
        """The step of a class, without its label."""
        return step_of(step_class, self._kinds)

    def append(self) -> None:
        """One more word has come."""
        self.n += 1
        self._leftmost.append(NONE)
        self._rightmost.append(NONE)

    def cut(self, n: int) -> None:
        """Words after n are gone; no step may have been about them."""
        self.n = n
        del self._leftmost[n + 1 :], self._rightmost[n + 1 :]

    def take(self, step_class: int) -> Attachment | None:
        """Takes the step of a class; what it attaches."""
        step, attachment, word = self.step_of(step_class), None, 0
        if step in (LEFT_ARC, RIGHT_ARC):
            attachment = self._attach(step, (step_class - 1) % self._kinds)
        if step == UNSHIFT:
            word, self.front = self.front, self.stack.pop()
            self._unshifted = self.front
        elif step in (SHIFT, RIGHT_ARC):
            self.stack.append(self.front)
            self.front += 1
        else:
            word = self.stack.pop()
        self._past.append(_Taken(step, attachment, word))
        return attachment

    def _attach(self, step: int, label: int) -> Attachment:
        top, front, is_left = self.stack[-1], self.front, step == LEFT_ARC
        head, child = (front, top) if is_left else (top, front)
        outermost = self._leftmost if is_left else self._rightmost
        attachment = Attachment(head, child, label, is_left, outermost[head])
        outermost[head] = child
        self.attachments[child] = attachment
        return attachment

    def undo(self) -> Attachment | None:
        """Takes the last step back; what it had attached."""
        step, attachment, word = self._past.pop()
        if step == UNSHIFT:
            self.stack.append(self.front)
            self.front, self._unshifted = word, 0
        elif step in (SHIFT, RIGHT_ARC):
            self.front = self.stack.pop()
        else:
            self.stack.append(word)
        if attachment is not None:
            side = self._leftmost if attachment.is_left else self._rightmost
            side[attachment.head] = attachment.outermost_before
            del self.attachments[attachment.child]
        return attachment

    def roles(self, ahead: int, is_closed: bool) -> list[int]:
        """The words in the roles, or what stands there, for a parser that looks a number of words ahead.

        That is beyond the front, which every step but a reduce is about.
        """
        s2, s1, s0 = [None, None, *self.stack[-3:]][-3:]
        nodes = [NONE if node is None else node or ROOT for node in (s0, s1, s2)]
        top, front = self.stack[-1], self.front
        children = [self._leftmost[top], self._rightmost[top], nodes[1] if self.has_head else NONE]
        of_front = self._leftmost[front] if front <= self.last else NONE
        places = range(len(AHEAD) + 1)
        return [*nodes, *children, of_front, *(self._ahead(place, ahead, is_closed) for place in places)]

    def _ahead(self, place: int, ahead: int, is_closed: bool) -> int:
        word = self.front + place
        if word <= self.last:
            return word if place <= ahead else HIDDEN
        return END if is_closed and (self.remaining <= 1 or place <= ahead) else HIDDEN
