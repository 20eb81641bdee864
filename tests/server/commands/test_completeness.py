from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_runs import command
from small_endings import ending_treebank

from treewhile.incremental.parsers.model_files import read_information, read_model

MakeFile = Callable[..., Path]

run = command()


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "small.conllu"
    path.write_text(ending_treebank(20, seed=1))
    return path


def test_a_model_learns_when_sentences_end_and_stays_what_it_was(
    model_file: MakeFile, treebank: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    kept, out = model_file(), tmp_path / "out.safetensors"
    learn = ("--train", treebank, "--dev", treebank, "--out", out, "--licence", "none")
    result = run("train", "completeness", "--model", kept, *learn)
    assert result.exit_code == 0
    assert "small.conllu" in result.stdout
    said = read_information(out)["completeness"]
    assert (said["treebanks"], said["licence"]) == (["small.conllu"], "none")
    assert said["command"].startswith("treewhile train completeness --model tiny.safetensors")
    assert said["areas"].keys() == {
        f"{what}, {text}" for what in ("may_end", "ends") for text in ("as said", "as written")
    }
    before, after = read_model(kept).arrays, read_model(out).arrays
    assert all(np.array_equal(after[name], array) for name, array in before.items())
    assert run("completeness", "score", out, treebank).exit_code == 0


def test_scores_are_one_object(model_file: MakeFile, treebank: Path) -> None:
    result = run("completeness", "score", model_file(with_completeness=True), treebank, "--json")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    told = json.loads(result.stdout)
    assert (told["files"], told["sentences"]) == ([str(treebank)], 20)
    texts = told["texts"]
    assert texts.keys() == {"as said", "as written"}
    for raters in texts.values():
        [parser] = raters.values()
        assert parser.keys() == {"may_end", "ends"}
        assert sum(one["cases"] for one in parser["ends"]["reliability"]) > 60


def test_people_see_a_table_of_scores_and_the_bins(model_file: MakeFile, treebank: Path) -> None:
    result = run("completeness", "score", model_file(with_completeness=True), treebank)
    assert "(20 sentences)" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["text", "of", "AUC", "Brier", "ECE"] in rows
    assert ["ends,", "as", "written", "prefixes", "said", "true"] in rows


def test_a_model_that_has_not_learnt_it_says_what_to_do(model_file: MakeFile, treebank: Path) -> None:
    result = run("completeness", "score", model_file(), treebank)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "treewhile train completeness" in result.stderr


def test_a_treebank_without_words_is_refused(model_file: MakeFile, tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").touch()
    result = run("completeness", "score", model_file(with_completeness=True), tmp_path / "empty.conllu")
    assert result.exit_code == 1
    assert "empty.conllu has no words" in result.stderr
