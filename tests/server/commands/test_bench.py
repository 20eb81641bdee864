"""`treewhile bench typing`, briefly; how fast it is, is asked elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_runs import command

from treewhile.server.process.own_servers import SERVE, OwnServer, own_server

BRIEFLY = ["--typists", "3", "--wpm", "300", "--seconds", "1.5"]


@pytest.fixture(scope="module")
def server(model_file: Callable[..., Path]) -> Iterator[OwnServer]:
    with own_server([*SERVE, "--model", str(model_file())]) as own:
        own.wait_for_search(print)
        yield own


run = command("bench", "typing")


@pytest.mark.slow
def test_figures_come_by_their_names(server: OwnServer) -> None:
    result = run("--url", server.url, *BRIEFLY, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    assert (told["typists"], told["typists_connected"], told["wpm"], told["lost"]) == (3, 3, 300, 0)
    assert told["schedule"] == "letters"
    assert told["strokes"] >= told["edits"] > 0  # after a pause of this machine one edit has many strokes
    assert told["strokes"] > told["words"] > 3
    for key in ("stroke_to_first_analysis_ms", "word_to_improved_ms", "word_to_settled_ms", "sent_late_ms"):
        assert 0 <= told[key]["p50"] <= told[key]["p90"] <= told[key]["p99"] <= told[key]["max"]
    assert 0 <= told["settled_before_next_word"] <= told["improved_before_next_word"] <= 1
    assert told["analyses_a_second"] > 0
    assert (told["server"], told["refused"], told["broken"]) == (None, {}, 0)


@pytest.mark.slow
def test_a_text_of_ones_own_is_typed_by_words(server: OwnServer, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the old dog sees the cat .")
    result = run("--url", server.url, *BRIEFLY, "--text", tmp_path / "text", "--schedule", "words")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "stroke to first analysis" in result.stdout
    assert "schedule: words" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--url", "ws://127.0.0.1:1", "--typists", "2", "--seconds", "1"],
            1,
            "no typist could connect (unreach",
        ),
        (["--text", "/nowhere/text", "--url", "ws://127.0.0.1:1"], 1, "cannot read /nowhere/text"),
        (["--typists", "0"], 2, "Invalid value"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: list[str], code: int, message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code
    assert message in result.stderr


def test_a_text_without_words_cannot_be_typed(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(" \n")
    assert "there is nothing to type" in run("--url", "ws://127.0.0.1:1", "--text", tmp_path / "text").stderr
