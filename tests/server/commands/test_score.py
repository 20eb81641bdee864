from __future__ import annotations

import gzip
import io
import json
import re
from pathlib import Path

import pytest
from command_runs import command
from udtools import udeval

GOLD = (
    "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj:pass\t_\t_\n"
    "2\tleft\tleave\tVERB\t_\tTense=Past\t0\troot\t_\t_\n"
    "3\ttown\ttown\tNOUN\t_\t_\t2\tobj\t_\t_\n"
    "4\t!\t!\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)
SYSTEM = GOLD.replace("2\tobj", "1\tobj").replace("2\tpunct", "3\tpunct")

run = command("score")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_text(GOLD)
    return tmp_path / "gold.conllu"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    (tmp_path / "system.conllu").write_text(SYSTEM)
    return tmp_path / "system.conllu"


def test_all_scores_of_the_shared_task_are_those_of_its_scorer(gold: Path, system: Path) -> None:
    result = run(gold, system, "--json")
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    told = json.loads(result.stdout)
    assert (told["gold"], told["system"]) == (str(gold), str(system))
    judged = udeval.evaluate(
        *(
            udeval.load_conllu(io.StringIO(text), "text", {"multiple_roots_okay": True})
            for text in (GOLD, SYSTEM)
        )
    )
    names = {"Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"}
    names |= {"UAS", "LAS", "CLAS", "MLAS", "BLEX"}
    assert told["scores"].keys() == names | {"LAS with subtypes"}
    for name in names:
        ours = told["scores"][name]
        assert (ours["precision"], ours["recall"]) == (judged[name].precision, judged[name].recall)
        assert (ours["f1"], ours["aligned_accuracy"]) == (judged[name].f1, judged[name].aligned_accuracy)


def test_labels_and_what_is_left_without_punctuation_are_told(gold: Path, system: Path) -> None:
    told = json.loads(run(gold, system, "--json").stdout)
    assert (told["scores"]["LAS"]["f1"], told["without_punctuation"]["LAS"]["f1"]) == (2 / 4, 2 / 3)
    assert {label: score["f1"] for label, score in told["labels"].items()} == {
        "nsubj": 1,
        "nsubj:pass": 1,
        "root": 1,
        "obj": 0,
        "punct": 0,
    }


def test_people_see_two_tables(gold: Path, system: Path) -> None:
    result = run(gold, system)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert (result.exit_code, result.stderr) == (0, "")
    assert rows[0] == [str(system), "on", str(gold)]
    assert ["LAS", "50.00", "50.00", "50.00", "50.00", "66.67"] in rows
    assert ["obj", "1", "1", "0.00", "0.00", "0.00"] in rows
    assert rows[rows.index(["nsubj", "1", "1", "100.00", "100.00", "100.00"]) + 1][0] == ":pass"


def test_either_file_may_be_standard_input_or_compressed(gold: Path, system: Path) -> None:
    (gold.parent / "gold.conllu.gz").write_bytes(gzip.compress(GOLD.encode()))
    named = json.loads(run(gold, system, "--json").stdout)
    for arguments, text in (((gold, "-"), SYSTEM), (("-", system), GOLD), ((f"{gold}.gz", system), "")):
        assert json.loads(run(*arguments, "--json", text=text).stdout)["scores"] == named["scores"]
    result = run("-", "-")
    assert (result.exit_code, "cannot both be standard input" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SYSTEM.replace("\t1\tobj", "\t9\tobj"), "the head '9' of 3 has to be .*, at {}:3, column HEAD"),
        (SYSTEM.replace("\t1\tobj", "\t_\tobj"), "the head _ has to be a number, .*, at {}:3, column HEAD"),
        (SYSTEM.replace("0\troot", "1\troot"), "circle: .* {}:1, column HEAD"),
        (SYSTEM.replace("town\ttown", "down\ttown"), "text has to be the same, .* {}:3, column FORM"),
        (SYSTEM.replace("\tobj\t", " obj "), "has to have 10 columns .*, at {}:3"),
    ],
)
def test_bad_files_are_told_in_one_sentence_with_the_line(
    gold: Path, system: Path, text: str, problem: str
) -> None:
    system.write_text(text)
    result = run(gold, system)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert re.search(problem.format(re.escape(str(system))), result.stderr)


def test_a_file_that_is_not_there_is_named(gold: Path) -> None:
    result = run(gold, gold.parent / "none.conllu")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "none.conllu" in result.stderr


def test_edges_that_cross_are_scored_alone(gold: Path, system: Path) -> None:
    # town and the exclamation mark change heads, so that 2 -> 4 crosses 1 -> 3 in both, and 0 -> 2 does, too
    gold.write_text(GOLD.replace("2\tobj", "1\tobj"))
    system.write_text(SYSTEM.replace("3\tpunct", "2\tpunct").replace("2\tnsubj", "4\tnsubj"))
    told = json.loads(run(gold, system, "--json").stdout)["crossing_edges"]
    assert told["all_words"]["gold"] == 3
    assert told["all_words"]["system"] == 4
    assert told["all_words"]["correct"] == 3
    assert (told["without_punctuation"]["correct"], told["without_punctuation"]["gold"]) == (2, 2)
    rows = [line.split() for line in run(gold, system).stdout.splitlines()]
    assert ["crossing", "edges", "75.00", "100.00", "85.71", "100.00", "80.00"] in rows
