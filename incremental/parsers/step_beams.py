"""Several computations of arc-standard side by side: whole sentences by the steps of the committed parse.

The score of a computation is the sum of the logarithms of the probabilities of its steps, among those that
are legal; as many computations as the width are kept after each step, and all have taken as many. With a
width of 1 that is the committed parse, once no step has to wait. A step that is the only one costs nothing.

With openings a word is not attached while what stands below it is a projection of several words that begins
or ends at a closed word (after Roark, Hollingshead & Bodenstab 2012). Where that leaves no
step to any computation, all legal ones are allowed for that once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.labelled_computations import AHEAD, END, NONE, ROOT, SHIFT
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.step_rules import IS_FINAL, MUST_SHIFT, situation
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.systems import ARC_STANDARD


class BeamParse(NamedTuple):
    """The best computation that was found, as a tree."""

    heads: list[int]
    labels: list[str]
    score: float
    scored: int  # configurations for which the network was asked


class Node(NamedTuple):
    """A node on the stack with its outermost children, the first word below it, and the stack beneath."""

    word: int
    leftmost: int
    rightmost: int
    first: int
    beneath: Node | None


class Arc(NamedTuple):
    """An arc, after others."""

    head: int
    child: int
    label: int
    before: Arc | None


class Hypothesis(NamedTuple):
    """A computation so far."""

    score: float
    top: Node
    depth: int
    front: int
    arcs: Arc | None


BOTTOM = Hypothesis(0.0, Node(0, NONE, NONE, 0, None), 1, 1, None)


def beam_parse(model: Model, tops: Array, width: int, openings: Openings | None = None) -> BeamParse:
    """The parse of a whole sentence whose words have the causal states tops[word - 1]."""
    if model.system != ARC_STANDARD:
        raise InputError(
            f"beams take steps of arc-standard, and the model those of {model.system}: use another"
        )
    if width < 1:
        raise InputError(f"a beam of {width} computations is not possible: use 1 or more")
    return _Beam(model, tops, openings).parse(width)


class _Beam:
    """What all computations over a sentence share."""

    def __init__(self, model: Model, tops: Array, openings: Openings | None) -> None:
        scorer = model.network.steps
        self._n, self._labels, self._barred = len(tops), model.inventory.labels, model.barred_steps
        self._parts = scorer.roles(tops) if len(tops) else None
        self._missing, self._scores_of = scorer.missing_roles, scorer.scores
        self._openings = openings
        self._scored = 0

    def parse(self, width: int) -> BeamParse:
        beam = [BOTTOM]
        while self._situation(beam[0]) != IS_FINAL:
            found = [more for one in beam for more in self._next(one, width, may_close=True)]
            found = found or [more for one in beam for more in self._next(one, width, may_close=False)]
            beam = sorted(found, key=lambda one: -one.score)[:width]
        return self._as_tree(beam[0])

    def _situation(self, one: Hypothesis) -> int:
        return situation(one.depth, one.front <= self._n)

    def _next(self, one: Hypothesis, width: int, may_close: bool) -> Iterator[Hypothesis]:
        """The best ways to go on."""
        now, kinds = self._situation(one), len(self._labels)
        if now == MUST_SHIFT:
            yield self._shifted(one, 0.0)
            return
        barred = self._barred[now].copy()
        if may_close and self._openings is not None:
            left, right = self._attachable(one, self._openings)
            barred[1 : 1 + kinds] += 0 if left else -np.inf
            barred[1 + kinds : 1 + 2 * kinds] += 0 if right else -np.inf
        legal = np.flatnonzero(barred > -np.inf)
        if len(legal) == 0:
            return
        for step, log in self._likeliest(one, barred, legal, width):
            yield self._shifted(one, log) if step == SHIFT else self._reduced(one, step, log)

    def _likeliest(
        self, one: Hypothesis, barred: Array, legal: npt.NDArray[np.intp], width: int
    ) -> Iterator[tuple[int, float]]:
        """The likeliest legal steps, with the logarithms of their probabilities."""
        if len(legal) == 1:
            yield int(legal[0]), 0.0
            return
        self._scored += 1
        scores = self._scores_of(self._chosen(one))[: len(barred)] + barred
        less = scores[legal].astype(np.float64) - scores[legal].max()
        logs = less - np.log(np.exp(less).sum())
        for place in np.argsort(-logs, kind="stable")[:width].tolist():
            yield int(legal[place]), float(logs[place])

    def _chosen(self, one: Hypothesis) -> Array:
        """What the words in the roles add to the next step."""
        roles = self._roles(one)
        assert self._parts is not None
        return np.stack(
            [
                self._parts[word - 1, role] if word > 0 else self._missing[-word, role]
                for role, word in enumerate(roles)
            ]
        )

    def _roles(self, one: Hypothesis) -> list[int]:
        """As `LabelledComputation.roles` has them, once all words are known."""
        s0 = one.top
        s1 = s0.beneath
        s2 = s1.beneath if s1 else None
        nodes = [NONE if node is None else node.word or ROOT for node in (s0, s1, s2)]
        children = [
            child
            for node in (s0, s1)
            for child in ((node.leftmost, node.rightmost) if node else (NONE, NONE))
        ]
        ahead = [one.front + place for place in range(len(AHEAD))]
        return nodes + children + [word if word <= self._n else END for word in ahead]

    def _attachable(self, one: Hypothesis, openings: Openings) -> tuple[bool, bool]:
        """Whether what stands below the uppermost node, and below the one beneath, may be complete."""
        assert one.top.beneath is not None
        upper, lower = one.top, one.top.beneath
        is_upper = self._may_be_complete(upper.first, one.front - 1, openings)
        return is_upper, lower.word > 0 and self._may_be_complete(lower.first, upper.first - 1, openings)

    def _may_be_complete(self, first: int, last: int, openings: Openings) -> bool:
        if first == last:
            return True
        begins = first == 1 or bool(openings.begins[first - 1])
        return begins and (last == self._n or bool(openings.ends[last - 1]))

    def _shifted(self, one: Hypothesis, log: float) -> Hypothesis:
        node = Node(one.front, NONE, NONE, one.front, one.top)
        return Hypothesis(one.score + log, node, one.depth + 1, one.front + 1, one.arcs)

    def _reduced(self, one: Hypothesis, step: int, log: float) -> Hypothesis:
        upper, lower, kinds = one.top, one.top.beneath, len(self._labels)
        assert lower is not None
        label = (step - 1) % kinds
        if step > kinds:
            head = Node(upper.word, lower.word, upper.rightmost, lower.first, lower.beneath)
            arc = Arc(upper.word, lower.word, label, one.arcs)
        else:
            head = Node(lower.word, lower.leftmost, upper.word, lower.first, lower.beneath)
            arc = Arc(lower.word, upper.word, label, one.arcs)
        return Hypothesis(one.score + log, head, one.depth - 1, one.front, arc)

    def _as_tree(self, best: Hypothesis) -> BeamParse:
        heads, labels, arc = [0] * self._n, [""] * self._n, best.arcs
        while arc is not None:
            heads[arc.child - 1], labels[arc.child - 1] = arc.head, self._labels[arc.label]
            arc = arc.before
        return BeamParse(heads, labels, best.score, self._scored)
