from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click import Command
from click.testing import CliRunner, Result
from nederhof_projectivity.__main__ import command as nederhof
from pitler_crossing.__main__ import command as pitler
from roark_closed_cells.__main__ import command as roark
from roark_closed_cells.constraint_tables import PRINTED
from small_networks import SMALL
from small_phrases import small_trees
from small_treebanks import treebank

from treewhile.incremental.constituents.bracketed_trees import on_one_line
from treewhile.oracles import count_projectivizations, lift, projectivize

SENTENCES = treebank(40, seed=1)


def run(command: Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "hu_small-train.conllu"
    path.write_text("".join(map(str, SENTENCES)))
    return path


def share_kept(changed: list[list[int | None]]) -> float:
    pairs = [
        (before, after)
        for sentence, heads in zip(SENTENCES, changed, strict=True)
        for before, after in zip(sentence.heads, heads, strict=True)
    ]
    return sum(before == after for before, after in pairs) / len(pairs)


def test_table_6_has_what_is_kept_of_each_file_beside_the_paper(bank: Path) -> None:
    other = bank.with_name("grc_small.conllu")
    other.write_text(bank.read_text())
    told = json.loads(run(nederhof, "table-6", bank, other, "--json").stdout)
    assert told["files"][str(bank)]["lifting"] == pytest.approx(
        share_kept([lift(sentence.heads) for sentence in SENTENCES])
    )
    optimal = share_kept([[*projectivize(sentence.heads)] for sentence in SENTENCES])
    assert told["files"][str(bank)]["optimal"] == pytest.approx(optimal)
    assert optimal < 1, "some trees are not projective"
    rows = [line.split() for line in run(nederhof, "table-6", bank, other).stdout.splitlines()]
    assert rows[-2][0] == bank.name
    assert rows[-2][2:] == [f"{100 * optimal:.2f}", "–", "–"]  # noqa: RUF001
    assert rows[-1][3:] == ["91.41", "92.50"]


def test_figure_8_has_the_geometric_mean_by_length(bank: Path) -> None:
    told = json.loads(run(nederhof, "figure-8", bank, "--json").stdout)["files"][str(bank)]
    short = [sentence.heads for sentence in SENTENCES if len(sentence.words) <= 10]
    product = 1
    for heads in short:
        product *= count_projectivizations(heads, single_root=True)
    assert product > 1
    assert told["1-10"]["sentences"] == len(short)
    assert told["1-10"]["trees"] == pytest.approx(product ** (1 / len(short)))
    rows = [line.split() for line in run(nederhof, "figure-8", bank).stdout.splitlines()]
    assert ["1-10", f"{told['1-10']['trees']:.2f}"] in rows


@pytest.mark.slow
def test_table_7_trains_each_column_once_a_seed_and_keeps_what_is_done(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.training.trainer.Shape", lambda: SMALL)
    results = bank.with_name("results.jsonl")
    files = [word for part in ("train", "dev", "test") for word in (f"--{part}", bank)]
    arguments = [*files, "--column", 2, "--column", 5, "--seeds", 2, "--epochs", 2, "--results", results]
    first = run(nederhof, "table-7", *arguments, "--json")
    told = json.loads(first.stdout)
    assert told["columns"].keys() == {"2", "5"}
    assert [run["seed"] for run in told["columns"]["5"]] == [1, 2]
    assert told["paper"][4] == [57.62, 70.30]
    assert [
        one["oracle_calls_a_second"] > 0 for one in (told["columns"]["2"][0], told["columns"]["5"][0])
    ] == [False, True]
    lines = results.read_text()
    assert lines.count("\n") == 4
    rows = [line.split() for line in run(nederhof, "table-7", *arguments).stdout.splitlines()]
    assert results.read_text() == lines, "what is done is not done again"
    assert [row[0] for row in rows[-2:]] == ["(2)", "(5)"]
    assert rows[-1][-2:] == ["57.62", "70.30"]


def test_table_2_has_each_decoder_beside_the_paper_with_means_over_models(
    bank: Path, model_file: Callable[..., Path]
) -> None:
    dutch, models = bank.with_name("nl_small.conllu"), [model_file(), model_file(with_segmenter=False)]
    dutch.write_text(bank.read_text())
    told = json.loads(run(pitler, dutch, *models, "--json").stdout)
    assert told["models"].keys() == {*map(str, models)}
    one, other = (told["models"][str(name)]["projective"] for name in models)
    assert [one[name] == other[name] for name in ("UAS", "LAS", "F1")] == [True] * 3, "the same network"
    first_order = {"projective": 79.8, "spanning trees": 84.6, "gap-minding": 83.9}
    assert first_order.items() <= told["paper"].items()
    rows = [line.split() for line in run(pitler, dutch, *models).stdout.splitlines()]
    assert rows[0] == ["nl_small.conllu"]
    first = next(row for row in rows if row[0] == "projective")
    assert first[1:4] == [f"{one['UAS']:.2f}", "0.00", f"{one['LAS']:.2f}"]
    assert first[-1] == "79.80"
    assert next(row for row in rows if row[0] == "MH4")[-1] == "–"  # noqa: RUF001


@pytest.fixture
def phrases(tmp_path: Path) -> Path:
    path = tmp_path / "small.ptb"
    path.write_text("".join(f"{on_one_line(tree)}\n" for tree in small_trees(20, seed=1)))
    return path


def test_table_4_has_all_rows_of_both_sides_beside_the_paper(phrases: Path) -> None:
    told = json.loads(run(roark, "--train", phrases, "--dev", phrases, "--json").stdout)
    assert (told["table"], told["file"]) == ("roark-4", str(phrases))
    for side, printed in PRINTED.items():
        rows = told["rows"][side]
        assert [*rows] == [*told["paper"][side]] == [*printed]
        assert (rows["none"]["speed_up"], rows["none"]["loosened"]) == (1, 0)
        assert rows["none"]["f1"] == pytest.approx(100)
        assert rows["ghp"]["words_per_second"] > 0
    assert told["paper"]["left"]["ghp+unary"] == {"f1": 75.7, "seconds": 37}


def test_people_see_table_4_with_the_points_of_each_row(phrases: Path) -> None:
    result = run(roark, "--train", phrases, "--dev", phrases, "--threshold", "20")
    assert "small.ptb, binary on the right" in result.stdout
    for row in ("GHP(20) + Unary(20) + Quad(4)", "HP(0.95) + Linear(12)", "Linear(24)"):
        assert row in result.stdout
    assert "20.9" in result.stdout
    assert ("100.00" in result.stdout, "200.00" in result.stdout) == (True, False)
