"""Both forms of the network compute the same: the one that is trained, and the one that is used."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import torch
from small_networks import UNEVEN, UNLIKE
from small_treebanks import treebank

from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_contents import array_shapes
from treewhile.incremental.parsers.model_files import rounded
from treewhile.incremental.parsers.network import network_of
from treewhile.incremental.parsers.network_shapes import MISSING, Shape
from treewhile.incremental.parsers.surroundings import Around
from treewhile.incremental.parsers.told_values import gold_values
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT
from treewhile.incremental.training.batches import Batch, Batches, rows_of_roles
from treewhile.incremental.training.examples import Examples, Lesson
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.torch_network import TorchNetwork

CLOSE = 1e-2  # inputs have eight bits in what is used

# The parts of a batch that chance has a say in do not matter here: forms are looked at as they are.
TAGS = ("predicted", "gold-upos", "gold")


class Both:
    """A random network in both forms, and a batch of sentences with their prefixes."""

    def __init__(self, tags: str, shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("treewhile.incremental.training.word_batches.FORGOTTEN", 0)
        monkeypatch.setattr("treewhile.incremental.training.batches.PREFIXES", 1)
        self.sentences = treebank(12, seed=3)
        self.tags, self.shape = tags, shape
        self.inventory = Inventory.of(self.sentences[:8], lambda word: gold_values(tags, word))
        torch.manual_seed(6)
        self.torch = TorchNetwork(self.inventory, shape).eval()
        with torch.no_grad():
            for parameter in self.torch.parameters():  # biases, too, have to matter
                parameter.add_(torch.randn_like(parameter) * 0.1)
        arrays = rounded({name: value.numpy() for name, value in self.torch.state_dict().items()})
        self.torch.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        self.network = network_of(arrays, self.inventory, shape, temperature=1.0)
        settings = Settings(tags=tags, explore="none")
        examples = Examples(self.inventory, [Lesson(one.words) for one in self.sentences], settings)
        self.batch: Batch = Batches(examples).batch(examples.examples, np.random.default_rng(7))
        with torch.no_grad():
            self.scores = self.torch(self.batch)

    def gates(self, number: int, layer: int) -> Array:
        words = self.sentences[number].words
        known = self.inventory.value_numbers
        values = [
            [known[value] for value in gold_values(self.tags, word) if value in known] for word in words
        ]
        return self.network.words.gates([word.form for word in words], layer, values)

    def states(self, number: int) -> CausalStates:
        gates = self.gates(number, FROM_LEFT)
        return self.network.causal.states(gates, [len(gates)])

    def early_tags(self, number: int) -> Iterator[int]:
        """The likeliest tag of each word as long as nothing follows."""
        states, gates = None, self.gates(number, FROM_LEFT)
        for word in range(len(gates)):
            states, tag, _ = self.network.causal.next_tagged(gates[word : word + 1], states)
            yield tag

    def around(self, number: int, t: int, is_open: bool) -> Around:
        tops, gates = self.states(number).top[:t], self.gates(number, FROM_RIGHT)[:t]
        return self.network.surroundings.around(tops, gates, [t], [is_open])


@pytest.fixture(params=product(TAGS, (UNLIKE, UNEVEN)), ids=lambda given: f"{given[0]} {given[1].state}")
def both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Both:
    return Both(*request.param, monkeypatch)


def arcs(both: Both, number: int, t: int, is_open: bool) -> Array:
    """[child, head], of words and of virtual nodes."""
    return both.network.arcs.scores(both.around(number, t, is_open))[0].T


def test_arcs_of_whole_sentences_and_of_prefixes_are_equal(both: Both) -> None:
    sequences = both.scores["arcs"].numpy()
    of = [*range(12), *range(12)]  # the sequences of the batch: whole sentences, then a prefix of each
    for s, number in enumerate(of):
        is_open = s >= 12
        m = int((both.batch.targets["arcs"][s] >= 0).sum())
        t = m - len(both.inventory.stock) if is_open else m
        length = m + 3 if is_open else m + 1
        ours = arcs(both, number, t, is_open)[1 : m + 1, :length]
        theirs = sequences[s, 1 : m + 1, :length]
        seen = np.isfinite(theirs)
        assert seen.sum() >= m * m
        assert np.abs(ours - theirs)[seen].max() < CLOSE


def test_tags_and_labels_are_equal(both: Both) -> None:
    tags = both.scores["tags"].argmax(-1).numpy()
    labels = both.scores["labels"].numpy()
    start = arc = 0
    for number in range(12):
        n = len(both.sentences[number].words)
        around = both.around(number, n, is_open=False)
        assert both.network.surroundings.tags(around)[0][0].tolist() == tags[start : start + n].tolist()
        heads = np.array([int(word.head) for word in both.sentences[number].words])
        known = np.array(
            [word.deprel in both.inventory.label_numbers for word in both.sentences[number].words]
        )
        children = 1 + np.flatnonzero(known)
        nothing = np.zeros((len(children), labels.shape[1]), np.float32)
        ours = both.network.arcs.label_logs(
            both.network.arcs.label_parts(around), heads[known], children, nothing
        )
        theirs = labels[arc : arc + known.sum()]
        theirs = theirs - np.log(np.exp(theirs).sum(1, keepdims=True))
        assert np.abs(ours - theirs).max() < CLOSE
        start, arc = start + n, arc + int(known.sum())


def test_early_tags_and_steps_are_equal(both: Both) -> None:
    early = both.scores["early_tags"].argmax(-1).numpy()
    patience = both.scores["patience"].numpy()[:, None]
    outputs = np.concatenate([both.scores["steps"].numpy(), patience], axis=1)
    causal = [both.states(number) for number in range(12)]
    assert [tag for number in range(12) for tag in both.early_tags(number)] == early.tolist()
    longest = max(len(states.h) for states in causal)
    table = np.zeros((len(MISSING) + longest * 12, *both.network.steps.missing_roles.shape[1:]), np.float32)
    table[: len(MISSING)] = both.network.steps.missing_roles
    for b, states in enumerate(causal):
        rows = rows_of_roles(np.arange(1, len(states.h) + 1)[:, None], np.array([b]), 12).ravel()
        table[rows] = both.network.steps.roles(states.top)
    for rows, theirs in zip(both.batch.role_rows.numpy()[:60], outputs, strict=False):
        assert np.abs(both.network.steps.scores(table[rows, np.arange(len(rows))]) - theirs).max() < CLOSE


def test_what_the_next_thing_hangs_on_is_equal(both: Both) -> None:
    for number, (t, theirs) in enumerate(
        zip(both.batch.last_words.tolist(), both.scores["awaiting"].numpy(), strict=True)
    ):
        parts = both.network.arcs.label_parts(both.around(number, t, is_open=True))
        assert np.abs(both.network.arcs.awaiting(parts, t) - theirs[: t + 1]).max() < CLOSE
        assert theirs[t + 1] == 0
        assert (theirs[t + 2 :] == -np.inf).all()


def test_the_step_scorer_alone_gives_the_same(both: Both) -> None:
    with torch.no_grad():
        alone = both.torch(both.batch, steps_alone=True)
    assert set(alone) == {"steps", "optimal_steps", "patience", "awaiting"}
    assert all(torch.equal(scores, both.scores[name]) for name, scores in alone.items())


def test_words_one_by_one_have_the_states_of_the_sentence(both: Both) -> None:
    gates, causal = both.gates(0, FROM_LEFT), both.states(0)
    states = None
    for place in range(len(gates)):
        states = both.network.causal.states(gates[place : place + 1], [1], states)
        assert np.abs(states.h[0] - causal.h[place]).max() < CLOSE


def test_all_arrays_are_described(both: Both) -> None:
    shapes = {name: tuple(value.shape) for name, value in both.torch.state_dict().items()}
    assert array_shapes(both.inventory, both.shape) == shapes
