"""`treewhile train grammar`, and `constituents parse` with grammars."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from command_runs import command
from small_phrases import small_trees
from small_taggers import small_model

from treewhile.incremental.constituents.bracketed_trees import on_one_line, read_trees
from treewhile.incremental.constituents.grammar_models import read_grammar_model, write_grammar_model

run = command()


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "small.ptb"
    path.write_text("".join(f"{on_one_line(tree)}\n" for tree in small_trees(20, seed=1)))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_grammar_model(tmp_path / "small.grammar", small_model())
    return tmp_path / "small.grammar"


@pytest.mark.parametrize("name", ["m.grammar", "m.grammar.gz"])
def test_what_is_learnt_is_one_text_and_parses(name: str, trees: Path, tmp_path: Path) -> None:
    path, out = tmp_path / name, tmp_path / "out.ptb"
    options = ("--binarization", "left", "--markov", "1", "--parents", "--tag-order", "0")
    result = run("train", "grammar", "--train", trees, "--dev", trees, "--out", path, *options)
    assert result.exit_code == 0, result.output
    assert "right tags: parts of speech 100.00  begins 100.00" in result.stdout
    assert (
        "ghp+unary+quad, threshold 40: agreement precision 100.00  recall 100.00  f1 100.00, "
        in result.stdout
    )
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    assert text.startswith(b"[constraints]\nusual ghp+unary+quad\n")
    learnt = read_grammar_model(path)
    assert learnt.grammar.form == ("left", 1, True, False)
    assert (learnt.taggers.begins.order, learnt.points.linear) == (0, 24)
    assert run("constituents", "parse", "--model", path, trees, out).exit_code == 0
    assert out.read_text() == trees.read_text()


@pytest.mark.parametrize("constraints", ["none", "ghp", "hp", "quad", "linear", "unary", "ghp+unary+quad"])
def test_words_become_trees_under_all_constraints(constraints: str, model: Path) -> None:
    arguments = ("constituents", "parse", "--model", model, "--constraints", constraints, "-", "-")
    result = run(*arguments, text="the dog sees the cat .\n\nthe virn barks .\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees)")
    assert result.stderr.startswith("2 sentences, 10 words, ")
    assert result.stderr.endswith(" words/s\n")


def test_a_flat_tree_is_told(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ptb"
    result = run("constituents", "parse", "--model", model, "-", out, text="the the\n")
    assert [*map(str, read_trees(out))] == ["(ROOT (DT the) (DT the))\n"]
    assert "no tree is left, all words are under the root, at standard input:1" in result.stderr


def test_a_treebank_without_trees_is_refused(trees: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.ptb").write_text("")
    result = run(
        "train", "grammar", "--train", tmp_path / "empty.ptb", "--dev", trees, "--out", tmp_path / "m"
    )
    assert (result.exit_code, "has no trees: give another file" in result.stderr) == (1, True)


def test_a_place_that_cannot_be_written_to_is_refused_first(trees: Path, tmp_path: Path) -> None:
    result = run("train", "grammar", "--train", trees, "--dev", trees, "--out", tmp_path / "no" / "m")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr


def test_a_constraint_that_is_none_is_refused(model: Path) -> None:
    result = run(
        "constituents", "parse", "--model", model, "--constraints", "ghp+all", "-", "-", text="the dog\n"
    )
    assert result.exit_code == 1
    assert "'all' is no constraint: give one of none, ghp" in result.stderr
