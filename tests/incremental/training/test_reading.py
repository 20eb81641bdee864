from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_networks import LEARNING
from small_treebanks import treebank

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.training.reading import PORTIONS, Reader, Reading
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.torch_network import TorchNetwork
from treewhile.incremental.training.trainer import Trainer

TREEBANK = treebank(30, seed=1)
RAW = [[word.form for word in sentence.words] for sentence in treebank(120, seed=3)]


def new_network() -> tuple[TorchNetwork, Inventory]:
    torch.manual_seed(5)
    inventory = Inventory.of(TREEBANK, lambda word: (), (form for sentence in RAW for form in sentence))
    return TorchNetwork(inventory, LEARNING), inventory


def weights(network: TorchNetwork) -> dict[str, Any]:
    return {name: one.detach().numpy().copy() for name, one in network.named_parameters()}


def test_words_are_guessed_better_than_by_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewhile.incremental.training.reading.LARGEST", 30)  # for more steps
    monkeypatch.setattr("treewhile.incremental.training.reading.RATE", 0.02)  # for a small network
    network, inventory = new_network()
    counts = Counter(form.lower() for sentence in RAW for form in sentence)
    entropy = sum(count / counts.total() * log(counts.total() / count) for count in counts.values())
    reader = Reader(network, inventory, RAW, seed=1)
    losses = [reader.read_portion(lambda done, words: None) for _ in range(PORTIONS)]
    assert losses[-1] < 0.6 * entropy < losses[0]


def test_a_reading_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path) -> None:
    shown: list[tuple[int, int]] = []

    def stop_late(done: int, words: int) -> None:
        shown.append((done, words))
        if done > words / 2:
            raise KeyboardInterrupt

    whole, inventory = new_network()
    Reading(RAW, tmp_path / "whole", lambda done, words: None).read(whole, inventory, [], 1)
    with pytest.raises(KeyboardInterrupt):
        Reading(RAW, tmp_path / "kept", stop_late).read(new_network()[0], inventory, [], 1)
    resumed, more = new_network()[0], len(shown)
    Reading(RAW, tmp_path / "kept", lambda *of: shown.append(of)).read(resumed, inventory, [], 1)
    assert shown[more][0] > shown[-1][1] / 3, "it began anew"
    assert shown[-1][0] > 0.95 * shown[-1][1]
    of_whole = weights(whole)
    assert all(np.array_equal(one, of_whole[name]) for name, one in weights(resumed).items())


def test_a_sentence_alone_can_be_read(tmp_path: Path) -> None:
    network, inventory = new_network()
    before = weights(network)
    Reading(RAW[:1], tmp_path / "kept", lambda done, words: None).read(network, inventory, [], 1)
    assert any(not np.array_equal(one, before[name]) for name, one in weights(network).items())


def test_what_was_read_is_kept_for_this_run_alone(tmp_path: Path) -> None:
    network, inventory = new_network()
    kept, shown = tmp_path / "kept", list[int]()
    Reading(RAW, kept, lambda done, words: shown.append(done)).read(network, inventory, [], 1)
    shown.clear()
    Reading(RAW, kept, lambda done, words: shown.append(done)).read(network, inventory, [], 1)
    assert not shown, "it is read from the file"
    Reading(RAW, kept, lambda done, words: shown.append(done)).read(network, inventory, [], 2)
    assert shown, "another seed is another run"


def test_a_trainer_knows_the_words_of_raw_text(tmp_path: Path) -> None:
    raw = [["nobody", "knows", "words", "like", "dovet"]] * 3
    reading = Reading(raw, tmp_path / "kept", lambda done, words: None)
    trainer = Trainer(TREEBANK, TREEBANK[:5], Settings(epochs=1), LEARNING, reading=reading)
    assert {"nobody", "knows"} < {*trainer.inventory.forms}
    plain = Trainer(TREEBANK, TREEBANK[:5], Settings(epochs=1), LEARNING)
    assert not {"nobody", "knows"} & {*plain.inventory.forms}
    assert trainer.state()["run"] != plain.state()["run"]
