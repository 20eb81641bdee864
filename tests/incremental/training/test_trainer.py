from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_networks import LEARNING
from small_treebanks import treebank, unclear_treebank

from treewhile.incremental import Sentence
from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST, array_shapes
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.network_shapes import MISSING, Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import SHIFT, LabelledComputation
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.incremental.training.checkpoints import read_checkpoint, write_checkpoint
from treewhile.incremental.training.dev_scores import best_scores, committed_scores
from treewhile.incremental.training.kept_parsers import kept_arrays
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.torch_network import is_of_step_scorer
from treewhile.incremental.training.trainer import Epoch, Trainer
from treewhile.oracles import InputError, is_projective, projectivize

SETTINGS = Settings(epochs=4, seed=3, learning_rate=0.02)

TRAIN, DEV = treebank(250, seed=1), treebank(40, seed=2)


def run(trainer: Trainer, epochs: int | None = None) -> list[Epoch]:
    """Epochs of a trainer up to its end, or so many."""
    done: list[Epoch] = []
    while not trainer.is_done and len(done) != epochs:
        done.append(trainer.run_epoch(lambda words: None))
    return done


@cache
def trained(settings: Settings = SETTINGS, count: int = len(TRAIN)) -> tuple[Trainer, list[Epoch]]:
    """A trainer at its end, which all tests share, so that none goes on with it, and its epochs."""
    trainer = Trainer(TRAIN[:count], DEV, settings, LEARNING)
    return trainer, run(trainer)


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


@pytest.mark.slow
def test_a_regular_language_is_learnt() -> None:
    trainer, epochs = trained(replace(SETTINGS, epochs=12))
    assert epochs[-1].losses["arcs"] < epochs[0].losses["arcs"] / 2
    assert trainer.best.scores["LAS"] > projective_share(DEV) - 1
    model = Model(trainer.model_file({}))
    # Tags are chosen with labels, so a word without its arc may lose both.
    projective = [sentence for sentence in DEV if is_projective(sentence.heads)]
    assert best_scores(model, projective)["UPOS"] > 99
    analysis = model.parse(["ta", "beri", "virn", "halet", "ta", "grintit", "."])
    assert analysis.heads == (3, 3, 4, 0, 6, 4, 4)
    assert analysis.labels == ("det", "amod", "nsubj", "root", "det", "obj", "punct")


@pytest.mark.slow
@pytest.mark.parametrize("tags", ["gold-upos", "gold"])
def test_a_parser_can_be_told_the_tags(tags: str) -> None:
    trainer, _ = trained(replace(SETTINGS, tags=tags, epochs=12))
    assert trainer.best.scores["UPOS"] > 99
    assert trainer.best.scores["LAS"] > projective_share(DEV) - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trees", "explore"), [("all", "none"), ("projective", "projectivized"), ("all", "original")]
)
def test_the_committed_parse_is_learnt_with_each_choice(trees: Any, explore: Any) -> None:
    chosen = {"learn_from": trees, "explore": explore}
    settings = replace(SETTINGS, **chosen, epochs=10, committed_only=True)
    trainer, epochs = trained(settings)
    assert epochs[-1].losses["steps"] < epochs[0].losses["steps"]
    assert trainer.best.scores["LAS"] > 80
    explored = [epoch.oracle_calls_a_second > 0 for epoch in epochs]
    assert explored == [explore != "none" and 2 * epoch.number > 10 for epoch in epochs]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_model_also_if_the_run_was_stopped(tmp_path: Path) -> None:
    again = Trainer(TRAIN, DEV, SETTINGS, LEARNING)
    for epochs in (1, 2):  # before the parser begins to explore, and after
        run(again, epochs)
        write_checkpoint(tmp_path / f"{again.epochs_done}", again.state())
    run(again)
    resumed = [Trainer(TRAIN, DEV, SETTINGS, LEARNING) for _ in range(2)]
    for trainer, stopped_after in zip(resumed, (1, 3), strict=True):
        trainer.go_on_from(read_checkpoint(tmp_path / f"{stopped_after}"))
        assert trainer.epochs_done == stopped_after
        run(trainer)
    for trainer in (again, *resumed):
        assert trainer.best.scores == trained()[0].best.scores
        assert same(trainer, trained()[0])


def relabelled(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences in an annotation that calls determiners something else."""
    return [
        sentence.with_columns(
            {int(word.id): {"deprel": "nmod"} for word in sentence.words if word.deprel == "det"}
        )
        for sentence in sentences
    ]


@pytest.mark.slow
def test_the_model_annotates_as_the_main_treebank_does() -> None:
    others = [relabelled(treebank(250, seed=5))]
    trainer = Trainer(TRAIN[:120], DEV, replace(SETTINGS, epochs=10), LEARNING, others=others)
    run(trainer)
    assert trainer.best.scores["LAS"] > projective_share(DEV) - 3
    model = Model(trainer.model_file({}))
    assert {"det", "nmod"} <= {*model.inventory.labels}
    said = [label for sentence in DEV for label in model.parse([word.form for word in sentence.words]).labels]
    assert said.count("det") > 20 * said.count("nmod")
    assert arrays(trainer).keys() == array_shapes(model.inventory, LEARNING).keys()


def test_another_seed_gives_another_model() -> None:
    once = replace(SETTINGS, epochs=1)
    assert not same(trained(once, 20)[0], trained(replace(once, seed=4), 20)[0])


@pytest.mark.slow
def test_a_checkpoint_of_another_run_is_refused() -> None:
    state = trained()[0].state()
    other_features = [TRAIN[0].with_columns({1: {"feats": "X=Y"}}), *TRAIN[1:]]
    others: list[Any] = [
        (TRAIN, DEV, replace(SETTINGS, seed=9), LEARNING),
        (TRAIN[1:], DEV, SETTINGS, LEARNING),
        (other_features, DEV, SETTINGS, LEARNING),
        (TRAIN, DEV[1:], SETTINGS, LEARNING),
        (TRAIN, DEV, SETTINGS, replace(LEARNING, arc=40)),
    ]
    for other in others:
        with pytest.raises(InputError, match="other options, treebanks or threads"):
            Trainer(*other).go_on_from(state)


def test_the_best_model_is_one_of_a_parser_that_has_explored() -> None:
    trainer = Trainer(TRAIN[:60], DEV, replace(SETTINGS, epochs=2, learning_rate=0.0), LEARNING)
    first, second = trainer.run_epoch(lambda words: None), trainer.run_epoch(lambda words: None)
    assert first.scores == second.scores, "nothing is learnt at this rate"
    assert (first.is_best, second.is_best, trainer.best.epoch) == (True, True, 2)


@pytest.mark.slow
def test_two_threads_give_the_same_model_twice() -> None:
    torch.set_num_threads(2)
    wide = Shape(state=128)  # what is smaller is not shared among threads
    models = []
    for _ in range(2):
        models.append(Trainer(TRAIN[:80], DEV[:5], replace(SETTINGS, epochs=1), wide))
        run(models[-1])
    assert same(*models)


# --- what waiting is worth ----------------------------------------------------------------------------------


def patience(model: Model, words: Sequence[str], ahead: int) -> float:
    """What waiting is worth once two words are shifted and nothing is attached."""
    computation = LabelledComputation(len(model.inventory.labels), len(words))
    computation.take(SHIFT)
    computation.take(SHIFT)
    roles = np.array(computation.roles(ahead, is_closed=False))
    tops = model.network.causal.states(model.gates(words, FROM_LEFT), [len(words)]).top
    projected = np.concatenate([model.network.steps.missing_roles, model.network.steps.roles(tops)])
    chosen = projected[np.where(roles > 0, len(MISSING) + roles - 1, -roles), np.arange(len(roles))]
    return float(model.network.steps.scores(chosen)[-1])


def judged(model: Model) -> None:
    """Waiting is worth something where the next word tells which head is right, and nothing elsewhere.

    Whoever does not wait loses all three edges in half of the cases: one and a half are expected.
    """
    assert 0.7 < patience(model, ["lom", "virn", "uf"], ahead=0) < 1.8
    for last in ("uf", "ok"):
        assert abs(patience(model, ["lom", "virn", last], ahead=1)) < 0.3
    assert abs(patience(model, ["osk", "grint", "ok"], ahead=0)) < 0.3


@pytest.mark.slow
def test_waiting_is_worth_what_the_next_word_saves() -> None:
    train, dev = unclear_treebank(300, seed=1), unclear_treebank(20, seed=2)
    whole = Trainer(train, dev, replace(SETTINGS, epochs=30), LEARNING)
    run(whole)
    parser = whole.model_file({})
    judged(Model(parser))
    alone = Trainer(train, dev, replace(SETTINGS, epochs=8), LEARNING, parser)
    run(alone)
    assert alone.best.scores["UAS at delay 1"] == 100
    judged(Model(alone.model_file({})))


# --- the step scorer alone ----------------------------------------------------------------------------------


def of_before(parser: ModelFile) -> ModelFile:
    """The model as one was before there was a second layer, and anything that awaits what is to come."""
    kept = {name: value for name, value in parser.information["shape"].items() if name != "awaiting"}
    old = {"steps.weight": np.zeros((3, 5), np.float32)}
    return ModelFile({**kept_arrays(parser), **old}, {**parser.information, "shape": {**kept, "steps": 5}})


def stepping(parser: ModelFile, epochs: int, seed: int = 2) -> Trainer:
    settings = replace(SETTINGS, epochs=epochs, seed=seed)
    return Trainer(TRAIN[:80], DEV, settings, LEARNING, parser)


@pytest.mark.slow
def test_all_but_the_step_scorer_stays_as_it_is() -> None:
    complete = trained()[0].model_file({"language": "xx"})
    parser = of_before(complete)
    trainer = stepping(parser, epochs=2)
    first = trainer.run_epoch(lambda words: None)
    assert first.oracle_calls_a_second > 0, "it explores from the first epoch on"
    assert set(first.losses) == {"steps", "patience", "awaiting"}
    assert set(first.scores) == {"UAS at delay 1", "UAS at delay 3", "awaiting"}
    trainer.run_epoch(lambda words: None)
    new = trainer.model_file({})
    assert all(array.tobytes() == new.arrays[name].tobytes() for name, array in kept_arrays(parser).items())
    assert {name for name in new.arrays if is_of_step_scorer(name)} == {
        name for name in array_shapes(trainer.inventory, LEARNING) if is_of_step_scorer(name)
    }
    changed = {name for name, value in new.information.items() if parser.information.get(name) != value}
    assert changed == {"shape"}
    words = ["ta", "lom", "dovet", "."]
    assert Model(new).parse(words) == Model(complete).parse(words)


@pytest.mark.slow
def test_the_step_scorer_alone_learns_the_committed_parse() -> None:
    trainer = stepping(trained(replace(SETTINGS, epochs=12))[0].model_file({}), epochs=6)
    run(trainer)
    model = Model(trainer.model_file({}))
    assert trainer.best.scores["UAS at delay 3"] == committed_scores(model, DEV)["UAS"] > 85
    assert trainer.best.scores["awaiting"] > 75
    scores, temperature = trainer.steps_found()
    assert scores == trainer.best.scores
    assert COLDEST < temperature < HOTTEST


@pytest.mark.slow
def test_a_run_of_the_step_scorer_that_was_stopped_ends_with_the_same_model(tmp_path: Path) -> None:
    parser = trained()[0].model_file({})
    whole, stopped, resumed = (stepping(parser, epochs=3) for _ in range(3))
    run(whole)
    run(stopped, 1)
    write_checkpoint(tmp_path / "checkpoint", stopped.state())
    resumed.go_on_from(read_checkpoint(tmp_path / "checkpoint"))
    run(resumed)
    assert same(resumed, whole)
    other = ModelFile({**parser.arrays, "arc": parser.arrays["arc"] + 1}, parser.information)
    with pytest.raises(InputError, match="other options, treebanks or threads"):
        stepping(other, epochs=3).go_on_from(stopped.state())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda file: file.information.pop("shape"), "does not say the shape of its network"),
        (lambda file: file.information["shape"].update(state="wide"), "does not say the shape"),
        (lambda file: file.information["shape"].update(state=9), "but has to be of shape"),
        (lambda file: file.information.pop("inventory"), "the inventory has to have"),
        (lambda file: file.arrays.pop("arc"), "the array arc is missing"),
    ],
)
def test_a_model_that_is_none_has_no_step_scorer(change: Any, problem: str) -> None:
    parser = trained()[0].model_file({})
    information = {**parser.information, "shape": {**parser.information["shape"]}}
    broken = ModelFile({**parser.arrays}, information)
    change(broken)
    with pytest.raises(InputError, match=problem):
        stepping(broken, epochs=1)


# --- what cannot be trained ---------------------------------------------------------------------------------


def test_parts_without_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="the training part has no sentences"):
        Trainer([], DEV, SETTINGS, LEARNING)
    with pytest.raises(InputError, match="the dev part has no sentences"):
        Trainer(TRAIN, [], SETTINGS, LEARNING)


def test_a_dev_part_without_heads_is_refused() -> None:
    headless = DEV[0].with_columns({2: {"head": "_"}})
    with pytest.raises(InputError, match=r"the head _ has to be a number, .* column HEAD"):
        Trainer(TRAIN, [headless], SETTINGS, LEARNING)


def test_a_dev_part_with_a_circle_is_refused_with_its_place() -> None:
    circle = DEV[0].with_columns({1: {"head": "2"}, 2: {"head": "1"}})
    with pytest.raises(InputError, match=r"go round in a circle.*, in the sentence at .*:2, column HEAD$"):
        Trainer(TRAIN, [circle], SETTINGS, LEARNING)


def test_a_dev_part_with_tags_of_another_kind_is_refused_where_they_are_told() -> None:
    other = DEV[0].with_columns({2: {"upos": "NN"}})
    with pytest.raises(
        InputError, match=r"word 2 is told 'UPOS=NN', .*, in the sentence at .*, column UPOS$"
    ):
        Trainer(TRAIN, [other], replace(SETTINGS, tags="gold-upos"), LEARNING)


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


@pytest.mark.slow
def test_the_child_of_the_root_may_be_called_anything() -> None:
    settings = replace(SETTINGS, epochs=2)  # the second one explores
    plain, _ = trained(settings, 80)
    top, other = (
        Trainer(renamed(TRAIN[:80], label), renamed(DEV, label), settings, LEARNING)
        for label in ("top", "topmost")
    )
    run(top)
    run(other)
    assert same(top, plain)
    assert same(top, other)
    assert top.best.scores == other.best.scores  # labels of UD obey its rules, so those of `plain` may differ
    words = [word.form for word in DEV[0].words]
    first, second = (Model(trainer.model_file({})).parse(words) for trainer in (top, other))
    assert [label.replace("top", "topmost") for label in first.labels] == [*second.labels]


@pytest.mark.slow
def test_words_without_a_head_are_no_obstacle_to_training() -> None:
    gaps = [sentence.with_columns({1: {"head": "_", "deprel": "_"}}) for sentence in TRAIN[:20]]
    trainer = Trainer([*gaps, *TRAIN[20:]], DEV, replace(SETTINGS, epochs=6), LEARNING)
    run(trainer)
    assert trainer.best.scores["LAS"] > 90


# --- a finished model that is trained on --------------------------------------------------------------------


@pytest.mark.slow
def test_a_finished_model_is_trained_on_with_what_it_knows() -> None:
    beginning = trained(replace(SETTINGS, epochs=6), 60)[0].model_file({})
    settings = replace(SETTINGS, epochs=2, learning_rate=0.005)
    going_on = Trainer(TRAIN[60:120], DEV, settings, None, beginning=beginning)
    first = going_on.run_epoch(lambda words: None)
    assert first.oracle_calls_a_second > 0, "it explores at once"
    assert going_on.inventory == Model(beginning).inventory
    fresh = Trainer(TRAIN[60:120], DEV, settings, LEARNING).run_epoch(lambda words: None)
    assert first.scores["LAS"] > fresh.scores["LAS"] + 20


@pytest.mark.slow
def test_what_it_began_with_stays_the_best_if_nothing_is_better() -> None:
    beginning = trained(replace(SETTINGS, epochs=6), 60)[0].model_file({})
    spoilt, settings = renamed(TRAIN[:20], "nsubj"), replace(SETTINGS, epochs=2, learning_rate=0.05)
    going_on = Trainer(spoilt, DEV, settings, None, beginning=beginning)
    run(going_on)
    assert (going_on.epochs_done, going_on.best.epoch) == (2, 0)
    kept = going_on.model_file({}).arrays
    assert all(np.array_equal(array, kept[name]) for name, array in beginning.arrays.items())


@pytest.mark.parametrize(
    ("decoder", "trees", "judged_in"),
    [
        ("likelihood", None, "projective"),
        ("mh4", None, "mh4"),
        ("none", "mh4", "mh4"),
        ("any", None, "projective"),
    ],
)
def test_epochs_are_judged_in_the_class_that_arcs_are_for(
    monkeypatch: pytest.MonkeyPatch, decoder: str, trees: str | None, judged_in: str
) -> None:
    def scores(model: Model, dev: Sequence[Sentence]) -> dict[str, float]:
        judged.append(model.trees)
        return {"LAS": 50.0}

    judged: list[str] = []
    monkeypatch.setattr("treewhile.incremental.training.trainer.best_scores", scores)
    few, settings = TRAIN[:10], replace(SETTINGS, decoder=decoder)
    beginning = Trainer(few, DEV, SETTINGS, LEARNING).model_file({"trees": trees}) if trees else None
    Trainer(few, DEV, settings, LEARNING, beginning=beginning).run_epoch(lambda words: None)
    assert {*judged} == {judged_in}


def test_a_model_of_another_shape_than_it_says_is_not_trained_on() -> None:
    beginning = trained(replace(SETTINGS, epochs=1), 20)[0].model_file({})
    wrong = ModelFile(beginning.arrays, {**beginning.information, "shape": {}})
    with pytest.raises(InputError, match="shape"):
        Trainer(TRAIN[:20], DEV, SETTINGS, None, beginning=wrong)


# --- other epochs -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_can_be_resumed_for_more_epochs_or_for_fewer() -> None:
    stopped = Trainer(TRAIN[:40], DEV[:5], replace(SETTINGS, epochs=3), LEARNING)
    run(stopped, 2)
    for epochs in (2, 7):
        resumed = Trainer(TRAIN[:40], DEV[:5], replace(SETTINGS, epochs=epochs), LEARNING)
        resumed.go_on_from(stopped.state())
        done = run(resumed)
        assert [epoch.number for epoch in done] == [*range(3, epochs + 1)]
        assert all(epoch.oracle_calls_a_second for epoch in done), "who explores goes on exploring"


def test_a_checkpoint_holds_three_numbers_for_every_weight_of_its_model(tmp_path: Path) -> None:
    trainer, _ = trained(replace(SETTINGS, epochs=1), 20)
    write_checkpoint(tmp_path / "checkpoint", trainer.state())
    weights = sum(array.size for array in arrays(trainer).values())
    # 4 bytes for the weight, 2 for the way to the mean and for each moment, 1 for the best, and scales
    assert (tmp_path / "checkpoint").stat().st_size < 11.8 * weights + 100_000
