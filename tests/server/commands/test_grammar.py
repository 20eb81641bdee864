"""The commands of people who write grammars."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_runs import command
from small_sentences import conllu_of

from treewhile.incremental.constraints import installed_grammars
from treewhile.server.commands import grammar

GRAMMAR = """
# Mine.
section order
constraint "det left" penalty 0.5, X: X.relation = det -> X.direction = left
constraint "one det" penalty 0.25, X and Y under one head: not (X.relation = det and Y.relation = det)
"""
SENTENCES = (
    "the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root",
    "dog/NOUN/3/nsubj the/DET/1/det barks/VERB/0/root",
    "barks/VERB/0/root",
)

run = command("grammar")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.constraints").write_text(GRAMMAR)
    return tmp_path / "mine.constraints"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_text(conllu_of(*SENTENCES))
    return tmp_path / "gold.conllu"


# --- all ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", grammar.SUMMARIES)
def test_every_command_has_a_help_text_with_an_example(name: str) -> None:
    assert f"\n    treewhile grammar {name}" in run(name, "--help").stdout


def test_commands_are_listed_where_none_is_named() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(summary in result.stderr for summary in grammar.SUMMARIES.values())


# --- list and show ------------------------------------------------------------------------------------------


def test_installed_grammars_are_listed() -> None:
    listed = run("list").stdout
    assert all(f"\n{name} " in listed for name in installed_grammars())
    said = json.loads(run("list", "--json").stdout)
    assert [*said] == [*installed_grammars()]
    assert said["general"]["includes"] == ["universal", "predictors"]
    assert said["predictors"]["predictors"] == ["committed"]
    assert said["predictors"]["sections"]["predictors"] + said["predictors"]["sections"]["scores"] == 5


def test_a_grammar_is_shown_in_the_words_of_its_author(mine: Path) -> None:
    assert run("show", mine).stdout == GRAMMAR
    assert "section roots\n" in run("show", "general").stdout
    (first, second) = json.loads(run("show", mine, "--json").stdout)["constraints"]
    assert first == {
        "constraint": "det left",
        "section": "order",
        "weighs": True,
        "tells": False,
        "penalty": 0.5,
        "edges": "one_edge",
        "file": str(mine),
        "line": 4,
    }
    assert second["edges"] == "under_one_head"


def test_a_grammar_that_is_missing_is_told() -> None:
    result = run("show", "nowhere")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is neither an installed grammar nor a file named 'nowhere'" in result.stderr


# --- stats --------------------------------------------------------------------------------------------------


def test_constraints_are_counted_on_a_treebank(mine: Path, treebank: Path) -> None:
    lines = run("stats", mine, treebank, "--examples").stdout.splitlines()
    assert lines[2].split() == ["det", "left", "0.5", "2", "1", "50.00"]
    assert lines[-1].strip() == "gold.conllu:5: *dog* *the* barks"


def test_programs_get_counts_with_examples(mine: Path, treebank: Path) -> None:
    said = json.loads(run("stats", mine, treebank, "--json").stdout)
    assert (said["sentences"], said["words"]) == (3, 7)
    first, second = said["constraints"]
    assert (first["cases"], first["broken"], first["remark"]) == (2, 1, "")
    assert first["examples"] == [
        {"sentence": 2, "place": "gold.conllu:5", "words": [1, 2], "text": "*dog* *the* barks"}
    ]
    assert (second["cases"], second["remark"]) == (0, "dead: it never applies")
    assert json.loads(run("stats", mine, treebank, "--json", "--limit", 1).stdout)["words"] == 3


def test_trees_of_a_parser_are_counted_too(
    mine: Path, treebank: Path, model_file: Callable[..., Path]
) -> None:
    said = json.loads(run("stats", mine, treebank, "--json", "--model", model_file()).stdout)
    assert {"cases", "broken", "share", "examples"} == {*said["constraints"][0]["parser"]}
    assert "lift" in run("stats", mine, treebank, "--model", model_file()).stdout


def test_a_treebank_without_trees_is_refused(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "words.conllu").write_text(conllu_of("dog/NOUN/_/_"))
    result = run("stats", mine, tmp_path / "words.conllu")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
