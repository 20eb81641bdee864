"""Beliefs of finished models about sentences, from which another model learns, and trees that they agree on.

A belief is the mean over all teachers. It is asked for once, before the first epoch, and kept in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from treewhile.incremental.output_files import open_output
from treewhile.incremental.parsers.arc_decoding import sentence_weights
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Rescored
from treewhile.incremental.parsers.tree_decoding import decode_in
from treewhile.incremental.treebanks.treebank import Word
from treewhile.oracles.errors import InputError

AT_ONCE: Final = 16  # sentences
LEAST: Final = 1e-9  # chance of a head of which the logarithm is taken
RUN, LENGTHS = "run", "lengths"  # names in a file

Chances = npt.NDArray[np.float16]
Numbers = npt.NDArray[np.int32]


class Belief(NamedTuple):
    """Belief about a sentence, in the numbers of the pupil's inventory; -1 is a name that it lacks."""

    heads: Chances  # [word, head], the root first
    labels: Chances  # [word, label], of the arc from the head in the tree
    tree: Numbers  # [word]: the head in the tree that is best by `heads`
    tags: Numbers  # [word]
    features: Numbers  # [word]

    def of_words(self, places: Sequence[int]) -> Belief:
        """Return the belief about some of the words, given their places from 0; no other can be a head.

        In the tree a head that is left out is -1.
        """
        kept = np.array(places, np.intp)
        heads = self.heads[kept][:, [0, *(kept + 1)]].astype(np.float32)
        heads /= np.maximum(heads.sum(1, keepdims=True), LEAST)
        numbers = np.full(len(self.tree) + 1, -1, np.int32)
        numbers[0], numbers[kept + 1] = 0, np.arange(1, len(kept) + 1)
        of_words = (self.tags[kept], self.features[kept])
        return Belief(heads.astype(np.float16), self.labels[kept], numbers[self.tree[kept]], *of_words)

    def words(self, forms: Sequence[str], inventory: Inventory) -> list[Word]:
        """Return the words with the tags, heads and labels that the teachers agree on."""
        labels = self.labels.argmax(1)
        rows = zip(forms, self.tags, self.features, self.tree.tolist(), labels, strict=True)
        return [
            Word(
                str(number),
                form,
                "_",
                inventory.tags[tag] if tag >= 0 else "_",
                "_",
                inventory.features[features] if features >= 0 else "_",
                str(head),
                inventory.labels[label],
                *("_", "_"),
                number,
            )
            for number, (form, tag, features, head, label) in enumerate(rows, 1)
        ]


class Teachers:
    """Models that teach one with a given inventory."""

    def __init__(self, models: Sequence[Model], inventory: Inventory) -> None:
        self._models, self._inventory = models, inventory
        self._labels = [_numbers(model.inventory.labels, inventory.label_numbers) for model in models]

    def beliefs(self, sentences: Sequence[Sequence[str]]) -> Iterator[Belief]:
        """Yield the beliefs about sentences of words, in their order."""
        for start in range(0, len(sentences), AT_ONCE):
            group = sentences[start : start + AT_ONCE]
            for judged in zip(*(model.judge_all(group) for model in self._models), strict=True):
                yield self._belief(judged)

    def _belief(self, judged: Sequence[Rescored]) -> Belief:
        n = len(judged[0].analysis.words)
        chances = np.mean([np.exp(one.arc_logs[: n + 1, : n + 1]) for one in judged], axis=0)
        tree = decode_in(self._models[0].trees, sentence_weights(np.log(chances + np.float32(LEAST))))
        labels = np.mean(
            [self._label_chances(*one, tree) for one in zip(judged, self._labels, strict=True)], axis=0
        )
        return Belief(
            np.ascontiguousarray(chances[:, 1:].T, np.float16),
            labels.astype(np.float16),
            tree,
            _votes([one.analysis.tags for one in judged], self._inventory.tag_numbers),
            _votes([one.analysis.features for one in judged], self._inventory.feature_numbers),
        )

    def _label_chances(self, one: Rescored, numbers: Numbers, tree: Numbers) -> npt.NDArray[np.float32]:
        """Return a teacher's chances [word, label] of the pupil's labels of the arcs of a tree."""
        logs = one.label_logs(tree.astype(np.intp), np.arange(1, len(tree) + 1))
        chances = np.zeros((len(tree), len(self._inventory.labels)), np.float32)
        known = np.flatnonzero(numbers >= 0)
        chances[:, numbers[known]] = np.exp(logs[:, known])
        return chances


def _numbers(names: Sequence[str], numbers: dict[str, int]) -> Numbers:
    return np.array([numbers.get(name, -1) for name in names], np.int32)


def _votes(named: Sequence[Sequence[str]], numbers: dict[str, int]) -> Numbers:
    """Return for each word the number of the name that the most teachers give, the first of these on ties."""
    return _numbers([Counter(names).most_common(1)[0][0] for names in zip(*named, strict=True)], numbers)


# --- kept in a file -----------------------------------------------------------------------------------------


def kept_beliefs(path: Path, run: str, ask: Callable[[], Sequence[Belief]]) -> Sequence[Belief]:
    """Return the beliefs in a file of this run, or ask for them and write them there."""
    if path.exists() and (kept := _read(path, run)) is not None:
        return kept
    beliefs = ask()
    with open_output(path) as output:
        output.write_bytes(save(_flat(beliefs), {RUN: run}))
    return beliefs


def _flat(beliefs: Sequence[Belief]) -> dict[str, npt.NDArray[np.generic]]:
    flat = {
        name: np.concatenate([np.ravel(getattr(belief, name)) for belief in beliefs])
        for name in Belief._fields
    }
    return {**flat, LENGTHS: np.array([len(belief.tree) for belief in beliefs])}


def _read(path: Path, run: str) -> list[Belief] | None:
    """Return the beliefs in a file; None if they are of another run."""
    try:
        with safe_open(path, "numpy") as file:
            if (file.metadata() or {}).get(RUN) != run:
                return None
            flat = {name: file.get_tensor(name) for name in (*Belief._fields, LENGTHS)}
    except SafetensorError as error:
        what = f"{path} is no whole file of beliefs ({error})"
        raise InputError(f"{what}: delete it, and give the command again") from error
    lengths = flat.pop(LENGTHS)
    labels = len(flat["labels"]) // max(lengths.sum(), 1)
    sizes = {"heads": lengths * (lengths + 1), "labels": lengths * labels}
    columns = (np.split(flat[name], np.cumsum(sizes.get(name, lengths))[:-1]) for name in Belief._fields)
    return [
        Belief(heads.reshape(n, n + 1), chances.reshape(n, labels), *numbers)
        for n, heads, chances, *numbers in zip(lengths, *columns, strict=True)
    ]
