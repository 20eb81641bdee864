"""What holds for every sub-command: exit codes, messages, signals, pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from pipes import read_one_byte

import pytest
from cases import each
from command_runs import PROCESS, WITH_SIGINT, command, wait_until

from treewhile.server.commands import SUMMARIES, train

SENTENCE = "1\tx\t_\tX\t_\t_\t0\tdep\t_\t_\n\n"

run = command()


def run_process(
    *arguments: str, text: str = "", stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROCESS, *arguments], input=text, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120
    )


@pytest.fixture
def treebank(tmp_path: Path) -> str:
    (tmp_path / "in.conllu").write_text(SENTENCE)
    return str(tmp_path / "in.conllu")


# --- help -------------------------------------------------------------------------------------------------


def test_help_lists_every_command_and_needs_no_compiler() -> None:
    code = (
        "import sys\n"
        "from treewhile.server.commands import treewhile\n"
        "treewhile([sys.argv[1]], standalone_mode=False)\n"
        "print('numba' in sys.modules or 'numpy' in sys.modules)\n"
    )
    for option in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code, option], capture_output=True, text=True, timeout=60
        )
        assert done.stdout.endswith("\nFalse\n"), done
        assert option == "--version" or all(summary in done.stdout for summary in SUMMARIES.values())


@each("name", SUMMARIES)
def test_every_command_has_a_help_text_with_an_example(name: str) -> None:
    for option in ("--help", "-h"):
        result = run(name, option)
        assert result.exit_code == 0
        assert f"\n    treewhile {name}" in result.stdout


@pytest.mark.parametrize("name", train.SUMMARIES)
def test_every_training_has_a_help_text_with_an_example(name: str) -> None:
    assert f"\n    treewhile train {name}" in run("train", name, "--help").stdout


def test_trainings_are_listed_where_none_is_named() -> None:
    result = run("train")
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(summary in result.stderr for summary in train.SUMMARIES.values())


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout.startswith("treewhile, version ")


# --- exit codes -------------------------------------------------------------------------------------------


@each(
    "arguments, message",
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["--nonsense"], "No such option"),
        (["projectivize"], "Missing argument 'IN'"),
        (["projectivize", "in"], "Missing argument 'OUT'"),
        (["projectivize", "in", "out", "more"], "unexpected extra argument"),
        (["projectivize", "--restore", "--count", "in", "out"], "use one of them"),
        (["train", "nonsense"], "No such command 'nonsense'"),
        (["train", "segmenter", "--epochs", "3"], "No such option '--epochs'"),
        (["train", "steps", "--trees", "mh4"], "No such option '--trees'"),
        (["train", "trees", "--resume"], "No such option '--resume'"),
        (["steps"], "Missing argument 'FILE'"),
        (["steps", "in", "--sentence", "0"], "0 is not in the range x>=1"),
        (["steps", "in", "--sentence", "first"], "'first' is not a valid integer"),
        (["steps", "in", "--strategy", "best"], "'best' is not one of 'left-before-right'"),
        (["demo", "in"], "unexpected extra argument"),
    ],
)
def test_bad_usage_ends_with_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: treewhile" in result.stderr
    assert message in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["projectivize", "missing", "out"], ["steps", "missing"]])
def test_bad_data_ends_with_1_and_one_line(arguments: list[str], tmp_path: Path) -> None:
    done = subprocess.run([*PROCESS, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "treewhile: cannot read missing: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_good_end_is_0_and_silent_on_standard_error(treebank: str) -> None:
    done = run_process("steps", treebank)
    assert (done.returncode, done.stderr) == (0, "")


# --- output that nobody takes -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["steps", "--help"], ["steps", "-"], ["steps", "--json", "-"], ["projectivize", "-", "-"]],
)
def test_a_closed_pipe_ends_in_silence(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run_process(*arguments, text=SENTENCE, stdout=writer)
    os.close(writer)
    assert done.returncode == 141
    assert "Error" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.slow
def test_the_treebank_stands_though_nobody_reads_the_summary(treebank: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run_process("projectivize", treebank, str(tmp_path / "out"), stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "out").read_text() == SENTENCE


def test_a_reader_who_has_enough_ends_it_in_silence() -> None:
    left = read_one_byte([*PROCESS, "projectivize", "-", "-"], SENTENCE.encode() * 50)
    assert (left.code, left.messages) == (141, b"")


def test_a_full_disk_is_told() -> None:
    for arguments in (["steps", "-"], ["steps", "--json", "-"], ["projectivize", "-", "-"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = run_process(*arguments, text=SENTENCE, stdout=full.fileno())
        assert done.returncode == 1
        assert done.stderr == "treewhile: cannot write standard output: No space left on device\n"


@pytest.mark.slow
def test_a_standard_output_that_is_closed_is_no_trouble(treebank: str, tmp_path: Path) -> None:
    command = f'exec "$@" "{treebank}" "{tmp_path / "out"}" >&-'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *PROCESS, "projectivize"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out").read_text() == SENTENCE


def test_a_treebank_for_a_closed_standard_output_is_told(treebank: str) -> None:
    command = f'exec "$@" "{treebank}" - >&-'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *PROCESS, "projectivize"], capture_output=True, timeout=60, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "treewhile: cannot write standard output: it is closed\n"


def test_a_closed_standard_input_is_told() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROCESS, "steps", "-"],
        capture_output=True,
        timeout=60,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == "treewhile: cannot read standard input: it is closed\n"


@pytest.mark.slow
def test_words_that_the_terminal_cannot_write_are_no_trouble() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*PROCESS, "steps", "-"],
        input=SENTENCE.replace("x", "é").encode(),
        env=environment,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"root ?" in done.stdout


# --- signals ----------------------------------------------------------------------------------------------


# A command that is told to end while a kernel runs, which notices when it makes its result.
WITH_KERNEL = """
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import click, numba, numpy
from treewhile.server import commands

@numba.njit
def kernel(steps):
    total = numpy.zeros(1)
    for step in range(steps):
        total[0] += step % 7
    return total, total

def run():
    kernel(1)
    subprocess.Popen(["sh", "-c", f"sleep 0.2; kill -{sys.argv[2]} {os.getpid()}"])
    kernel(1_000_000_000)

command = click.Command("run", callback=run, params=[click.Argument(["number"], expose_value=False)])
commands.Commands.get_command = lambda *_: command
commands.main()
"""


# A command that is told to end while LLVM, with a kernel that it has compiled, calls back into Python.
WHILE_COMPILING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from llvmlite.binding.executionengine import ExecutionEngine

def called_back(engine, pointer):
    if signals:
        os.kill(os.getpid(), signals.pop())
    return find(engine, pointer)

find, ExecutionEngine._find_module_ptr = ExecutionEngine._find_module_ptr, called_back
signals = []

import click, numba
from treewhile.server import commands

def run():
    signals.append(int(sys.argv[2]))
    numba.njit(lambda number: number + 1)(1)
    signal.pause()

command = click.Command("run", callback=run, params=[click.Argument(["number"], expose_value=False)])
commands.Commands.get_command = lambda *_: command
commands.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [WITH_KERNEL, WHILE_COMPILING])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_within_a_kernel_or_its_compiler_ends_it_without_a_word(
    program: str, number: signal.Signals, code: int
) -> None:
    command = [sys.executable, "-c", program, "run", str(number.value)]
    ended = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_file_and_no_traceback(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITH_SIGINT, "projectivize", "-", str(tmp_path / "out")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        process.stdin.write(SENTENCE.encode())
        process.stdin.flush()
        wait_until(lambda: len([*tmp_path.iterdir()]) > 0)
        process.send_signal(number)
        printed, messages = process.communicate(timeout=60)
    assert (process.returncode, printed, messages) == (code, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_run_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    command = [*PROCESS, "projectivize", "-", str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        wait_until(lambda: len([*tmp_path.iterdir()]) > 1)
        process.kill()
    assert (tmp_path / "out").read_text() == "old"
