from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from command_runs import command

GOLD = (
    "(ROOT\n  (S (NP-SBJ (PRP She))\n    (VP (VBD left) (NP (NN town))) (. !)))\n\n"
    "(ROOT (INTJ (UH Oh)))\n(ROOT (S (VP (VB Go))))\n"
)
SYSTEM = (
    "(ROOT (S (NP (PRP She)) (VP (VBD left) (VP (NN town) (. !)))))\n(ROOT (INTJ (UH Oh)))\n"
    "(ROOT (S (NP (NN Go))))\n"
)

run = command("constituents", "score")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.ptb").write_text(GOLD)
    return tmp_path / "gold.ptb"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    (tmp_path / "system.ptb").write_text(SYSTEM)
    return tmp_path / "system.ptb"


def test_scores_are_one_object(gold: Path, system: Path) -> None:
    result = run(gold, system, "--json")
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    told = json.loads(result.stdout)
    assert (told["gold"], told["system"], told["sentences"]) == (str(gold), str(system), 3)
    assert (told["precision"], told["recall"], told["f1"]) == (5 / 7, 5 / 7, 5 / 7)
    assert (told["exact"], told["uncrossed"], told["tags"]) == (1 / 3, 1, 4 / 5)
    assert told["brackets"] == {"matched": 5, "gold": 7, "system": 7}
    assert told["by_label"]["VP"] == {
        "precision": 1 / 2,
        "recall": 1 / 2,
        "f1": 1 / 2,
        "matched": 1,
        "gold": 2,
        "system": 2,
    }
    assert told["by_length"].keys() == {"1-10"}
    assert told["every_bracket"]["brackets"] == {"matched": 6, "gold": 10, "system": 10}


def test_people_see_three_tables(gold: Path, system: Path) -> None:
    result = run(gold, system)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert (result.exit_code, result.stderr) == (0, "")
    assert rows[0] == [str(system), "on", str(gold), "(3", "sentences)"]
    assert ["brackets", "71.43", "71.43", "71.43", "33.33", "100.00", "80.00"] in rows
    assert ["NP", "2", "2", "50.00", "50.00", "50.00"] in rows
    assert ["1-10", "7", "7", "71.43", "71.43", "71.43"] in rows


def test_either_file_may_be_standard_input_or_compressed(gold: Path, system: Path) -> None:
    (gold.parent / "gold.ptb.gz").write_bytes(gzip.compress(GOLD.encode()))
    named = json.loads(run(gold, system, "--json").stdout)
    for arguments, text in (((gold, "-"), SYSTEM), (("-", system), GOLD), ((f"{gold}.gz", system), "")):
        told = json.loads(run(*arguments, "--json", text=text).stdout)
        assert told["by_label"] == named["by_label"]
    result = run("-", "-")
    assert (result.exit_code, "cannot both be standard input" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            SYSTEM.replace("town", "down"),
            "the word 'down' has to be 'town' as at .*:3, column 28, at {}:1, column 48",
        ),
        (SYSTEM.replace("(INTJ", "INTJ"), "'INTJ' stands beside brackets, .*, at {}:2, column 7"),
        (SYSTEM + "(ROOT", r"not closed, it lacks 1 more bracket '\)', at {}:4, column 1"),
        (SYSTEM + "(ROOT (X a))", "the gold trees end before the tree at {}:4"),
    ],
)
def test_bad_files_are_told_in_one_sentence_with_the_line(
    gold: Path, system: Path, text: str, problem: str
) -> None:
    system.write_text(text)
    result = run(gold, system)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert re.search(problem.format(re.escape(str(system))), result.stderr)
