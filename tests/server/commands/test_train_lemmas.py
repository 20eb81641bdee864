from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_runs import command

from treewhile.incremental import load_model

ROWS = "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"

run = command("train")


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    (tmp_path / "bank.conllu").write_text(ROWS * 10)
    return tmp_path / "bank.conllu"


def test_a_model_learns_lemmas_and_says_from_what(
    bank: Path, tmp_path: Path, model_file: Callable[..., Path]
) -> None:
    out = tmp_path / "new.safetensors"
    parts = ("--model", model_file(), "--train", bank, "--dev", bank)
    result = run("lemmas", *parts, "--out", out, "--epochs", "2", "--licence", "CC0")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[:2]] == ["epoch 1/2", "epoch 2/2"]
    assert all(measure in lines[-1] for measure in ("LEMMA", "XPOS"))
    model = load_model(out)
    assert model.has_lemmas
    assert model.information["lemmas"]["treebanks"] == ["bank.conllu"]
    assert {*tmp_path.iterdir()} == {bank, out}


def test_of_other_treebanks_lemmas_are_learnt_and_no_xpos(
    bank: Path, tmp_path: Path, model_file: Callable[..., Path]
) -> None:
    out, other = tmp_path / "new.safetensors", tmp_path / "other.conllu"
    other.write_text("1\toxen\tox\tNOUN\tN\t_\t0\troot\t_\t_\n\n" * 10)
    parts = ("--model", model_file(), "--train", bank, "--treebank", other, "--dev", bank)
    assert run("lemmas", *parts, "--out", out, "--epochs", "2").exit_code == 0
    model = load_model(out)
    assert model.lemmas is not None
    assert {*model.lemmas.classes.xpos} == {"NNS", "VBP"}
    assert model.parse(["oxen"]).lemmas == ("ox",)
    assert model.information["lemmas"]["treebanks"] == ["bank.conllu", "other.conllu"]


def test_a_checkpoint_of_another_run_is_not_used(
    bank: Path, tmp_path: Path, model_file: Callable[..., Path]
) -> None:
    out = tmp_path / "new.safetensors"
    out.with_name("new.safetensors.checkpoint").write_bytes(b"")
    parts = ("--model", model_file(), "--train", bank, "--dev", bank, "--out", out)
    assert "go on with --resume" in run("lemmas", *parts).stderr
    assert "no whole checkpoint" in run("lemmas", *parts, "--resume").stderr
    assert not out.exists()
