"""The parser that a model file holds: analyses of whole sentences and of prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.analyses import LATER, NO_WORDS, Analysis, ExpectedWord, Head, Virtual
from treewhile.incremental.parsers.arc_decoding import decode_prefix, decode_sentence
from treewhile.incremental.parsers.array_shapes import array_shapes
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.network import (
    FROM_LEFT,
    FROM_RIGHT,
    Around,
    Array,
    CausalStates,
    LabelParts,
    Network,
    Rows,
)
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.rescoring import (
    NO_PREFERENCE,
    Preference,
    Rescored,
    Snapshot,
    arc_logs,
)
from treewhile.incremental.parsers.step_rules import barred_classes, labels_of
from treewhile.incremental.parsers.told_values import TAGS, ToldValues
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.treebanks.prefix_trees import LATER as ON_LATER
from treewhile.incremental.treebanks.prefix_trees import UNUSED
from treewhile.oracles.errors import InputError

Heads = npt.NDArray[np.int32]
Kind = TypeVar("Kind", bound=np.generic)

# A word longer than this is refused: no treebank has any, and a stranger may send one.
LONGEST_WORD = 10_000
WORD: Final = f"a text of 1 to {LONGEST_WORD} characters that are not all white space"
SEGMENTER: Final = "segmenter"  # the part of a model file that has it; the names of its arrays begin so

COLDEST, HOTTEST = 0.05, 20.0  # temperatures of the probabilities of arcs

# Layers and weights of a network that is read; sums of products of these stay finite.
WIDEST = 1 << 14
LARGEST_WEIGHT = 1e4


class Model:
    """A parser of one language; `segmenter` is None if it was trained without raw text."""

    def __init__(self, file: ModelFile) -> None:
        self.information = file.information
        self.tags = _tags(file)
        self.inventory = Inventory.from_json(_part(file, "inventory"))
        self.temperature = _temperature(file)
        shape = _shape(_part(file, "shape"))
        _check_arrays(file.arrays, array_shapes(self.inventory, shape))
        self.network = Network(file.arrays, self.inventory, shape)
        self.segmenter = _segmenter(file)
        labels = self.inventory.labels
        self.told_values = ToldValues(self.inventory.values)
        self.label_numbers = {label: number for number, label in enumerate(labels)}
        root_labels = self.inventory.root_labels
        self.root_label = (root_labels or labels)[0]  # what the child of the root is called, most often
        self.barred_steps = barred_classes(labels, root_labels)
        self._barred_labels = np.full((2, len(labels)), -np.inf, np.float32)  # [is root's child, label]
        for is_root in (False, True):
            self._barred_labels[int(is_root), labels_of(labels, is_root, root_labels)] = 0

    def parse(self, words: Sequence[str], values: Sequence[Iterable[str]] | None = None) -> Analysis:
        """The best projective tree of a whole sentence.

        A model that was trained on gold tags takes them as `values`: for every word a list of "UPOS=NOUN"
        and, if it was trained with features, "Number=Sing" and so on; an empty list where nothing is known.
        """
        return self.parse_all([words], None if values is None else [values])[0]

    def parse_all(
        self,
        sentences: Sequence[Sequence[str]],
        values: Sequence[Sequence[Iterable[str]]] | None = None,
    ) -> list[Analysis]:
        """The best projective trees of some sentences, which takes less time than one by one."""
        for words in sentences:
            check_words(words)
        told = [None] * len(sentences) if values is None else values
        if len(told) != len(sentences):
            what = f"there are {len(sentences)} sentences, but values for {len(told)}"
            raise InputError(f"{what}: give some for each")
        pairs = [(words, told_words) for words, told_words in zip(sentences, told, strict=True) if words]
        if not pairs:
            return [NO_WORDS] * len(sentences)
        lengths = [len(words) for words, _ in pairs]
        causal = self.network.causal_states(self._gates(pairs, FROM_LEFT), lengths)
        gates = self._gates(pairs, FROM_RIGHT)
        found = iter(self.best([words for words, _ in pairs], causal.top, gates, is_open=False))
        return [next(found) if words else NO_WORDS for words in sentences]

    def gates(self, words: Sequence[str], layer: int, values: Sequence[Iterable[str]] | None = None) -> Array:
        """What words add to a first layer of the network; text that is no word is refused."""
        for number, word in enumerate(words, 1):
            if not (self.network.knows(word) or is_word(word)):
                what = f"word {number} is {word!r:.40}, and a word is {WORD}"
                raise InputError(f"{what}: leave it out or correct it")
        return self.network.word_gates(words, layer, self._value_numbers(len(words), values))

    def _gates(
        self, pairs: Iterable[tuple[Sequence[str], Sequence[Iterable[str]] | None]], layer: int
    ) -> Array:
        return np.concatenate([self.gates(words, layer, values) for words, values in pairs])

    def _value_numbers(self, n: int, values: Sequence[Iterable[str]] | None) -> list[list[int]] | None:
        if not self.inventory.values:
            return None
        if values is None or len(values) != n:
            raise InputError(
                "the model was trained on gold tags, so it takes the values of words: give one list for each"
            )
        return self.told_values.numbers(values)

    def next_states(
        self, word: str, values: Iterable[str] | None, before: CausalStates | None
    ) -> CausalStates:
        """The causal states after one more word."""
        return self.network.next_states(self._gates_of(word, values), before)

    def next_tagged(
        self, word: str, values: Iterable[str] | None, before: CausalStates | None
    ) -> tuple[CausalStates, str, str]:
        """Likewise, with the word's likeliest tag and features as long as nothing follows."""
        states, tag, features = self.network.next_tagged(self._gates_of(word, values), before)
        return states, self.inventory.tags[tag], self.inventory.features[features]

    def _gates_of(self, word: str, values: Iterable[str] | None) -> Array:
        return self.gates([word], FROM_LEFT, None if values is None else [values])

    def best(
        self, sentences: Sequence[Sequence[str]], tops: Array, gates: Array, is_open: bool
    ) -> list[Analysis]:
        """The best projective trees over words, given what `Network.around` takes; of open prefixes, too."""
        lengths = [len(words) for words in sentences]
        around = self.network.around(tops, gates, lengths, [is_open] * len(lengths))
        trees = [self._decoded(scores, is_open) for scores in self.network.arcs(around)]
        parts = zip(sentences, trees, self._labels(around, trees), self.network.tags(around), strict=True)
        return [self._analysis(*part) for part in parts]

    def rescore(self, snapshot: Snapshot, preference: Preference = NO_PREFERENCE) -> Rescored:
        """The best projective tree of a snapshot that has words, under a preference, with probabilities."""
        return self.rescore_all([(snapshot, preference)])[0]

    def rescore_all(self, asked: Sequence[tuple[Snapshot, Preference]]) -> list[Rescored]:
        """The best projective trees of some snapshots, which takes less time than one by one.

        Each rests on its snapshot alone, to the last bit: nothing is kept from one parse to the next, and it
        is no matter what stands beside it.
        """
        snapshots = [snapshot for snapshot, _ in asked]
        tops = np.concatenate([snapshot.tops for snapshot in snapshots])
        gates = self._gates([(one.words, one.values) for one in snapshots], FROM_RIGHT)
        lengths, are_open = [len(one.words) for one in snapshots], [one.is_open for one in snapshots]
        around = self.network.around(tops, gates, lengths, are_open)
        scores, label_parts = self.network.arcs(around), self.network.label_parts(around)
        trees = [
            self._decoded(preference.applied_to(score), snapshot.is_open)
            for (snapshot, preference), score in zip(asked, scores, strict=True)
        ]
        parts = zip(
            asked,
            [label_parts.part(*part) for part in pairwise(around.bounds.tolist())],
            scores,
            trees,
            self._label_logs_of(label_parts, around.bounds, trees),
            self.network.tags(around),
            strict=True,
        )
        return [self._rescored(*part) for part in parts]

    def _rescored(
        self,
        asked: tuple[Snapshot, Preference],
        label_parts: LabelParts,
        scores: Array,
        tree: Heads,
        label_logs: Array,
        tags: tuple[Rows, Rows],
    ) -> Rescored:
        (words, _, is_open, _), preference = asked
        chosen = preference.applied_to_labels(label_logs, tree, self.label_numbers).argmax(1)
        labels = [self.inventory.labels[number] for number in chosen.tolist()]
        analysis = self._analysis(words, tree, labels, tags)
        logs = arc_logs(scores, len(words), is_open)
        nodes = np.arange(1, 1 + len(tree))
        chances = logs[_places(tree), nodes] + label_logs[nodes - 1, chosen]
        score = float(chances[tree != UNUSED].sum(dtype=np.float64))
        return Rescored(
            analysis, tuple(np.exp(chances[: len(words)]).tolist()), score, logs, self, label_parts
        )

    def label_logs(self, parts: LabelParts, heads: Rows, children: Rows) -> Array:
        """[arc, label]: the logarithms of the probabilities of the labels of arcs between nodes."""
        barred = self._barred_labels[(heads == 0).astype(np.intp)]
        return self.network.label_logs(parts, heads, children, barred)

    def _decoded(self, scores: Array, is_open: bool) -> Heads:
        """The heads of words and virtual nodes, given scores[head, child] of all nodes with the tail."""
        if is_open:
            return decode_prefix(np.ascontiguousarray(scores[:, :-2]), len(self.inventory.stock)).heads
        return decode_sentence(np.ascontiguousarray(scores[:-1, :-1])).heads

    def _labels(self, around: Around, trees: Sequence[Heads]) -> list[list[str]]:
        parts = self.network.label_parts(around)
        best = [logs.argmax(1).tolist() for logs in self._label_logs_of(parts, around.bounds, trees)]
        return [[self.inventory.labels[number] for number in numbers] for numbers in best]

    def _label_logs_of(self, parts: LabelParts, bounds: Rows, trees: Sequence[Heads]) -> list[Array]:
        """[child - 1, label] for each tree, of which the bounds tell where its nodes are."""
        starts = bounds[:-1].tolist()
        heads = [start + _places(tree) for start, tree in zip(starts, trees, strict=True)]
        children = [
            np.arange(start + 1, start + 1 + len(tree)) for start, tree in zip(starts, trees, strict=True)
        ]
        barred = self._barred_labels[(np.concatenate(trees) == 0).astype(np.intp)]
        logs = self.network.label_logs(parts, np.concatenate(heads), np.concatenate(children), barred)
        return _split(logs, [len(tree) for tree in trees])

    def _analysis(
        self,
        words: Sequence[str],
        heads: Heads,
        labels: Sequence[str],
        tags: tuple[Rows, Rows],
    ) -> Analysis:
        t = len(words)
        named = [self._head(head, t) for head in heads.tolist()]
        expected = tuple(
            ExpectedWord(
                Virtual(place, self.inventory.stock[place - 1]), named[t + place - 1], labels[t + place - 1]
            )
            for place in range(1, len(heads) - t + 1)
            if heads[t + place - 1] != UNUSED
        )
        return Analysis(
            tuple(words),
            tuple([self.inventory.tags[tag] for tag in tags[0].tolist()]),
            tuple([self.inventory.features[feature] for feature in tags[1].tolist()]),
            tuple(named[:t]),
            tuple(labels[:t]),
            expected,
        )

    def _head(self, node: int, t: int) -> Head:
        if node > t:
            return Virtual(node - t, self.inventory.stock[node - t - 1])
        return LATER if node < 0 else node


def _split(rows: npt.NDArray[Kind], lengths: Sequence[int]) -> list[npt.NDArray[Kind]]:
    """Parts of such lengths; `numpy.split` takes ten times as long."""
    return [rows[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def _places(heads: Heads) -> Rows:
    """Where the heads are in their sequence, of which LATER and UNUSED end the tail."""
    places = heads.astype(np.intp)
    places[heads == ON_LATER], places[heads == UNUSED] = len(heads) + 1, len(heads) + 2
    return places


def read_parser(path: str | Path) -> Model:
    """The parser in a model file."""
    try:
        return Model(read_model(path))
    except InputError as error:
        raise InputError(f"{error}, in {path}") if str(path) not in str(error) else error from None


def as_model(model: object) -> Model:
    """A model; the name of one, or anything else, is refused."""
    if not isinstance(model, Model):
        what = f"a model has to be given, and {model!r:.40} is none"
        raise InputError(f"{what}: give what load_model('en') returns")
    return model


def check_words(words: object) -> None:
    """Refuses what is no list of words, such as a text, which would be parsed letter by letter."""
    if isinstance(words, str | bytes) or not isinstance(words, Sequence):
        what = f"the words of a sentence are a list of texts, and {words!r:.40} is none"
        raise InputError(f"{what}: give a list such as ['Peter', 'drives']")


def is_word(word: object) -> bool:
    """Whether this can be parsed as a word."""
    return isinstance(word, str) and len(word) <= LONGEST_WORD and bool(word.strip())


def _part(file: ModelFile, name: str) -> Mapping[str, Any]:
    part = file.information.get(name)
    if not isinstance(part, dict):
        raise InputError(f"the model file says nothing of its {name}: train it again")
    return part


def _tags(file: ModelFile) -> str:
    """Which of TAGS the model was trained with."""
    tags = file.information.get("tags", TAGS[0])
    if tags not in TAGS:
        raise InputError(
            f"the model was trained on the tags {tags!r:.40}, but they are one of {', '.join(TAGS)}"
        )
    return str(tags)


def _segmenter(file: ModelFile) -> Segmenter | None:
    if SEGMENTER not in file.information:
        return None
    start = f"{SEGMENTER}."
    arrays = {
        name.removeprefix(start): array for name, array in file.arrays.items() if name.startswith(start)
    }
    return Segmenter.from_arrays(arrays, _part(file, SEGMENTER))


def _temperature(file: ModelFile) -> float:
    """What scores of arcs over open prefixes are divided by, so that their probabilities are calibrated."""
    given = file.information.get("temperature", 1.0)
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (is_number and COLDEST <= given <= HOTTEST):
        what = f"its temperature is {given!r:.40}, but has to be a number from {COLDEST:g} to {HOTTEST:g}"
        raise InputError(f"{what}: train it again")
    return float(given)


def _shape(values: Mapping[str, Any]) -> Shape:
    names = [field.name for field in fields(Shape)]
    if {*names} - values.keys() == {"awaiting"}:
        again = "treewhile train --steps-of P --train A --dev B --out M, where P is this model"
        raise InputError(f"the model is of before steps knew what waiting is worth: learn them with {again}")
    is_whole = all(type(values.get(name)) is int and 0 < values[name] <= WIDEST for name in names)
    if sorted(values) != sorted(names) or not is_whole:
        what = f"the shape of the network has to give a whole number from 1 to {WIDEST} for each of"
        raise InputError(f"{what} {', '.join(names)}")
    return Shape(**values)


def _check_arrays(arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None or array.shape != shape or array.dtype != np.float32:
            found = "missing" if array is None else f"of shape {array.shape} and kind {array.dtype}"
            raise InputError(f"the array {name} is {found}, but has to be of shape {shape} and kind float32")
        if not np.abs(array).max(initial=0) <= LARGEST_WEIGHT:
            raise InputError(
                f"the array {name} has numbers in it beyond {LARGEST_WEIGHT:g}, or that are none"
            )
