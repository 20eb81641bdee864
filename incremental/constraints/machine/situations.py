"""Data of a prefix for constraints, for any analysis: its words, and the outputs of predictors and scorers.

Nodes are numbered: 0 the root, 1 to t the words, then the k virtual nodes, LATER (t + k + 1: the head is
still to come, and not predicted) and UNUSED (t + k + 2, the head of unneeded virtual nodes). Words and
virtual nodes have heads and are the dependents. `arrays` is the same as numbers, for the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine.attributes import UNKNOWN, Column, Learnt, attribute_of
from treewhile.incremental.constraints.machine.kernels.records import PredictedColumn, SituationArrays
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.parsers.nodes import Nodes
from treewhile.oracles.errors import InputError

Floats = npt.NDArray[np.float32]


class Prediction(NamedTuple):
    """Prediction for a word: its head as a node, and optionally a label."""

    head: int
    label: str | None = None


NO_HEAD_LOG: Final = np.zeros((0, 0), np.float32)
NO_LABEL_LOG: Final = np.zeros((0, 0, 0), np.float32)
NO_MEETING: Final = np.zeros((0, 0), np.uint8)
MOST_BITS: Final = 31  # of a set in an array of numbers
NOT_PREDICTED: Final = (-1,) * len(PredictedColumn)

Predictions = Sequence[Prediction | None]  # for each dependent, or at least each word; None: nothing yet


@dataclass(frozen=True)
class Situation:
    """Prefix under a program. Log probabilities are by the arc scorer and may be missing.

    `head_log[head, dependent]` is over all nodes and dependents (rows 0 to UNUSED, column 0 is not read);
    `label_log[dependent, head, label]` is that of a label given the arc.
    """

    program: Program
    words: tuple[str, ...]
    tags: tuple[str, ...]
    features: tuple[str, ...]
    virtual_tags: tuple[str, ...] = ()
    predictions: Mapping[str, Predictions] = field(default_factory=dict)
    head_log: Floats | None = None
    label_log: Floats | None = None
    learnt: tuple[Learnt, ...] = ()  # for each word, or empty
    tag_cost: int = 0  # of tags that were chosen among likely ones

    @classmethod
    def of(
        cls,
        program: Program,
        words: Sequence[str],
        tags: Sequence[str],
        features: Sequence[str],
        virtual_tags: Sequence[str] = (),
        predictions: Mapping[str, Predictions] | None = None,
        head_log: Floats | None = None,
        label_log: Floats | None = None,
        learnt: Sequence[Learnt] = (),
    ) -> Situation:
        """Return the situation, checked: features are as in CoNLL-U, "Number=Sing|Person=3" or "_"."""
        made = cls(
            program,
            tuple(words),
            tuple(tags),
            tuple(features),
            tuple(virtual_tags),
            dict(predictions or {}),
            head_log,
            label_log,
            tuple(learnt),
        )
        _check(made)
        return made

    def under(self, program: Program) -> Situation:
        """Return the same prefix under another program with the same attributes."""
        return replace(self, program=program)

    def arrays_under(self, program: Program) -> SituationArrays:
        """Return the arrays of the same prefix under another program with the same attributes."""
        judged = program.judged(self.predictions.keys(), self.head_log is not None)
        return SituationArrays(*self.arrays[:-2], judged, np.zeros(judged.size, np.uint8))

    @property
    def t(self) -> int:
        return len(self.words)

    @property
    def k(self) -> int:
        return len(self.virtual_tags)

    @property
    def later(self) -> int:
        return self.t + self.k + 1

    @property
    def unused(self) -> int:
        return self.t + self.k + 2

    @cached_property
    def nodes(self) -> Nodes:
        """Nodes, by number and by name."""
        return Nodes(self.t, self.virtual_tags)

    def attribute(self, node: int, name: Column) -> str | None:
        """Return the value of a column for a node; None if missing."""
        if self.t < node < self.later:
            return self.virtual_tags[node - self.t - 1] if name == "tag" else None
        if not 1 <= node <= self.t:
            return None
        known = self.learnt[node - 1] if self.learnt else UNKNOWN
        return attribute_of(name, self.words[node - 1], self.tags[node - 1], self.features[node - 1], known)

    def prediction(self, predictor: str, node: int) -> Prediction | None:
        predicted = self.predictions.get(predictor, ())
        return predicted[node - 1] if 1 <= node <= len(predicted) else None

    def is_judged(self, number: int) -> bool:
        """Return whether a constraint is judged: the predictors and the scorer that it uses must exist."""
        asked = self.program.grammar.constraints[number]
        return asked.predictors <= self.predictions.keys() and not (asked.is_scored and self.head_log is None)

    @cached_property
    def future(self) -> npt.NDArray[np.float64]:
        """Probability of each dependent's head being a virtual node or LATER."""
        if self.head_log is None:
            return np.zeros(0)
        rows = self.head_log[self.t + 1 : self.unused]
        sums: npt.NDArray[np.float64] = np.add.reduce(np.exp(rows, dtype=np.float64), axis=0)
        return sums

    @cached_property
    def arrays(self) -> SituationArrays:
        judged = self.program.judged(self.predictions.keys(), self.head_log is not None)
        return SituationArrays(
            self.t,
            self.later,
            self.unused,
            *self._attributes(),
            self._predicted(),
            NO_HEAD_LOG if self.head_log is None else np.ascontiguousarray(self.head_log, np.float32),
            NO_LABEL_LOG if self.label_log is None else np.ascontiguousarray(self.label_log, np.float32),
            self.future,
            judged,
            np.zeros(judged.size, np.uint8),
        )

    def faulty(self) -> list[str]:
        """Return the names of constraints that the kernels could not compute so far."""
        names = [constraint.name for constraint in self.program.grammar.constraints]
        return [names[number] for number in np.flatnonzero(self.arrays.faulty)]

    def _attributes(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """Return the numbers of names; those that no constraint mentions are numbered in order.

        Sets of values are bits, or if these do not suffice, numbers; the second array then tells which meet.
        """
        asked = self.program.asked
        known = (self.learnt,) if self.learnt and asked.asks_learnt else ()
        words = map(asked.numbered, self.words, self.tags, self.features, *known)
        virtual, nothing = map(asked.numbered_tag, self.virtual_tags), asked.nothing
        nodes = [nothing, *words, *virtual, nothing, nothing]
        rows = bytearray().join([node.row for node in nodes])  # writable
        attributes = np.frombuffer(rows, np.int32).reshape(len(nodes), -1)
        others, bits = dict[str, int](), dict[str, dict[str, int]]()
        sets = list[tuple[int, int, int]]()  # node, column, bits
        for number, node in enumerate(nodes):
            for column, name in node.others:
                attributes[number, column] = others.setdefault(name, asked.other + 1 + len(others))
            for column, group, values in node.sets:
                sets.append((number, column, _bits_of(values, bits.setdefault(group, {}))))
        numbers, meeting = _numbers_of_sets([one[2] for one in sets])
        for (node_number, column, _), set_number in zip(sets, numbers, strict=True):
            attributes[node_number, column] = set_number
        return attributes, meeting

    def _predicted(self) -> npt.NDArray[np.int32]:
        """Return predicted[predictor, node]: the head, and the numbers of label and relation; -1 for none."""
        flat, count = list[int](), self.unused + 1
        for predictor in self.program.asked.predictors:
            predicted = self.predictions.get(predictor, ())
            flat += NOT_PREDICTED
            for prediction in predicted:
                flat += self._numbers_of(prediction)
            flat += NOT_PREDICTED * (count - 1 - len(predicted))
        return np.array(flat, np.int32).reshape(-1, count, len(PredictedColumn))

    def _numbers_of(self, prediction: Prediction | None) -> tuple[int, ...]:
        if prediction is None:
            return NOT_PREDICTED
        head, label = prediction
        return head, *self.program.asked.label_names.get(label, (-1, -1))


def _bits_of(values: Sequence[str], bits: dict[str, int]) -> int:
    """Return the bits of a set of values, new values included."""
    found = 0
    for value in values:
        found |= 1 << bits.setdefault(value, len(bits))
    return found


def _numbers_of_sets(sets: Sequence[int]) -> tuple[Sequence[int], npt.NDArray[np.uint8]]:
    """Return a number for each set of bits, and meeting[set, set] if the numbers are not the bits."""
    if max(sets, default=0) < 1 << MOST_BITS:
        return sets, NO_MEETING
    numbers = {bits: number for number, bits in enumerate(dict.fromkeys(sets))}
    meeting = np.array([[one & other != 0 for other in numbers] for one in numbers], np.uint8)
    return [numbers[bits] for bits in sets], meeting


# --- what is refused ----------------------------------------------------------------------------------------


def _check(situation: Situation) -> None:
    for name in ("tags", "features"):
        given = len(getattr(situation, name))
        if given != situation.t:
            raise InputError(f"there are {situation.t} words but {given} {name}: give one for each word")
    if len(situation.learnt) not in (0, situation.t):
        what = f"there are {situation.t} words but lemmas and XPOS of {len(situation.learnt)}"
        raise InputError(f"{what}: give them for each word, or for none")
    for predictor, predictions in situation.predictions.items():
        check_predictions(situation, predictor, predictions)
    _check_logs("head_log", situation.head_log, (situation.unused + 1, situation.later))
    labels = len(situation.program.labels)
    _check_logs("label_log", situation.label_log, (situation.later, situation.unused + 1, labels))
    if situation.label_log is not None and situation.head_log is None:
        raise InputError("there are probabilities of labels but none of heads: give both or leave both out")


def check_predictions(situation: Situation, predictor: str, predictions: object) -> None:
    """Refuse invalid predictions of a predictor."""
    who = f"the predictor {predictor!r:.40}"
    if not isinstance(predictions, Sequence) or isinstance(predictions, str):
        kind = type(predictions).__name__
        raise InputError(
            f"{who} gives a value of the type {kind}: give a list, with a prediction for each word"
        )
    if len(predictions) not in (situation.t, situation.t + situation.k):
        what = f"{who} says something of {len(predictions)} words"
        raise InputError(f"{what}, but there are {situation.t}: give a prediction or None for each")
    for node, prediction in enumerate(predictions, 1):
        if prediction is not None:
            _check_prediction(situation, f"{who} gives word {node}", node, prediction)


def _check_prediction(situation: Situation, what: str, node: int, prediction: object) -> None:
    if not isinstance(prediction, tuple) or len(prediction) != len(Prediction._fields):
        raise InputError(f"{what} {prediction!r:.40}: give a Prediction, or None")
    head, label = prediction
    if not isinstance(head, int | np.integer) or not 0 <= head <= situation.unused or head == node:
        raise InputError(f"{what} the head {head!r:.40}: give another node, from 0 to {situation.unused}")
    if label is not None and not (isinstance(label, str) and label in situation.program.label_numbers):
        raise InputError(f"{what} the label {label!r:.40}: give one of the model's labels, or None")


def _check_logs(name: str, logs: npt.NDArray[Any] | None, shape: tuple[int, ...]) -> None:
    if logs is None:
        return
    if logs.shape != shape:
        raise InputError(f"{name} has the shape {logs.shape}, but has to have {shape}")
    of_dependents = logs[:, 1:] if name == "head_log" else logs[1:]
    top = float(of_dependents.max(initial=-math.inf))
    if not top <= 1e-3:  # also refuses NaN, which passes through max
        raise InputError(f"{name} has {top:g} in it, which is no logarithm of a probability")
