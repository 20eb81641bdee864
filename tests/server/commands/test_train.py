from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from command_runs import command
from safetensors.numpy import load_file
from small_networks import SMALL

from treewhile.incremental import read_sentences
from treewhile.incremental.parsers.model_files import ModelFile, read_information, read_model, write_model
from treewhile.incremental.parsers.parsing import read_parser
from treewhile.incremental.training import runs
from treewhile.incremental.training.kept_parsers import kept_arrays
from treewhile.incremental.training.segmentation import train_segmenter
from treewhile.incremental.training.torch_network import is_of_step_scorer
from treewhile.oracles import InputError
from treewhile.server.commands import treewhile

ROWS = (
    "1\tdogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)


@contextmanager
def small_networks() -> Iterator[None]:
    """And few steps, so that a training takes half a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treewhile.incremental.training.trainer.Shape", lambda: SMALL)
        patch.setattr(runs, "train_segmenter", partial(train_segmenter, least_steps=50))
        yield


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    with small_networks():
        yield


def bank_in(folder: Path) -> Path:
    (folder / "xx_small-train.conllu").write_text(ROWS * 8 + ROWS.replace("dogs", "cats") * 4)
    return folder / "xx_small-train.conllu"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return bank_in(tmp_path)


@pytest.fixture(scope="module")
def content_of_finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    bank = bank_in(tmp_path_factory.mktemp("finished"))
    with small_networks():
        assert trained(bank).exit_code == 0
    return bank.with_name("m.safetensors").read_bytes()


@pytest.fixture
def finished(bank: Path, content_of_finished: bytes) -> Path:
    """A model that was trained on the bank and stands beside it."""
    bank.with_name("m.safetensors").write_bytes(content_of_finished)
    return bank.with_name("m.safetensors")


run = command("train")


def run_parser(*arguments: object) -> Result:
    return run("parser", *arguments)


def trained(bank: Path, *more: object) -> Result:
    out = bank.with_name("m.safetensors")
    return run_parser("--train", bank, "--dev", bank, "--out", out, "--epochs", 2, "--threads", 1, *more)


@pytest.mark.slow
def test_a_model_is_trained_and_told_of(bank: Path) -> None:
    result = trained(bank, "--licence", "CC0")
    assert (result.exit_code, result.stderr) == (0, "")
    first, second, words, end = result.stdout.splitlines()
    assert first.startswith("epoch 1/2  UPOS ")
    assert "oracle calls/s" in second
    assert words == "learning to find words and sentences"
    assert end.endswith(" MB  Words 100.00  Sentences 100.00")
    assert [path.name for path in sorted(bank.parent.iterdir())] == ["m.safetensors", bank.name]


@pytest.mark.slow
def test_sentences_that_are_learnt_and_scored_on_are_told(bank: Path) -> None:
    rows = [f"{n}\tgo\t_\tVERB\t_\t_\t{n - 1}\t{'root' if n == 1 else 'dep'}\t_\t_\n" for n in range(1, 6)]
    bank.write_text(bank.read_text() + "".join(rows) + "\n")
    result = trained(bank, "--no-segmenter")
    sentences = bank.read_text().count("\n\n")
    assert result.exit_code == 0
    assert result.stderr.startswith(f"1 of the {sentences} sentences of the dev part are learnt from, too: ")


@pytest.mark.slow
def test_the_model_says_where_it_is_from_without_the_folders_of_the_machine(bank: Path) -> None:
    trained(bank, "--licence", "CC BY / GPL", "--resume")
    information = read_information(bank.with_name("m.safetensors"))
    told = {name: information[name] for name in ("language", "treebanks", "licence", "seed", "command")}
    files = f"--train {bank.name} --dev {bank.name} --out m.safetensors"
    assert told == {
        "language": "xx",
        "treebanks": [bank.name],
        "licence": "CC BY / GPL",
        "seed": 1,
        "command": f"treewhile train parser {files} --threads 1 --epochs 2 --licence 'CC BY / GPL'",
    }
    assert str(bank.parent) not in json.dumps(information)


@pytest.mark.slow
def test_the_model_parses_text_and_treebanks_and_is_scored(bank: Path) -> None:
    trained(bank)
    model = bank.with_name("m.safetensors")
    parsed = CliRunner().invoke(
        treewhile, ["parse", "--model", str(model), str(bank)], catch_exceptions=False
    )
    assert len([*read_sentences(io.BytesIO(parsed.stdout.encode()))]) == 12
    scores = CliRunner().invoke(
        treewhile, ["evaluate", str(model), str(bank), "--json"], catch_exceptions=False
    )
    assert json.loads(scores.stdout)["words"] == 36


@pytest.mark.slow
def test_a_segmenter_is_trained_anew_and_the_parser_stays_as_it_is(bank: Path, finished: Path) -> None:
    old, new = finished, bank.with_name("new.safetensors")
    bank.write_text(ROWS.replace("bark", "bark\u00e9") * 8)
    result = run("segmenter", "--model", old, "--train", bank, "--dev", bank, "--out", new, "--seed", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].endswith(" MB  Words 100.00  Sentences 100.00")
    before, after = read_model(old), read_model(new)
    parser = [name for name in before.arrays if not name.startswith("segmenter.")]
    assert [name for name in after.arrays if not name.startswith("segmenter.")] == parser
    assert all(np.array_equal(before.arrays[name], after.arrays[name]) for name in parser)
    assert "\u00e9" in after.information["segmenter"]["vocabulary"]
    files = f"--train {bank.name} --dev {bank.name} --out new.safetensors --seed 2"
    command = f"treewhile train segmenter --model m.safetensors {files}"
    assert after.information["segmenter_command"] == command
    changed = {"segmenter", "segmenter_command"}
    assert {
        name for name, value in after.information.items() if before.information.get(name) != value
    } == changed


@pytest.mark.slow
def test_a_segmenter_that_is_too_old_to_be_read_can_be_replaced(bank: Path, finished: Path) -> None:
    file = read_model(finished)
    file.information["segmenter"]["token_ends.window"] = [10, 10, 1]
    write_model(finished, file)
    with pytest.raises(InputError, match=r"older models need treewhile train segmenter"):
        read_parser(finished)
    assert (
        run("segmenter", "--model", finished, "--train", bank, "--dev", bank, "--out", finished).exit_code
        == 0
    )
    assert read_parser(finished).segmenter


def test_a_segmenter_needs_a_model_that_it_is_for(bank: Path) -> None:
    result = run("segmenter", "--model", bank, "--train", bank, "--dev", bank, "--out", bank.with_name("m"))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "is no whole model file" in result.stderr
    assert not bank.with_name("m").exists()


# --- the step scorer alone ----------------------------------------------------------------------------------


def stepped(bank: Path, parser: object, *more: object) -> Result:
    out = bank.with_name("new.safetensors")
    return run("steps", "--model", parser, "--train", bank, "--dev", bank, "--out", out, *more)


def as_before(model: Path) -> None:
    """Makes the model one of those that had no second layer, and nothing that awaits what is to come."""
    file = read_model(model)
    information = {name: value for name, value in file.information.items() if name != "temperature"}
    shape = {name: value for name, value in file.information["shape"].items() if name != "awaiting"}
    write_model(model, ModelFile(kept_arrays(file), {**information, "shape": shape}))


@pytest.mark.slow
def test_the_steps_are_trained_anew_and_all_else_stays_as_it_is(bank: Path, finished: Path) -> None:
    old, new = finished, bank.with_name("new.safetensors")
    as_before(old)
    result = stepped(bank, old, "--epochs", 3, "--seed", 5)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line[:24] for line in lines[:3]] == [f"epoch {number}/3  UAS at delay " for number in (1, 2, 3)]
    assert "  awaiting " in lines[0]
    assert re.fullmatch(rf"{re.escape(str(new))}: 0\.\d MB  temperature \d+\.\d\d", lines[-1])
    stored, kept = load_file(new), load_file(old)
    assert all(array.tobytes() == stored[name].tobytes() for name, array in kept.items())
    assert all(is_of_step_scorer(name) for name in stored.keys() - kept.keys())
    before, after = read_information(old), read_information(new)
    changed = {name for name, value in after.items() if before.get(name) != value}
    assert changed == {"shape", "scores", "temperature", "steps_command"}
    files = f"--train {bank.name} --dev {bank.name} --out new.safetensors"
    command = f"treewhile train steps --model m.safetensors {files} --seed 5 --epochs 3"
    assert after["steps_command"] == command
    assert after["scores"].keys() == before["scores"].keys()
    assert [path.name for path in sorted(bank.parent.iterdir())] == [old.name, new.name, bank.name]
    assert read_parser(new).segmenter


@pytest.mark.slow
def test_the_steps_take_ten_epochs_unless_others_are_asked_for(bank: Path, finished: Path) -> None:
    lines = stepped(bank, finished).stdout.splitlines()
    assert lines[0].startswith("epoch  1/10")


def test_the_training_of_steps_can_be_resumed(
    bank: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs.Run, "model", interrupted)
        stopped = stepped(bank, finished, "--epochs", 2)
    assert (stopped.exit_code, stopped.stderr.count("with --resume goes on from there")) == (130, 1)
    result = stepped(bank, finished, "--epochs", 2, "--resume")
    assert result.stdout.splitlines()[0] == "going on after 2 epochs"
    assert read_parser(bank.with_name("new.safetensors"))


def test_steps_need_a_model_that_they_are_of(bank: Path, finished: Path) -> None:
    for parser, problem in ((bank, "is no whole model file"), ("nowhere", "neither an installed model nor")):
        result = stepped(bank, parser)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert problem in result.stderr
    file = read_model(finished)
    write_model(finished, ModelFile({**file.arrays, "arc": file.arrays["arc"][1:]}, file.information))
    result = stepped(bank, finished)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "the array arc is of shape" in result.stderr
    assert not bank.with_name("new.safetensors").exists()


# --- the class of trees -----------------------------------------------------------------------------------

CROSSING = (
    "1\tdogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tbig\t_\tADJ\t_\t_\t1\tamod\t_\t_\n"
    "4\tnow\t_\tADV\t_\t_\t2\tadvmod\t_\t_\n\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(("does_pay", "trees"), [(True, "mh4"), (False, "projective")])
def test_the_class_that_pays_is_chosen_in_the_end_and_told(
    bank: Path, monkeypatch: pytest.MonkeyPatch, does_pay: bool, trees: str
) -> None:
    monkeypatch.setattr("treewhile.incremental.training.class_choice.pays", lambda gains: does_pay)
    bank.write_text(CROSSING * 12)
    result = trained(bank, "--no-segmenter")
    model = read_parser(bank.with_name("m.safetensors"))
    assert (model.trees, model.information["trees"]) == (trees, trees)
    tried = model.information["trees_tried"]
    assert tried.keys() == {"projective", "mh4"}
    assert tried[trees].items() <= model.information["scores"].items()
    of_each = (rf"{name} LAS {scores['LAS']:.2f}, \d+\.\d ms a sentence" for name, scores in tried.items())
    assert re.fullmatch(f"trees: {'; '.join(of_each)}: {trees}", result.stdout.splitlines()[-2])


def test_the_class_of_a_finished_model_can_be_chosen_alone(bank: Path, finished: Path) -> None:
    new, dev = bank.with_name("new.safetensors"), bank.with_name("dev.conllu")
    dev.write_text(CROSSING)
    before = read_model(finished)
    write_model(finished, ModelFile(before.arrays, {**before.information, "trees": "mh4"}))
    result = run("trees", "--model", finished, "--dev", dev, "--out", new)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].endswith(" MB  trees projective")
    stored, kept = load_file(new), load_file(finished)
    assert stored.keys() == kept.keys()
    assert all(array.tobytes() == stored[name].tobytes() for name, array in kept.items())
    after = read_information(new)
    changed = {name for name, value in after.items() if before.information.get(name) != value}
    assert changed - {"trees"} == {"trees_tried", "trees_command", "scores"}
    assert (
        after["trees_command"]
        == "treewhile train trees --model m.safetensors --dev dev.conllu --out new.safetensors"
    )
    told = run("trees", "--model", finished, "--trees", "mh4", "--dev", dev, "--out", new)
    assert told.stdout.splitlines()[-1].endswith(" MB  trees mh4")
    assert read_information(new)["trees_tried"] == after["trees_tried"]
    again = run("trees", "--model", new, "--dev", bank, "--out", new)
    assert again.stdout.splitlines() == [f"{new}: {new.stat().st_size / 1e6:.1f} MB  trees projective"]
    assert "trees_tried" not in read_information(new), "no tree of the bank has edges that cross"


@pytest.mark.slow
def test_steps_and_segmenter_that_are_trained_anew_leave_the_class_as_it_is(
    bank: Path, finished: Path
) -> None:
    before = read_model(finished)
    write_model(finished, ModelFile(before.arrays, {**before.information, "trees": "mh4"}))
    assert stepped(bank, finished, "--epochs", 1).exit_code == 0
    new = bank.with_name("new.safetensors")
    assert read_parser(new).trees == "mh4"
    assert run("segmenter", "--model", new, "--train", bank, "--dev", bank, "--out", new).exit_code == 0
    assert read_parser(new).trees == "mh4"


def test_training_needs_something_to_learn_from(bank: Path) -> None:
    result = run_parser("--dev", bank, "--out", bank.with_name("m"))
    assert (result.exit_code, "Missing option '--train'" in result.stderr) == (2, True)


# --- means of models --------------------------------------------------------------------------------------


def test_the_mean_of_models_that_have_gone_on_from_one(bank: Path, finished: Path) -> None:
    other, new = bank.with_name("other.safetensors"), bank.with_name("new.safetensors")
    before = read_model(finished)
    thrice = {
        name: 3 * array if array.dtype == np.float32 else array for name, array in before.arrays.items()
    }
    write_model(other, ModelFile(thrice, {**before.information, "temperature": 1.5, "treebanks": ["more"]}))
    result = run("mean", "--model", finished, "--model", other, "--dev", bank, "--out", new)
    assert (result.exit_code, result.stderr) == (0, "")
    after, biases = read_model(new), "arc_head.bias"
    assert np.array_equal(after.arrays[biases], 2 * before.arrays[biases])
    assert {name.split(".")[0] for name in before.arrays} >= {name.split(".")[0] for name in after.arrays}
    assert after.information["treebanks"] == [*before.information["treebanks"], "more"]
    assert after.information["temperature"] == (before.information["temperature"] + 1.5) / 2
    assert after.information["command"].endswith("--dev xx_small-train.conllu --out new.safetensors")
    assert f"LAS {after.information['scores']['LAS']:5.2f}" in result.stdout
    assert (read_parser(new).segmenter is None) == (read_parser(finished).segmenter is None)


def test_a_mean_takes_two_models_with_the_same_words_and_labels(bank: Path, finished: Path) -> None:
    new = bank.with_name("new.safetensors")
    alone = run("mean", "--model", finished, "--dev", bank, "--out", new)
    assert (alone.exit_code, "give --model once more" in alone.stderr) == (1, True)
    strange = run("mean", "--model", finished, "--model", "en", "--dev", bank, "--out", new)
    assert (strange.exit_code, "model 2 has another inventory than model 1" in strange.stderr) == (1, True)
    assert not new.exists()


# --- other ways to train ------------------------------------------------------------------------------------

BAD = ROWS.replace("\t2\tnsubj", "\t3\tnsubj").replace("\t2\tpunct", "\t1\tpunct")


def test_bad_sentences_are_skipped_and_told(bank: Path) -> None:
    dev = bank.with_name("dev.conllu")
    dev.write_text(ROWS + ROWS.replace("0\troot", "_\troot"))
    bank.write_text(ROWS * 3 + BAD * 2 + ROWS.replace("\tdogs\t", "dogs\t") + ROWS * 5)
    out = bank.with_name("m")
    result = run_parser(
        "--train", bank, "--dev", dev, "--out", out, "--epochs", 1, "--skip-bad", "--no-segmenter"
    )
    assert result.exit_code == 0
    unreadable, unusable, of_dev = result.stderr.splitlines()
    start = "skipped 1 sentence of the training part, not in CoNLL-U; the first: "
    assert unreadable.startswith(start)
    assert unreadable.endswith(f"at {bank}:21")
    assert unusable.startswith("skipped 2 sentences of the training part, of no use; the first: ")
    assert unusable.endswith(f"in the sentence at {bank}:13, column HEAD")
    assert of_dev.startswith("skipped 1 sentence of the dev part, of no use; the first: the head _ has to be")
    assert read_information(out)["sentences"] == 8


@pytest.mark.slow
def test_bad_sentences_are_skipped_by_a_segmenter_too(bank: Path) -> None:
    trained(bank, "--no-segmenter")
    model, new = bank.with_name("m.safetensors"), bank.with_name("new")
    bank.write_text(ROWS * 3 + ROWS.replace("\tdogs\t", "dogs\t") + ROWS * 5)
    arguments = ("segmenter", "--model", model, "--train", bank, "--dev", bank, "--out", new)
    assert f"at {bank}:13" in run(*arguments).stderr
    result = run(*arguments, "--skip-bad")
    assert result.exit_code == 0
    assert result.stderr.startswith("skipped 1 sentence of the training part, not in CoNLL-U; the first: ")
    assert read_parser(new).segmenter is not None


def test_a_treebank_with_nothing_but_bad_sentences_is_refused(bank: Path) -> None:
    bank.write_text(BAD)
    result = trained(bank, "--skip-bad")
    assert result.exit_code == 1
    assert "the training part has no sentences" in result.stderr.splitlines()[-1]


def test_a_model_needs_no_segmenter(bank: Path) -> None:
    result = trained(bank, "--no-segmenter")
    assert (result.exit_code, result.stderr) == (0, "")
    model = bank.with_name("m.safetensors")
    assert result.stdout.splitlines()[2:] == [f"{model}: {model.stat().st_size / 1e6:.1f} MB"]
    assert read_parser(model).segmenter is None


@pytest.mark.slow
def test_as_many_epochs_are_done_as_a_small_treebank_takes(bank: Path) -> None:
    out = bank.with_name("m.safetensors")
    bank.write_text(ROWS)
    result = run_parser("--train", bank, "--dev", bank, "--out", out, "--no-segmenter", "--explore", "none")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0].startswith("epoch   1/300  ")
    assert len(lines) - 1 < 300, "it ends once nothing becomes better"


def test_a_finished_model_is_trained_on(bank: Path, finished: Path) -> None:
    old, new = finished, bank.with_name("new.safetensors")
    bank.write_text(ROWS.replace("dogs", "birds").replace("\tpunct", "\tcomma") * 6)
    arguments = ("--train", bank, "--dev", bank, "--out", new, "--from", old, "--epochs", 2)
    result = run_parser(*arguments, "--no-segmenter")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 3)
    assert result.stderr == "not learnt, since the model does not have these labels: comma\n"
    before, after = read_information(old), read_information(new)
    assert after["inventory"] == before["inventory"]
    assert after["segmenter"] == before["segmenter"], "that of the model stays, since none is learnt"
    assert after["treebanks"] == [bank.name]
    assert after["scores"].keys() == before["scores"].keys()
    result = run_parser(*arguments, "--tags", "gold")
    assert (result.exit_code, "--tags is decided by the model" in result.stderr) == (2, True)


def test_other_labels_of_roots_are_trained_and_told(bank: Path) -> None:
    bank.write_text(bank.read_text().replace("\troot\t", "\tHEAD\t"))
    result = trained(bank, "--no-segmenter")
    assert result.stderr == "what hangs on the root is not called root here, but HEAD\n"
    model = read_parser(bank.with_name("m.safetensors"))
    assert "HEAD" in model.parse(["dogs", "bark", "."]).labels


@pytest.mark.slow
@pytest.mark.parametrize("decoder", ["likelihood", "any"])
def test_arcs_can_learn_from_whole_trees_too(bank: Path, decoder: str) -> None:
    assert trained(bank, "--decoder", decoder, "--no-segmenter").exit_code == 0
    model = bank.with_name("m.safetensors")
    assert read_information(model)["settings"]["decoder"] == decoder
    assert read_parser(model).parse(["dogs", "bark", "."]).heads.count(0) == 1


@pytest.mark.slow
def test_a_segmenter_goes_on_after_an_interrupt(
    bank: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped_soon(*arguments: Any, checkpoint: Any, **options: Any) -> Any:
        checkpoint.write({"run": "other", "classifiers": []})
        raise KeyboardInterrupt

    model, new = finished, bank.with_name("new")
    arguments = ("segmenter", "--model", model, "--train", bank, "--dev", bank, "--out", new)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "train_segmenter", stopped_soon)
        stopped = run(*arguments)
    kept = bank.with_name("new.checkpoint.segmenter")
    assert (stopped.exit_code, kept.exists()) == (130, True)
    assert f"what is done stands in {kept}: the same command with --resume" in stopped.stderr
    assert "go on with --resume" in run(*arguments).stderr
    assert run(*arguments, "--resume").exit_code == 0
    assert (kept.exists(), new.exists()) == (False, True)


def test_resuming_may_ask_for_more_epochs(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs.Run, "parser", interrupted)
        assert trained(bank, "--no-segmenter").exit_code == 130
    lines = trained(bank, "--no-segmenter", "--resume", "--epochs", 3).stdout.splitlines()
    assert lines[0] == "going on after 2 epochs"
    assert lines[1].startswith("epoch 3/3")
    assert len(lines) == 3


@pytest.mark.slow
def test_a_model_learns_from_others_and_from_raw_text(
    bank: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, out = bank.with_name("raw.txt"), bank.with_name("taught.safetensors")
    raw.write_text("dogs bark.\ncats bark.\n\nbirds bark.\n")
    given = [
        "--train",
        bank,
        "--dev",
        bank,
        "--treebank",
        bank,
        "--out",
        out,
        "--epochs",
        2,
        "--no-segmenter",
    ]
    taught = [*given, "--teach", finished, "--teach", finished, "--raw", raw]

    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs.Run, "parser", interrupted)
        assert run_parser(*taught).exit_code == 130
    beliefs = bank.with_name("taught.safetensors.checkpoint.beliefs")
    assert beliefs.exists()
    assert "a run with other options" in run_parser(*given, "--resume").stderr
    result = run_parser(*taught, "--resume")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "going on after 2 epochs"
    assert not beliefs.exists()
    assert read_information(out)["treebanks"] == [bank.name]
    assert "treebanks.weight" not in load_file(out)


def test_teachers_are_those_that_can_teach(bank: Path, finished: Path) -> None:
    given = ["--train", bank, "--dev", bank, "--out", bank.with_name("taught.safetensors")]
    raw = bank.with_name("raw.txt")
    raw.write_text("dogs bark.\n")
    none = run_parser(*given, "--teach", finished, "--raw", bank.with_name("none.txt"))
    assert "cannot read" in none.stderr
    told = bank.with_name("told.safetensors")
    assert trained(bank, "--tags", "gold", "--no-segmenter").exit_code == 0  # in place of the finished one
    finished.rename(told)
    assert "told.safetensors was trained on gold tags" in run_parser(*given, "--teach", told).stderr


@pytest.mark.slow
def test_words_of_raw_text_are_learnt_before_trees(
    bank: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, out = bank.with_name("raw.txt"), bank.with_name("read.safetensors")
    raw.write_text("owls bark.\nowls bark.\n")
    given = ["--train", bank, "--dev", bank, "--out", out, "--epochs", 1, "--raw", raw]
    assert "name a model that finds them with --segmenter" in run_parser(*given).stderr
    assert "use one of them" in run_parser(*given, "--no-segmenter", "--segmenter", finished).stderr
    assert "leave --from out" in run_parser(*given, "--segmenter", finished, "--from", finished).stderr
    result = run_parser(*given, "--segmenter", finished)
    assert (result.exit_code, result.stderr) == (0, "")
    information = read_information(out)
    assert "owls" in information["inventory"]["forms"]
    assert information["segmenter"] == read_information(finished)["segmenter"]
    assert [*bank.parent.glob("read.safetensors.checkpoint*")] == []


@pytest.mark.slow
def test_resuming_without_a_checkpoint_begins_anew(bank: Path) -> None:
    assert trained(bank, "--resume").stdout.splitlines()[0].startswith("epoch 1/2")


@pytest.mark.slow
def test_resuming_goes_on_after_the_checkpoint(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs, "train_segmenter", interrupted)
        stopped = trained(bank)
    assert stopped.exit_code == 130
    kept = f"what is done stands in {bank.with_name('m.safetensors.checkpoint')}"
    expected = f"treewhile: stopped; {kept}: the same command with --resume goes on from there\n"
    assert stopped.stderr == expected
    assert bank.with_name("m.safetensors.checkpoint").exists()
    lines = trained(bank, "--resume").stdout.splitlines()
    assert lines[:2] == ["going on after 2 epochs", "learning to find words and sentences"]


def test_who_stops_the_first_epoch_is_told_that_nothing_is_kept(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs.Run, "epoch", interrupted)
    stopped = trained(bank)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr == "treewhile: stopped; nothing is kept, since no epoch was done\n"


@pytest.mark.slow
def test_a_finished_model_is_not_begun_anew_by_resuming(bank: Path, finished: Path) -> None:
    model = finished.read_bytes()
    result = trained(bank, "--resume")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "m.safetensors is finished, and there is no checkpoint to go on from" in result.stderr
    assert finished.read_bytes() == model
    assert trained(bank).exit_code == 0


def test_a_checkpoint_is_kept_from_other_runs(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank.with_name("m.safetensors.checkpoint").write_bytes(b"something")
    result = trained(bank, "--resume")
    assert result.exit_code == 1
    assert "is no whole checkpoint: delete it, and train without --resume" in result.stderr


CIRCLE = ROWS.replace("2\tbark\t_\tVERB\t_\t_\t0\troot", "2\tbark\t_\tVERB\t_\t_\t1\tdep")


@pytest.mark.parametrize(
    ("part", "text", "problem"),
    [
        ("train", "", "the training part has no sentences"),
        ("train", ROWS.replace("\t2\tnsubj\t_\t_", "\t2\tnsubj\t_"), "has to have 10 columns"),
        ("train", CIRCLE, "go round in a circle"),
        ("train", "no treebank\n\n", "columns"),
        ("dev", ROWS + CIRCLE, ", in the sentence at {}:5, column HEAD\n"),
        ("dev", "", "the dev part has no sentences: give another file\n"),
        ("dev", ROWS.replace("bark", "\u00a0"), "{}:2, column FORM\n"),
    ],
)
def test_bad_treebanks_are_told_in_one_line(bank: Path, part: str, text: str, problem: str) -> None:
    bad = bank.with_name("bad.conllu")
    bad.write_text(text)
    parts = {"train": bank, "dev": bank, part: bad}
    result = run_parser("--train", parts["train"], "--dev", parts["dev"], "--out", bank.with_name("m"))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith("treewhile: ")
    assert problem.format(bad) in result.stderr
    assert not bank.with_name("m").exists()


@pytest.mark.parametrize("name", ["nowhere/m", "-", "m.gz", ".", "/", "", "folder"])
def test_a_place_that_cannot_be_written_to_is_told_before_training(bank: Path, name: str) -> None:
    (bank.parent / "folder").mkdir()
    out = name if name in ("-", "", "/", ".") else bank.parent / name
    result = run_parser("--train", bank, "--dev", bank, "--out", out)
    assert result.exit_code == 1
    assert result.stderr.startswith("treewhile: the model cannot be written to")
    assert result.stdout == ""


def test_an_old_checkpoint_is_not_overwritten(bank: Path) -> None:
    bank.with_name("m.safetensors.checkpoint").write_bytes(b"hours of work")
    result = trained(bank)
    assert result.exit_code == 1
    assert "go on with --resume, or delete it to begin anew" in result.stderr
    assert bank.with_name("m.safetensors.checkpoint").read_bytes() == b"hours of work"


def test_projective_trees_have_to_be_there(bank: Path) -> None:
    crossing = "".join(f"{i}\tx\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate([3, 4, 0, 3], 1))
    bank.write_text((crossing + "\n") * 3)
    result = trained(bank, "--learn-from", "projective")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "no tree of the training part is projective" in result.stderr


@pytest.mark.slow
def test_what_training_needs_is_named_where_it_is_not_installed(bank: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from treewhile.server.commands import main; main()"
    arguments = [
        "train",
        "parser",
        "--train",
        str(bank),
        "--dev",
        str(bank),
        "--out",
        str(bank.with_name("m")),
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env={**os.environ}
    )
    assert done.returncode == 1
    assert done.stderr == "treewhile: training needs torch: pip install 'treewhile[train]'\n"
