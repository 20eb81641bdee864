"""What the README shows is what happens: its Python sessions, and its commands with what they print."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
SESSIONS = [text for language, text in BLOCKS if language == "pycon"]
TERMINALS = [text for language, text in BLOCKS if language == "console"]


def test_the_readme_shows_python_and_the_command_line() -> None:
    assert SESSIONS
    assert TERMINALS


@pytest.mark.parametrize("text", SESSIONS)
def test_python_sessions_print_what_they_say(text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner()
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("text", TERMINALS)
def test_commands_print_what_they_say(text: str, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        words = shlex.split(command)
        assert words[0] == "treewhile", command
        done = subprocess.run(
            [sys.executable, "-m", "treewhile.server.commands", *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert done.returncode == 0, done.stderr
        assert [line.rstrip() for line in done.stdout.splitlines()] == [
            line.rstrip() for line in expected.splitlines()
        ]
