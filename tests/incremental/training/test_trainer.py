from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_treebanks import treebank

from treewhile.incremental import Sentence
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.checkpoints import read_checkpoint, write_checkpoint
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.trainer import Epoch, Trainer
from treewhile.oracles import InputError, projectivize

SHAPE = Shape(
    form=24, ngrams=16, character=16, spelling=24, values=16, state=64, tagger=32, arc=48, label=32, steps=64, awaiting=62
)
SETTINGS = Settings(epochs=4, seed=2, learning_rate=0.02)

TRAIN, DEV = treebank(250, seed=1), treebank(40, seed=2)


def trained(
    settings: Settings, epochs: int | None = None, train: Sequence[Sentence] = TRAIN
) -> tuple[Trainer, list[Epoch]]:
    trainer = Trainer(train, DEV, settings, SHAPE)
    done: list[Epoch] = []
    while not trainer.is_done and len(done) != epochs:
        done.append(trainer.run_epoch(lambda words: None))
    return trainer, done


def arrays(trainer: Trainer) -> dict[str, np.ndarray[Any, Any]]:
    return trainer.model_file({}).arrays


def same(one: Trainer, other: Trainer) -> bool:
    return all(np.array_equal(array, arrays(other)[name]) for name, array in arrays(one).items())


def projective_share(sentences: Sequence[Sentence]) -> float:
    """The most that a projective parser can reach, in percent of the words."""
    right = words = 0
    for sentence in sentences:
        kept = projectivize(sentence.heads, single_root=True)
        right += sum(old == new for old, new in zip(sentence.heads, kept, strict=True))
        words += len(kept)
    return 100 * right / words


def test_a_regular_language_is_learnt() -> None:
    trainer, epochs = trained(replace(SETTINGS, epochs=12))
    assert epochs[-1].losses["arcs"] < epochs[0].losses["arcs"] / 2
    assert trainer.best_scores["UPOS"] > 99
    assert trainer.best_scores["LAS"] > projective_share(DEV) - 1
    analysis = Model(trainer.model_file({})).parse(["ta", "beri", "virn", "halet", "ta", "grintit", "."])
    assert analysis.heads == (3, 3, 4, 0, 6, 4, 4)
    assert analysis.labels == ("det", "amod", "nsubj", "root", "det", "obj", "punct")


@pytest.mark.parametrize("tags", ["gold-upos", "gold"])
def test_a_parser_can_be_told_the_tags(tags: str) -> None:
    trainer, _ = trained(replace(SETTINGS, tags=tags, epochs=12))
    assert trainer.best_scores["UPOS"] > 99
    assert trainer.best_scores["LAS"] > projective_share(DEV) - 1


@pytest.mark.parametrize("explore", ["none", "projectivized", "original"])
@pytest.mark.parametrize("trees", ["projective", "all"])
def test_the_committed_parse_is_learnt_with_each_choice(trees: Any, explore: Any) -> None:
    settings = replace(SETTINGS, trees=trees, explore=explore, epochs=10, committed_only=True)
    trainer, epochs = trained(settings)
    assert epochs[-1].losses["steps"] < epochs[0].losses["steps"]
    assert trainer.best_scores["LAS"] > 80
    explored = [epoch.oracle_calls_a_second > 0 for epoch in epochs]
    assert explored == [explore != "none" and 2 * epoch.number > 10 for epoch in epochs]


def test_the_same_seed_gives_the_same_model() -> None:
    assert same(trained(SETTINGS, 2)[0], trained(SETTINGS, 2)[0])
    assert not same(trained(SETTINGS, 1)[0], trained(replace(SETTINGS, seed=3), 1)[0])


def test_a_run_that_was_stopped_ends_with_the_same_model(tmp_path: Path) -> None:
    whole, _ = trained(SETTINGS)
    for stopped_after in (1, 3):  # before the parser begins to explore, and after
        stopped, _ = trained(SETTINGS, stopped_after)
        write_checkpoint(tmp_path / "checkpoint", stopped.state())
        resumed = Trainer(TRAIN, DEV, SETTINGS, SHAPE)
        resumed.go_on_from(read_checkpoint(tmp_path / "checkpoint"))
        assert resumed.epochs_done == stopped_after
        while not resumed.is_done:
            resumed.run_epoch(lambda words: None)
        assert resumed.best_scores == whole.best_scores
        assert same(resumed, whole)


def test_a_checkpoint_of_another_run_is_refused() -> None:
    state = trained(SETTINGS, 1)[0].state()
    other_features = [TRAIN[0].with_columns({1: {"feats": "X=Y"}}), *TRAIN[1:]]
    others: list[Any] = [
        (TRAIN, DEV, replace(SETTINGS, seed=9), SHAPE),
        (TRAIN[1:], DEV, SETTINGS, SHAPE),
        (other_features, DEV, SETTINGS, SHAPE),
        (TRAIN, DEV[1:], SETTINGS, SHAPE),
        (TRAIN, DEV, SETTINGS, replace(SHAPE, arc=40)),
    ]
    for other in others:
        with pytest.raises(InputError, match="other options, treebanks or threads"):
            Trainer(*other).go_on_from(state)


def test_the_best_model_is_one_of_a_parser_that_has_explored() -> None:
    trainer = Trainer(TRAIN[:60], DEV, replace(SETTINGS, epochs=2, learning_rate=0.0), SHAPE)
    first, second = trainer.run_epoch(lambda words: None), trainer.run_epoch(lambda words: None)
    assert first.scores == second.scores, "nothing is learnt at this rate"
    assert (first.is_best, second.is_best, trainer.best_epoch) == (True, True, 2)


def test_two_threads_give_the_same_model_twice() -> None:
    torch.set_num_threads(2)
    wide = Shape(state=128)  # what is smaller is not shared among threads
    models = []
    for _ in range(2):
        trainer = Trainer(TRAIN[:80], DEV[:5], replace(SETTINGS, epochs=1), wide)
        trainer.run_epoch(lambda words: None)
        models.append(trainer)
    assert same(*models)


def test_parts_without_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="the training part has no sentences"):
        Trainer([], DEV, SETTINGS, SHAPE)
    with pytest.raises(InputError, match="the dev part has no sentences"):
        Trainer(TRAIN, [], SETTINGS, SHAPE)


def test_a_dev_part_without_heads_is_refused() -> None:
    headless = DEV[0].with_columns({2: {"head": "_"}})
    with pytest.raises(InputError, match=r"has no head.* column HEAD"):
        Trainer(TRAIN, [headless], SETTINGS, SHAPE)


def test_a_dev_part_with_a_circle_is_refused_with_its_place() -> None:
    circle = DEV[0].with_columns({1: {"head": "2"}, 2: {"head": "1"}})
    with pytest.raises(InputError, match=r"go round in a circle.*, in the sentence at .*:2, column HEAD$"):
        Trainer(TRAIN, [circle], SETTINGS, SHAPE)


def test_a_dev_part_with_tags_of_another_kind_is_refused_where_they_are_told() -> None:
    other = DEV[0].with_columns({2: {"upos": "NN"}})
    with pytest.raises(
        InputError, match=r"word 2 is told 'UPOS=NN', .*, in the sentence at .*, column UPOS$"
    ):
        Trainer(TRAIN, [other], replace(SETTINGS, tags="gold-upos"), SHAPE)


def renamed(sentences: Sequence[Sentence], label: str) -> list[Sentence]:
    """The sentences with another label where they have that of roots."""
    return [
        sentence.with_columns(
            {
                number: {"deprel": label}
                for number, word in enumerate(sentence.words, 1)
                if word.deprel == "root"
            }
        )
        for sentence in sentences
    ]


def test_the_child_of_the_root_may_be_called_anything() -> None:
    settings = replace(SETTINGS, epochs=2)  # the second one explores
    plain, _ = trained(settings, train=TRAIN[:80])
    other = Trainer(renamed(TRAIN[:80], "top"), renamed(DEV, "top"), settings, SHAPE)
    while not other.is_done:
        other.run_epoch(lambda words: None)
    assert same(other, plain)
    assert other.best_scores == plain.best_scores
    words = [word.form for word in DEV[0].words]
    first, second = (Model(trainer.model_file({})).parse(words) for trainer in (plain, other))
    assert [label.replace("root", "top") for label in first.labels] == [*second.labels]


def test_words_without_a_head_are_no_obstacle_to_training() -> None:
    gaps = [sentence.with_columns({1: {"head": "_", "deprel": "_"}}) for sentence in TRAIN[:20]]
    trainer, _ = trained(replace(SETTINGS, epochs=6), train=[*gaps, *TRAIN[20:]])
    assert trainer.best_scores["LAS"] > 90
