from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_runs import command


def tree(*heads: object, misc: str = "_") -> str:
    return (
        "".join(f"{id_}\tx\t_\tX\t_\t_\t{head}\tdep\t_\t{misc}\n" for id_, head in enumerate(heads, 1)) + "\n"
    )


TREEBANK = "# text = x x\n" + tree(2, 0) + tree(0, 1, 1, 2, 2, "_", misc="a|").replace("\n", "\r\n") + tree(0)
PROJECTIVE = TREEBANK.replace(
    "3\tx\t_\tX\t_\t_\t1\tdep\t_\ta|", "3\tx\t_\tX\t_\t_\t2\tdep\t_\ta||OriginalHead=1"
)
SUMMARY = [
    "trees                    3",
    "not projective           1  33.33%",
    "edges                    8",
    "edges lost               1  12.50%",
    "lifting would have lost  2  25.00%",
]
NUMBERS = {"trees": 3, "non_projective": 1, "edges": 8, "edges_lost": 1, "edges_lost_by_lifting": 2}

run = command("projectivize")


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    (tmp_path / "in.conllu").write_bytes(TREEBANK.encode())
    return tmp_path / "in.conllu"


def test_a_treebank_becomes_projective_with_a_summary(bank: Path, tmp_path: Path) -> None:
    result = run(bank, tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (tmp_path / "out").read_bytes().decode() == PROJECTIVE
    assert lines(result.stdout) == SUMMARY


@pytest.mark.parametrize("options", [[], ["--count"]])
@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz"])
def test_restoring_gives_the_treebank_back(bank: Path, tmp_path: Path, options: list[str], name: str) -> None:
    run(*options, bank, tmp_path / name)
    result = run("--restore", tmp_path / name, tmp_path / "again")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (tmp_path / "again").read_bytes().decode() == TREEBANK
    assert lines(result.stdout) == ["sentences       3", "heads put back  1"]


def test_a_count_stands_in_a_comment_of_every_sentence(bank: Path, tmp_path: Path) -> None:
    run("--count", bank, tmp_path / "out")
    comments = [line for line in (tmp_path / "out").read_text().split("\n") if line.startswith("#")]
    assert comments == ["# text = x x", *(f"# projectivizations = {count}" for count in (1, 6, 1))]


def test_the_summary_can_be_an_object(bank: Path, tmp_path: Path) -> None:
    assert json.loads(run("--json", bank, tmp_path / "out").stdout) == NUMBERS
    restored = run("--restore", "--json", tmp_path / "out", tmp_path / "again")
    assert json.loads(restored.stdout) == {"sentences": 3, "heads_put_back": 1}


def test_a_dash_is_standard_input_and_output_and_the_summary_goes_elsewhere() -> None:
    result = run("-", "-", text=TREEBANK)
    assert result.stdout_bytes.decode() == PROJECTIVE
    assert lines(result.stderr) == SUMMARY
    assert json.loads(run("--json", "-", "-", text=TREEBANK).stderr) == NUMBERS
    assert run("--restore", "-", "-", text=PROJECTIVE).stdout_bytes.decode() == TREEBANK


def test_an_empty_treebank_is_one() -> None:
    result = run("-", "-")
    assert (result.exit_code, result.stdout) == (0, "")
    assert lines(result.stderr)[0] == "trees                    0"


def test_a_treebank_can_be_replaced(bank: Path) -> None:
    assert run(bank, bank).exit_code == 0
    assert bank.read_bytes().decode() == PROJECTIVE
    assert run("--restore", bank, bank).exit_code == 0
    assert bank.read_bytes().decode() == TREEBANK


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (tree(0) + tree(2, 3, 1), "in the sentence at standard input:3, column HEAD"),
        (tree(0) + tree(2, 2), "at standard input:4, column HEAD"),
        (tree(0) + tree(3, 0), "at standard input:3, column HEAD"),
        (tree(0) + tree(0)[:-1], "the file is cut short"),
        (PROJECTIVE, "restore the file first, at standard input:7, column MISC"),
        (
            "# projectivizations = 1\n" + tree(0),
            "restore the file first, in the sentence at standard input:2",
        ),
    ],
)
def test_a_treebank_that_cannot_be_used_leaves_no_file(text: str, message: str, tmp_path: Path) -> None:
    result = run("-", tmp_path / "out", text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("treewhile: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_old_head_that_is_no_head_cannot_be_restored(tmp_path: Path) -> None:
    result = run("--restore", "-", tmp_path / "out", text=tree(0, misc="OriginalHead=x"))
    assert result.exit_code == 1
    assert result.stderr.endswith(", at standard input:1, column MISC\n")


def test_a_folder_cannot_be_written_to(bank: Path, tmp_path: Path) -> None:
    result = run(bank, tmp_path)
    assert result.exit_code == 1
    assert result.stderr == f"treewhile: cannot write {tmp_path}: Is a directory\n"


# --- many files -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two treebanks, one in a folder of its own."""
    (tmp_path / "banks" / "more").mkdir(parents=True)
    (tmp_path / "banks" / "one.conllu").write_text(TREEBANK, newline="")
    (tmp_path / "banks" / "more" / "ten.conllu").write_text(TREEBANK * 10, newline="")
    return tmp_path / "banks"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_many_treebanks_are_changed_and_summed_up_as_each_alone(
    jobs: int, folder: Path, tmp_path: Path
) -> None:
    out, back = tmp_path / "out", tmp_path / "back"
    result = run(folder, "--out", out, "--json", "--jobs", jobs)
    assert json.loads(result.stdout) == {name: 11 * number for name, number in NUMBERS.items()}
    assert (out / "one.conllu").read_bytes().decode() == PROJECTIVE
    assert (out / "more" / "ten.conllu").read_bytes().decode() == PROJECTIVE * 10
    result = run("--restore", out, "--out", back, "--jobs", jobs, "--report")
    report = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert sorted(line["heads_put_back"] for line in report) == [1, 10]
    assert (back / "more" / "ten.conllu").read_bytes().decode() == TREEBANK * 10


def test_options_for_many_files_are_for_these_alone(folder: Path, tmp_path: Path) -> None:
    for more in (["--jobs", 2], ["--report"]):
        refused = run(folder / "one.conllu", tmp_path / "out", *more)
        assert (refused.exit_code, "use them with --out" in refused.stderr) == (2, True)
