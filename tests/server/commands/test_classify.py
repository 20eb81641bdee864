from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_runs import command

LETTER = (2, 3, 0, 3, 7, 7, 2)


def tree(*heads: object, form: str = "x") -> str:
    rows = (f"{word}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for word, head in enumerate(heads, 1))
    return "".join(rows) + "\n"


TREEBANK = tree(0, 1, 1) + tree(*LETTER) + tree(2, 0, 0, 1)
COUNTS = {
    "trees": 3,
    "gap_degree": {"0": 1, "1": 2},
    "edge_degree": {"0": 1, "1": 1, "2": 1},
    "inheritance_degree": {"0": 2, "1": 1},
    "is_well_nested": 3,
    "is_projective": 1,
    "is_gap_minding": 2,
    "is_1_inherit": 3,
    "is_mild": 3,
    "is_1_endpoint_crossing": 3,
    "is_mh4": 2,
}
TABLE = [
    "trees in % that are      time  in.conllu",
    "────────────────────────────────────────",
    "projective                 n³      33.33",
    "gap-minding                n⁵      66.67",
    "1-Inherit                  n⁶     100.00",
    "mildly non-projective      n⁷     100.00",
    "1-endpoint-crossing        n⁴     100.00",
    "MH4                        n⁴      66.67",
    "well-nested                       100.00",
    "all trees                  n²     100.00",
    "",
    "of gap degree 1                    66.67",
    "of edge degree 1                   33.33",
    "of edge degree 2                   33.33",
    "of inheritance degree 1            33.33",
    "",
    "trees                                  3",
]

run = command("classify")


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    (tmp_path / "in.conllu").write_text(TREEBANK)
    return tmp_path / "in.conllu"


def test_the_table_has_the_share_of_each_class(bank: Path) -> None:
    result = run(bank)
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines(result.stdout) == TABLE


def test_json_has_the_counts_of_each_file(bank: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu.gz"
    other.write_bytes(gzip.compress(tree(0).encode()))
    told = json.loads(run("--json", bank, other).stdout)
    assert [*told] == [str(bank), str(other)]
    assert told[str(bank)] == COUNTS
    assert told[str(other)]["trees"] == told[str(other)]["is_projective"] == 1


def test_standard_input_is_a_file(bank: Path) -> None:
    assert json.loads(run("--json", "-", text=TREEBANK).stdout) == {"-": COUNTS}


def test_more_files_than_fit_a_line_have_several_tables(tmp_path: Path) -> None:
    names = [tmp_path / f"a-treebank-with-a-long-name-{number}.conllu" for number in range(9)]
    for name in names:
        name.write_text(tree(0))
    told = lines(run(*names).stdout)
    headings = [line for line in told if line.startswith("trees in %")]
    assert len(headings) == 3
    assert [word for line in headings for word in line.split()[6:]] == [name.name for name in names]
    assert max(map(len, told)) <= 160


def test_ranges_and_empty_nodes_are_no_words() -> None:
    rows = tree(2, 0).splitlines(keepends=True)
    text = "1-2\txx" + "\t_" * 8 + "\n" + rows[0] + "1.1\tx" + "\t_" * 8 + "\n" + rows[1] + "\n"
    assert json.loads(run("--json", "-", text=text).stdout)["-"]["is_projective"] == 1


def test_examples_stand_before_the_table_with_what_they_are_outside(bank: Path) -> None:
    told = lines(run(bank, "--examples", 1).stdout)
    assert told[-len(TABLE) :] == TABLE
    assert "not projective; gap degree 1, edge degree 1, inheritance degree 0" not in told
    assert told[: -len(TABLE)] == [
        f"{bank}:13",
        "not projective, not gap-minding, not MH4; gap degree 1, edge degree 2, inheritance degree 1",
        "     ╭────────────╮",
        "  ╭──┼────────╮   │",
        "  ├──┼────╮   │   │",
        "  │  │╭──╮│   │   │",
        "  │  │▼  │▼   ▼   ▼",
        "root  x   x   x   x",
        "",
    ]


def test_the_shortest_examples_of_each_class_are_drawn(bank: Path) -> None:
    told = lines(run(bank, "--examples", 2).stdout)
    assert [line for line in told if line.startswith(str(bank))] == [f"{bank}:5", f"{bank}:13"]
    assert "not projective; gap degree 1, edge degree 1, inheritance degree 0" in told


def test_an_example_that_is_too_wide_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text(tree(*LETTER, form="x" * 40))
    told = lines(run(tmp_path / "in.conllu", "--examples", 2).stdout)
    long = "x" * 40
    assert told[2] == f"  root → {long} 3 crosses {long} 2 → {long} 7"
    assert "╭" not in "".join(told)


def test_an_empty_treebank_has_no_shares() -> None:
    result = run("-", text="")
    assert result.exit_code == 0
    assert lines(result.stdout)[2].split() == ["projective", "n³", "–"]  # noqa: RUF001


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (tree(0) + tree(2, 3, 1), "in the sentence at standard input:3, column HEAD"),
        (tree(0) + tree(0, "_"), "give all heads, in the sentence at standard input:3, column HEAD"),
        (tree(0) + tree(3, 0), "at standard input:3, column HEAD"),
        (tree(0) + tree(0)[:-1], "the file is cut short"),
    ],
)
def test_a_treebank_that_is_not_as_it_has_to_be_is_told_in_one_line(text: str, message: str) -> None:
    result = run("-", "--examples", 1, text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("treewhile: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["-", "-"], ["-", "--json", "--examples", "1"], [], ["-", "--examples", "0"]]
)
def test_wrong_usage_says_what_is_wrong(words: list[str]) -> None:
    result = run(*words, text=tree(0))
    assert result.exit_code == 2
    assert result.stderr.strip()


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--json"], ["--examples", 2]])
def test_more_processes_and_folders_give_the_same(options: list[object], tmp_path: Path) -> None:
    (tmp_path / "banks" / "more").mkdir(parents=True)
    names = [tmp_path / "banks" / name for name in ("more/a.conllu", "b.conllu.gz")]
    names[0].write_text((TREEBANK + tree(3, 4, 0, 3) + tree(3, 4, 0, 3, 1)) * 3 + tree(0))
    names[1].write_bytes(gzip.compress(TREEBANK.encode()))
    alone, found, by_two = (
        run(*more, *options) for more in (names, [tmp_path / "banks"], ["--jobs", 2, tmp_path / "banks"])
    )
    assert (alone.exit_code, found.stdout) == (0, by_two.stdout)
    if options == ["--json"]:
        assert json.loads(found.stdout) == json.loads(alone.stdout)
    else:
        assert found.stdout.count(":") > 4


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_file_ends_it_with_its_name(jobs: int, bank: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text(tree(0) + tree(2, 3, 1))
    result = run(bank, tmp_path / "bad.conllu", "--jobs", jobs)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith(f"in the sentence at {tmp_path}/bad.conllu:3, column HEAD\n")
