"""`treewhile train constituents`, and `constituents parse` with networks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_runs import command
from small_phrases import small_trees

from treewhile.incremental.constituents.bracketed_trees import on_one_line, read_trees
from treewhile.incremental.parsers.model_files import read_information, read_model
from treewhile.oracles.constituents.phrase_trees import Leaf

MakeFile = Callable[..., Path]

run = command()


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "small.ptb"
    path.write_text("".join(f"{on_one_line(tree)}\n" for tree in small_trees(20, seed=1)))
    return path


def test_words_become_trees_of_these_words(model_file: MakeFile, tmp_path: Path) -> None:
    out = tmp_path / "out.ptb"
    result = run(
        "constituents", "parse", "--model", model_file(with_spans=True), "-", out, text="the dog\nold cat .\n"
    )
    assert result.exit_code == 0
    assert [tree.words for tree in read_trees(out)] == [("the", "dog"), ("old", "cat", ".")]
    assert "2 sentences, 5 words" in result.stderr


def test_trees_keep_their_words_and_tags(model_file: MakeFile, trees: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "out.ptb", model_file(with_spans=True)
    assert (
        run(
            "constituents", "parse", "--model", model, "--constraints", "ghp+unary+quad", trees, out
        ).exit_code
        == 0
    )
    given = [tree.leaves for tree in read_trees(trees)]
    assert [tree.leaves for tree in read_trees(out)] == given
    assert given[0][-1] == Leaf(".", ".")


@pytest.mark.parametrize(
    ("options", "what"), [({}, "has no constituents"), ({"with_spans": True}, "no constraint")]
)
def test_what_cannot_be_done_is_told(options: dict[str, bool], what: str, model_file: MakeFile) -> None:
    constraints, model = "tight" if options else "none", model_file(**options)
    result = run(
        "constituents", "parse", "--model", model, "--constraints", constraints, "-", "-", text="the dog\n"
    )
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert what in result.stderr


def test_a_model_learns_phrases_and_stays_what_it_was(
    model_file: MakeFile, trees: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    kept, out = model_file(), tmp_path / "out.safetensors"
    learn = ("--train", trees, "--dev", trees, "--out", out, "--epochs", 1, "--licence", "none")
    result = run("train", "constituents", "--model", kept, *learn)
    assert result.exit_code == 0
    assert "agreement on small.ptb: precision" in result.stdout
    said = read_information(out)["spans"]
    assert (said["treebanks"], said["licence"]) == (["small.ptb"], "none")
    assert said["command"].startswith(
        "treewhile train constituents --model tiny.safetensors --train small.ptb"
    )
    assert read_model(kept).arrays.keys() <= read_model(out).arrays.keys()
    assert run("constituents", "parse", "--model", out, "-", "-", text="the dog\n").stdout.startswith(
        "(ROOT "
    )


def test_a_treebank_without_trees_is_refused(model_file: MakeFile, trees: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    empty = tmp_path / "empty.ptb"
    empty.touch()
    learn = ("--train", empty, "--dev", trees, "--out", tmp_path / "out")
    result = run("train", "constituents", "--model", model_file(), *learn)
    assert result.exit_code == 1
    assert "empty.ptb has no trees" in result.stderr
