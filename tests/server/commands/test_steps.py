from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cases import each
from command_runs import command
from rich.cells import cell_len

from treewhile.oracles.transitions import STRATEGIES


def sentence(*words: tuple[str, object]) -> str:
    pairs = enumerate(words, 1)
    return "".join(f"{id_}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for id_, (form, head) in pairs) + "\n"


PROJECTIVE = sentence(("she", 2), ("reads", 0), ("books", 2))
CROSSED = "# text = who did she see?\n" + sentence(("who", 4), ("did", 0), ("she", 2), ("see", 2), ("?", "_"))

run = command("steps", text=PROJECTIVE + CROSSED)


def steps(*arguments: object, text: str = PROJECTIVE + CROSSED) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("--json", *arguments, text=text).stdout.splitlines()]


def columns(line: str) -> str:
    """What stands in a row, the entries left out."""
    return " ".join(line.split()[:-1])


# --- for people -------------------------------------------------------------------------------------------


def test_a_walk_is_a_table_with_a_line_above_and_one_below() -> None:
    result = run("-")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "she reads books (projective, left-before-right)"
    assert lines[1].split() == ["reduce", "reduce", "entries"]
    assert columns(lines[2]) == "stack remaining shift left right step taken"
    assert [columns(line) for line in lines[4:-1]] == [
        "1 root she reads books 3* — — shift",
        "2 root she reads books 3* — — shift",
        "3 root she reads books 1 0 3* reduce_right reads → she",
        "4 root reads books 2* — — shift",
        "5 root reads books — 2* 0 reduce_left reads → books",
        "6 root reads — 1* — reduce_left root → reads",
    ]
    assert lines[-1].startswith("3 of 3 gold edges made, ")


def test_arc_eager_has_names_of_its_own() -> None:
    lines = run("-", "--system", "arc-eager").stdout.splitlines()
    assert lines[0] == "she reads books (projective, arc-eager)"
    assert columns(lines[2]) == "stack remaining shift arc arc reduce step taken"
    assert [columns(line) for line in lines[4:-1]] == [
        "1 root she reads books 3* — 1 — shift",
        "2 root she reads books 0 3* 0 — left_arc reads → she",
        "3 root reads books 0 — 2* — right_arc root → reads",
        "4 root reads books — — 1* — right_arc reads → books",
        "5 root reads books — — — 0* reduce",
        "6 root reads — — — 0* reduce",
    ]
    assert lines[-1].startswith("3 of 3 gold edges made, ")


def test_the_kth_sentence_is_told_with_its_text_and_its_kind() -> None:
    lines = run("-", "--sentence", 2, "--strategy", "right-before-left").stdout.splitlines()
    assert lines[0] == "who did she see? (not projective, right-before-left)"
    assert lines[-1].startswith("3 of 4 gold edges made, ")


def test_a_long_stack_and_a_long_input_are_cut_with_an_ellipsis() -> None:
    words = [
        (f"w{number}", number - 1) for number in range(1, 9)
    ]  # nothing is reduced before all are shifted
    table = run("-", text=sentence(*words)).stdout.splitlines()
    assert columns(table[7]).startswith("4 root w1 w2 w3 w4 w5 w6 … ")
    assert columns(table[8]).startswith("5 … w1 w2 w3 w4 w5 w6 w7 … ")
    assert columns(table[9]).startswith("6 … w2 w3 w4 w5 w6 w7 w8 8* ")


@each(
    "form",
    [
        "[bold]",
        "[/red]",
        ":smile:",
        "\\[x]",
        "שלום",
        "a مرحبا",
        "e\u0301\u0302\u0323",
        "\u0301",
        "漢字" * 100,
        "x" * 500,
        "👩\u200d👩\u200d👧",
        "two words",
        "\u00a0",
        "\x1b[31mred\x07\b",
        "\u0085\u2028",
    ],
)
def test_any_form_can_stand_in_the_table(form: str) -> None:
    result = run("-", text=sentence((form, 2), ("after", 0)))
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert "\x1b" not in result.stdout
    rule = next(at for at, line in enumerate(lines) if line.startswith("──"))
    assert {cell_len(line) for line in lines[rule:-2]} == {cell_len(lines[rule])}
    assert max(cell_len(line) for line in lines) <= 160
    if len(form) < 20 and form.isprintable() and form.isascii():
        assert f"reduce_right after → {form} " in result.stdout


def test_a_form_is_whole_however_long() -> None:
    result = run("-", text=sentence(("x" * 500, 0)))
    assert result.stdout.count("x") == 4 * 500  # the text, the input, the stack, the edge


# --- for programs -----------------------------------------------------------------------------------------


def test_a_step_is_an_object_on_a_line() -> None:
    step = steps("-")[2]
    entries = [step.pop("entries_filled"), step.pop("entries_in_all")]
    assert step == {
        "step": 3,
        "stack": [0, 1, 2],
        "stack_forms": ["root", "she", "reads"],
        "front": 3,
        "remaining": ["books"],
        "scores": {"shift": 1, "reduce_left": 0, "reduce_right": 3},
        "best": ["reduce_right"],
        "taken": "reduce_right",
        "edge": [2, 1],
    }
    assert all(isinstance(number, int) and number >= 0 for number in entries)


def test_in_arc_eager_it_says_which_words_have_a_head() -> None:
    step = steps("-", "--system", "arc-eager")[3]
    assert (step["stack"], step["headed"], step["front"]) == ([0, 2], [2], 3)
    assert step["scores"] == {"shift": None, "left_arc": None, "right_arc": 1, "reduce": None}
    assert (step["taken"], step["edge"]) == ("right_arc", [2, 3])


def test_a_step_that_cannot_be_taken_has_no_score_and_a_shift_no_edge() -> None:
    first = steps("-")[0]
    assert first["scores"] == {"shift": 3, "reduce_left": None, "reduce_right": None}
    assert first["edge"] is None


@each("strategy", STRATEGIES)
@each("number", [1, 2])
def test_a_walk_makes_every_edge_that_could_be_made(strategy: str, number: int) -> None:
    walk = steps("-", "--strategy", strategy, "--sentence", number)
    heads: list[int | None] = [2, 0, 2] if number == 1 else [4, 0, 2, 2, None]
    assert [step["step"] for step in walk] == list(range(1, 2 * len(heads) + 1))
    assert all(step["taken"] in step["best"] for step in walk)
    made = [step["edge"] for step in walk if step["edge"]]
    assert sum(heads[child - 1] == head for head, child in made) == 3


# --- bad input --------------------------------------------------------------------------------------------


@each(
    "text, number, message",
    [
        ("", 1, "there is no sentence 1 in standard input, which has no sentences"),
        (PROJECTIVE, 2, "there is no sentence 2 in standard input, which has 1 sentence"),
        (PROJECTIVE + CROSSED, 10**30, "which has 2 sentences"),
        (PROJECTIVE + sentence(("a", 2), ("b", 1)), 2, "in the sentence at standard input:5, column HEAD"),
        (PROJECTIVE + sentence(("a", 1)), 2, "at standard input:5, column HEAD"),
        (PROJECTIVE + CROSSED[:-1], 2, "the file is cut short"),
    ],
)
def test_a_sentence_that_cannot_be_walked_is_told(text: str, number: int, message: str) -> None:
    result = run("-", "--sentence", number, text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("treewhile: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_strategies_are_those_of_arc_standard() -> None:
    result = run("-", "--system", "arc-eager", "--strategy", "right-before-left")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "treewhile: arc-eager has no strategies, which order the steps of arc-standard: leave it out\n"
    )


def test_the_file_is_named_that_has_too_few_sentences(tmp_path: Path) -> None:
    (tmp_path / "bank").write_text(PROJECTIVE)
    result = run(tmp_path / "bank", "--sentence", 7)
    assert (
        result.stderr == f"treewhile: there is no sentence 7 in {tmp_path / 'bank'}, which has 1 sentence\n"
    )


def test_what_comes_after_the_sentence_is_not_read() -> None:
    assert run("-", text=PROJECTIVE + CROSSED + "broken\n\n").exit_code == 0
