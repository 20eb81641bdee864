from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from rich.text import Text

from treewhile.server.terminal.consoles import console, shown

PRINTING = """
from rich.text import Text
from treewhile.server.terminal.consoles import console
console().print(Text("best", "bold green"), "x" * 300)
"""


def test_a_form_is_shown_as_it_is_if_it_can() -> None:
    for form in ("word", "[bold]", "e\u0301", "漢字", "two words", "👩\u200d👧"):
        assert shown(form) == form


def test_letters_from_right_to_left_are_isolated() -> None:
    for form in ("שלום", "a مرحبا", "٣"):
        assert shown(form) == f"\u2068{form}\u2069"


def test_control_characters_are_replaced() -> None:
    assert shown("\x1b[31mred\x07\x85\u2028") == "\ufffd[31mred\ufffd\ufffd\ufffd"


def test_text_for_no_terminal_has_no_colours_and_nothing_cut(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(Text("x" * 300, "bold red"))
    console(stderr=True).print(Text("[bold]", "bold red"))
    printed = capsys.readouterr()
    assert printed.out == "x" * 160 + "\n" + "x" * 140 + "\n"
    assert printed.err == "[bold]\n"


def printed_on_a_terminal(columns: int) -> Iterator[str]:
    terminal, other_end = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    subprocess.run(
        [sys.executable, "-c", PRINTING], stdout=other_end, env=environment, timeout=60, check=True
    )
    os.close(other_end)
    yield from os.read(terminal, 10_000).decode().splitlines()
    os.close(terminal)


@pytest.mark.parametrize(("columns", "width"), [(100, 100), (20, 72), (300, 300)])
def test_a_terminal_has_its_own_width_if_that_is_enough(columns: int, width: int) -> None:
    lines = list(printed_on_a_terminal(columns))
    assert "\x1b[1;32mbest\x1b[0m" in lines[0]
    assert max(line.count("x") for line in lines) == width
