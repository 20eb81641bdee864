from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from treewhile.server.process import compiling_process
from treewhile.server.process.compiling_process import COMPILING, MOST_TRIES, Compiler, Process
from treewhile.server.work.served_models import ServedModels


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The names with which processes were begun; each of them waits until it is killed."""
    names: list[Sequence[str]] = []

    def begin(models: ServedModels) -> Process:
        names.append(models.names)
        command = [sys.executable, "-c", "input()"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(compiling_process, "begin", begin)
    return names


def test_it_begins_when_it_is_asked_for_and_only_once(begun: list[Sequence[str]]) -> None:
    said: list[str] = []
    compiler = Compiler(ServedModels(["en"]), said.append)
    assert begun == []
    compiler.ask()
    compiler.ask()
    assert (begun, said) == ([["en"]], [COMPILING])
    assert not compiler.take_end(0)
    assert compiler.process is None
    compiler.ask()
    assert len(begun) == 1


def test_it_is_begun_again_where_it_dies_until_it_is_given_up(begun: list[Sequence[str]]) -> None:
    said: list[str] = []
    compiler = Compiler(ServedModels(["en"]), said.append)
    compiler.ask()
    assert [compiler.take_end(-9) for _ in range(MOST_TRIES)] == [False, False, True]
    assert compiler.process is None
    assert len(begun) == MOST_TRIES
    assert said[1] == "the process that compiles has ended (exit code -9): it is tried 2 times more"
    assert said[-1].endswith("the server does it while serving, slowly")


def test_its_end_leaves_no_process(begun: list[Sequence[str]]) -> None:
    compiler = Compiler(ServedModels(["en"]), lambda line: None)
    compiler.ask()
    process = compiler.process
    compiler.end()
    assert process
    assert process.returncode == -9
    assert compiler.process is None
