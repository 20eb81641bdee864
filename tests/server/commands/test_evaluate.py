from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from click.testing import CliRunner
from command_runs import command
from small_treebanks import treebank

from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.scores.conll_scores import conll_scores, crossing_score
from treewhile.incremental.scores.evaluation import Evaluated
from treewhile.server.commands import evaluate, treewhile
from treewhile.server.terminal import evaluation_plots


def sentence(*heads: object, label: str = "nsubj") -> str:
    rows = (
        f"{number}\t{form}\t_\tNOUN\t_\t_\t{head}\t{'root' if head == 0 else label}\t_\t_\n"
        for number, (form, head) in enumerate(zip("abcdefgh", heads, strict=False), 1)
    )
    return "".join(rows) + "\n"


TREEBANK = (
    sentence(2, 0) + sentence(0, 1, 2, 3, label="nsubj:pass") + sentence(2, 3, 0) + sentence(3, 4, 0, 3)
)

run = command("evaluate")


@pytest.fixture(scope="session")
def tiny(model_file: Callable[..., Path]) -> Path:
    return model_file()


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    (tmp_path / "dev.conllu").write_text(TREEBANK)
    return tmp_path / "dev.conllu"


def test_scores_are_those_of_the_parsed_treebank(bank: Path, tiny: Path, tmp_path: Path) -> None:
    CliRunner().invoke(treewhile, ["parse", f"--model={tiny}", str(bank), str(tmp_path / "out")])
    result = run(tiny, bank, "--json")
    scores = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    assert (scores["sentences"], scores["words"], scores["model"], scores["file"]) == (
        4,
        13,
        str(tiny),
        str(bank),
    )
    assert "stream" not in scores
    for name, score in conll_scores(bank, tmp_path / "out").items():
        assert scores["scores"][name]["f1"] == score.f1
        assert scores["scores"][name]["precision"] == score.precision
        assert scores["scores"][name]["correct"] == score.correct


def test_sentences_are_scored_as_they_are_spoken(tiny: Path, tmp_path: Path) -> None:
    written = sentence(2, 0).replace("a\t", "A\t") + "1\tB\t_\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No\n"
    written += "2\t.\t_\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_\n\n"
    spoken = sentence(2, 0) + "1\tb\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "written.conllu").write_text(written)
    (tmp_path / "spoken.conllu").write_text(spoken)
    changed = json.loads(run(tiny, tmp_path / "written.conllu", "--spoken", "--json").stdout)
    as_given = json.loads(run(tiny, tmp_path / "spoken.conllu", "--json").stdout)
    assert changed["words"] == 3
    assert changed["scores"] == as_given["scores"]


def test_raw_text_is_scored_too(bank: Path, tiny: Path) -> None:
    scores = json.loads(run(tiny, bank, "--json", "--raw").stdout)["raw"]
    assert scores["Words"]["f1"] == 1
    assert scores["Sentences"]["system"] == 1, "nothing in this text ends a sentence"
    assert "from raw text" in run(tiny, bank, "--raw").stdout


def test_raw_text_needs_a_model_that_reads_text(bank: Path, model_file: Callable[..., Path]) -> None:
    result = run(model_file(with_segmenter=False), bank, "--raw")
    assert result.exit_code == 1
    assert "cannot cut one into words" in result.stderr


def test_a_stream_is_scored_too(bank: Path, tiny: Path) -> None:
    scores = json.loads(run(tiny, bank, "--json", "--stream").stdout)
    assert scores["stream"]["labelled"]["best"]["final"] == scores["scores"]["LAS"]["f1"]
    assert set(scores["milliseconds"]) == {"committed", "best", "best_of_30_words"}
    assert scores["processes"] == 1


def test_committed_parses_of_any_risk_are_scored(bank: Path, tiny: Path) -> None:
    scores = json.loads(run(tiny, bank, "--json", "--stream", "--risk", "0.25", "--risk", 1).stdout)
    names = ["committed_0", "committed_1", "committed_2", f"risk_{RISK:g}", "risk_0.25", "risk_1"]
    stream = scores["stream"]
    assert [*stream["mean_delay"]] == names
    assert [*stream["labelled"]] == [*stream["unlabelled"]] == ["best", *names]
    output = run(tiny, bank, "--stream", "--risk", "0.25", "--risk", 1).stdout
    rows = [line.split() for line in output.splitlines()]
    ends = [f"{100 * stream[kind]['risk_1']['final']:.2f}" for kind in ("unlabelled", "labelled")]
    delay = stream["mean_delay"]["risk_1"]
    assert ["risk", "1", *ends, f"{delay:.2f}"] in rows


@pytest.mark.slow
def test_more_processes_count_the_same(bank: Path, tiny: Path) -> None:
    one, two = (json.loads(run(tiny, bank, "--json", "--stream", "--jobs", jobs).stdout) for jobs in (1, 2))
    assert one["scores"] == two["scores"]
    assert one["stream"] == two["stream"]


def test_people_see_a_table(bank: Path, tiny: Path) -> None:
    result = run(tiny, bank)
    rows = [line.split() for line in result.stdout.splitlines()]
    scores = json.loads(run(tiny, bank, "--json").stdout)["scores"]
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].endswith("dev.conllu (4 sentences, 13 words)")
    assert ["UAS", f"{100 * scores['UAS']['f1']:.2f}"] in rows
    assert [row[0] for row in rows[3:]] == ["UPOS", "UFeats", "UAS", "LAS", "LAS", "CLAS", "MLAS"]


def test_people_see_tables_of_a_stream(bank: Path, tiny: Path) -> None:
    rows = [line.split() for line in run(tiny, bank, "--stream").stdout.splitlines()]
    best = json.loads(run(tiny, bank, "--stream", "--json").stdout)["stream"]["labelled"]["best"]
    for name in ("initial", "delay 2", "final", "wrong predictions"):
        first = next(row for row in rows if row[:-5] == name.split())
        assert first[-5] == f"{100 * best[name.replace(' ', '_')]:.2f}"
    assert [row[:-2] for row in rows[-4:-1]] == [
        ["commit", "to", "a", "word"],
        ["find", "the", "best", "parse"],
        ["find", "it", "for", "30", "words"],
    ]
    assert rows[-2][-2:] == ["–", "–"], "no sentence is as long"  # noqa: RUF001
    assert rows[-1][:2] == ["processes:", "1,"]


def test_every_limit_has_scores_of_every_parse(bank: Path, tiny: Path) -> None:
    scores = json.loads(run(tiny, bank, "--json", "--stream", "--time-limits", "0.5,20,inf").stdout)
    assert [*scores["time_limits"]] == ["0.5", "20", "inf"]
    without = scores["time_limits"]["inf"]
    assert [*without] == ["first", "best", "search", "search_with"]
    assert without["best"]["labelled"] == scores["stream"]["labelled"]["best"]
    at_the_end = [
        parse["final"]
        for parse in (without["first"]["unlabelled"], scores["stream"]["unlabelled"][f"risk_{RISK:g}"])
    ]
    assert at_the_end[0] == at_the_end[1], "once a sentence has ended, nothing waits any more"
    assert scores["lengths"]["3-20"]["sentences"] == 3
    assert [*scores["lengths"]["3-20"]["time_limits"]] == ["0.5", "20", "inf"]


@pytest.mark.slow
def test_a_schedule_says_when_words_come(bank: Path, tiny: Path) -> None:
    result = run(tiny, bank, "--json", "--stream", "--schedule", "paste", "--jobs", 2)
    scores = json.loads(result.stdout)
    paste = scores["schedules"]["paste"]
    assert paste["best"]["labelled"]["final"] == scores["stream"]["labelled"]["best"]["final"]
    assert paste["best"]["settled"] == pytest.approx(4 / 13), "the ends of sentences"
    assert "time_limits" not in scores


def test_the_first_sentences_can_be_taken(bank: Path, tiny: Path) -> None:
    scores = json.loads(run(tiny, bank, "--json", "--limit", 2).stdout)
    assert (scores["sentences"], scores["words"]) == (2, 6)
    assert json.loads(run(tiny, bank, "--json", "--limit", 99).stdout)["sentences"] == 4


def test_people_see_tables_of_time_limits(bank: Path, tiny: Path) -> None:
    output = run(tiny, bank, "--stream", "--time-limits", "1,inf").stdout
    rows = [line.split() for line in output.splitlines()]
    assert sum(row[:1] == ["inf"] for row in rows) == 3
    assert "milliseconds a word: initial, labelled" in output
    assert "words as in: final, labelled" in run(tiny, bank, "--stream", "--schedule", "paste").stdout


@pytest.mark.slow
def test_plots_are_pictures(bank: Path, tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run(tiny, bank, "--stream", "--plots", tmp_path / "new" / "plots")
    assert result.exit_code == 0
    pictures = sorted((tmp_path / "new" / "plots").iterdir())
    assert [path.name for path in pictures] == [f"{name}.png" for name in sorted(evaluation_plots.PLOTS)]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)


@pytest.mark.slow
def test_plots_show_accuracy_against_time(bank: Path, tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    limits = ["--stream", "--time-limits", "1,inf", "--plots", tmp_path]
    assert run(tiny, bank, *limits).exit_code == 0
    by_time = {path.name: path.read_bytes() for path in tmp_path.iterdir() if "time" in path.name}
    assert [*sorted(by_time)] == ["accuracy-by-time-3-20-words.png", "accuracy-by-time.png"]
    assert all(picture.startswith(b"\x89PNG") for picture in by_time.values())


@pytest.mark.slow
def test_no_plot_is_of_lengths_that_do_not_occur(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run(tiny, "-", "--stream", "--time-limits", "1", "--plots", tmp_path, text=sentence(2, 0))
    assert (tmp_path / "accuracy-by-time.png").exists()
    assert not (tmp_path / "accuracy-by-time-3-20-words.png").exists()


def test_the_library_that_draws_is_imported_for_plots_alone(bank: Path, tiny: Path) -> None:
    before = {*sys.modules}
    run(tiny, bank, "--stream")
    assert not any(name.startswith("matplotlib") for name in {*sys.modules} - before)


def test_without_that_library_the_extra_is_named(
    bank: Path, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_plots, "find_spec", lambda name: None)
    result = run(tiny, bank, "--stream", "--plots", tmp_path / "plots")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "pip install 'treewhile[bench]'" in result.stderr
    assert not (tmp_path / "plots").exists()


def test_a_file_is_no_folder_for_plots(bank: Path, tiny: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots want matplotlib")
    result = run(tiny, bank, "--stream", "--plots", bank)
    assert result.exit_code == 1
    assert result.stderr == f"treewhile: cannot make the folder {bank}: File exists\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no sentences in standard input, and scores need some"),
        (TREEBANK + sentence(0, "_"), "the head _ has to be a number, scores need whole trees, at standard"),
        (sentence(2, 1), "circle"),
        ("no treebank\n\n", "has to have 10 columns"),
    ],
)
def test_a_treebank_that_cannot_be_scored_is_told(text: str, message: str, tiny: Path) -> None:
    result = run(tiny, "-", text=text)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert message in result.stderr


def test_a_model_that_is_missing_is_told(bank: Path) -> None:
    result = run("missing", bank)
    assert result.exit_code == 1
    assert "neither an installed model nor a file named 'missing'" in result.stderr


@each(
    "arguments, message",
    [
        ([], "Missing argument 'MODEL'"),
        (["en"], "Missing argument 'FILE...'"),
        (["en", "dev", "--plots", "x"], "use both"),
        (["en", "dev", "--jobs", "-1"], "-1 is not in the range x>=1"),
        (["en", "dev", "--limit", "0"], "0 is not in the range x>=1"),
        (["en", "dev", "--stream", "--time-limits", "-2"], "'-2' has to be a list of numbers above 0"),
        (["en", "dev", "--stream", "--time-limits", "2,,5"], "'2,,5' has to be a list of numbers above 0"),
        (["en", "dev", "--stream", "--time-limits", "fast"], "'fast' has to be a list of numbers above 0"),
        (["en", "dev", "--stream", "--time-limits", "nan"], "'nan' has to be a list of numbers above 0"),
        (["en", "dev", "--stream", "--schedule", "singing"], "'singing' is not one of 'typing:80wpm'"),
        (
            ["en", "dev", "--stream", "--risk", "2"],
            "a risk of 2.0 is not possible: use a number from 0 to 1.",
        ),
        (["en", "dev", "--stream", "--risk", "nan"], "a risk of nan is not possible"),
        (["en", "dev", "--stream", "--risk", "high"], "'high' is not a valid float"),
        (["en", "dev", "--raw", "--spoken"], "--spoken writes them anew: use one of them"),
        (["en", "dev", "--risk", "0.5"], "--risk is that of a committed parse of --stream: use both"),
        (["en", "dev", "--time-limits", "2"], "--time-limits and --schedule say when"),
        (["en", "dev", "--stream", "--time-limits", "2", "--schedule", "paste"], "use one of them"),
    ],
)
def test_bad_usage_ends_with_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_edges_that_cross_are_scored_alone_where_the_model_gives_any(
    bank: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(run(tiny, bank, "--json").stdout)["crossing_edges"]["system"] == 0
    monkeypatch.setattr(evaluate, "evaluate_sentence", lambda model, gold, **_: Evaluated(gold, None))
    told = json.loads(run(tiny, bank, "--json").stdout)["crossing_edges"]
    assert told == crossing_score(bank, bank).as_json()
    assert told["correct"] == 3
    rows = [line.split() for line in run(tiny, bank).stdout.splitlines()]
    assert [row[-3:] for row in rows[-2:]] == [["100.00"] * 3] * 2


@pytest.mark.slow
def test_several_files_are_scored_as_if_they_were_one(
    model_file: Callable[..., Path], tmp_path: Path
) -> None:
    texts = ["".join(map(str, treebank(8, seed=seed))) for seed in (1, 2)]
    (tmp_path / "banks").mkdir()
    for name, text in zip("ab", texts, strict=True):
        (tmp_path / "banks" / f"{name}.conllu").write_text(text)
    (tmp_path / "one.conllu").write_text("".join(texts))
    one, two, some = (
        json.loads(run(model_file(), *sources, "--json").stdout)
        for sources in (
            [tmp_path / "one.conllu"],
            [tmp_path / "banks", "--jobs", 2],
            [tmp_path / "banks" / "a.conllu", tmp_path / "banks" / "b.conllu", "--limit", 10],
        )
    )
    for name in ("sentences", "words", "scores", "crossing_edges", "crossing_heads"):
        assert one[name] == two[name]
    assert (some["file"], some["sentences"]) == ("2 files", 10)


def test_lemmas_and_xpos_are_scored_where_model_and_treebank_have_them(
    model_file: Callable[..., Path], tmp_path: Path, tiny: Path
) -> None:
    bank = tmp_path / "dev.conllu"
    bank.write_text(sentence(2, 0).replace("a\t_\tNOUN\t_", "a\ta\tNOUN\tA"))
    for path, measures in ((model_file(with_lemmas=True), ["Lemmas", "XPOS"]), (tiny, [])):
        scores = json.loads(run(path, bank, "--json").stdout)
        assert scores["also_predicted"] == measures
        assert ("Lemmas" in run(path, bank).stdout) is bool(measures)
