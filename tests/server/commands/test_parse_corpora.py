"""`treewhile parse --out`: many files at once, whatever is killed meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from command_runs import PROCESS, WITH_SIGINT, command, wait_until
from process_lists import children, command_line, group_exists

from treewhile.incremental.parsers import text_sources

FILES = 12  # of the large corpus
ROW = "\t_\t_\t_\t_\t_\t_\t_\t_\n"
TREEBANK = "".join(f"# sent_id = 7\n1\tthe{ROW}2\tdog{ROW}\n" for _ in range(30))
TEXT = "the dog barks.\n\nthe cat cannot see the old dog\n\n" * 30

run = command("parse")


@pytest.fixture(scope="session")
def option(model_file: Callable[..., Path]) -> str:
    return f"--model={model_file()}"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of files of all kinds."""
    folder = tmp_path / "corpus"
    (folder / "deeper").mkdir(parents=True)
    (folder / "letter.txt").write_text(TEXT)
    (folder / "bank.conllu").write_text(TREEBANK)
    (folder / "empty.txt").write_text("")
    (folder / "deeper" / "packed.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "picture.png").write_bytes(b"\xff")
    (folder / ".hidden.txt").write_text(TEXT)
    return folder


SHARDS = {
    "letter.txt": "letter.conllu",
    "bank.conllu": "bank.conllu",
    "empty.txt": "empty.conllu",
    "deeper/packed.txt.gz": "deeper/packed.conllu.gz",
}


def files_in(folder: Path) -> dict[str, bytes]:
    """The contents of all files by their names, but for hidden ones."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(name): (folder / name).read_bytes() for name in names if not name.name.startswith(".")}


def one_by_one(corpus: Path, folder: Path, *options: object) -> dict[str, bytes]:
    """What the files of the corpus become if each is parsed alone."""
    for source, target in SHARDS.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        assert run(*options, corpus / source, folder / target).exit_code == 0
    return files_in(folder)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("form", [(), ("--trees=mh4",)])
def test_a_folder_becomes_what_its_files_become(
    jobs: int, form: tuple[str, ...], corpus: Path, option: str, tmp_path: Path
) -> None:
    result = run(option, *form, corpus, "--out", tmp_path / "out", "--jobs", jobs)
    assert (result.exit_code, result.output) == (0, "")
    assert files_in(tmp_path / "out") == one_by_one(corpus, tmp_path / "alone", option, *form)


@pytest.mark.slow
def test_files_are_named_and_have_the_ending_of_what_they_are(
    corpus: Path, option: str, tmp_path: Path
) -> None:
    names = [corpus / "letter.txt", corpus / "deeper" / "packed.txt.gz"]
    assert run(option, "--json", *names, "--out", tmp_path / "out").exit_code == 0
    made = files_in(tmp_path / "out")
    assert {*made} == {"letter.jsonl", "packed.jsonl.gz"}
    assert gzip.decompress(made["packed.jsonl.gz"]) == made["letter.jsonl"]
    assert made["letter.jsonl"] == run(option, "--json", names[0]).stdout_bytes


def reported(result: Result) -> dict[str, Any]:
    """The lines of a report by the names of the files."""
    lines = map(json.loads, result.stdout.splitlines())
    return {Path(line["file"]).name: line for line in lines}


@pytest.mark.slow
def test_what_is_there_stays_and_what_is_not_as_it_was_is_made_again(
    corpus: Path, option: str, model_file: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"

    def made(*options: object) -> set[str]:
        lines = reported(run(*options, corpus, "--out", out, "--report"))
        assert {*lines} == {Path(name).name for name in SHARDS}
        return {name for name, line in lines.items() if not line["was_there"]}

    assert made(option) == {Path(name).name for name in SHARDS}
    first = files_in(out)
    assert made(option) == set()
    (corpus / "bank.conllu").write_text(TREEBANK + TREEBANK)
    (out / "deeper" / "packed.conllu.gz").unlink()
    assert made(option) == {"bank.conllu", "packed.txt.gz"}
    assert files_in(out) | {"bank.conllu": b""} == first | {"bank.conllu": b""}
    assert made(f"--model={model_file(seed=2)}") == {Path(name).name for name in SHARDS}
    assert unfinished_in(out) == []


def unfinished_in(out: Path) -> list[Path]:
    return [*out.rglob("*.tmp")]


@pytest.mark.slow
def test_a_report_counts_sentences_and_words(corpus: Path, option: str, tmp_path: Path) -> None:
    lines = reported(run(option, corpus, "--out", tmp_path / "out", "--report"))
    place = {"file": str(corpus / "bank.conllu"), "out": str(tmp_path / "out" / "bank.conllu")}
    assert lines["bank.conllu"] == {**place, "was_there": False, "sentences": 30, "words": 60}


# --- what cannot be used ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_cannot_be_used_is_told_and_the_others_are_made(
    jobs: int, corpus: Path, option: str, tmp_path: Path
) -> None:
    expected = one_by_one(corpus, tmp_path / "alone", option)
    (corpus / "bad.txt").write_bytes(TEXT.encode() + b"\xff" + TEXT.encode())
    (corpus / "cut.conllu").write_text(TREEBANK + "1\tcut short\n")
    (corpus / "not.txt.gz").write_bytes(b"not compressed")
    (corpus / "gone.txt").symlink_to(tmp_path / "nothing")
    result = run(option, corpus, "--out", tmp_path / "out", "--jobs", jobs)
    assert (result.exit_code, result.stdout) == (1, "")
    *told, last = result.stderr.splitlines()
    assert last == f"treewhile: 4 of 8 files were left out; the others are in {tmp_path / 'out'}"
    assert sorted(told) == [
        f"treewhile: cannot read {corpus}/gone.txt: No such file or directory",
        f"treewhile: cannot read {corpus}/not.txt.gz: Not a gzipped file (b'no')",
        "treewhile: the byte 0xff is no part of a text in UTF-8, save the file as UTF-8,"
        f" at {corpus}/bad.txt:121",
        "treewhile: the file is cut short, a blank line has to end its last sentence,"
        f" at {corpus}/cut.conllu:122",
    ]
    assert files_in(tmp_path / "out") == expected
    (corpus / "bad.txt").write_text(TEXT)
    assert "3 of 8 files" in run(option, corpus, "--out", tmp_path / "out").stderr
    assert files_in(tmp_path / "out")["bad.conllu"] == expected["letter.conllu"]


def test_what_can_only_be_meant_otherwise_is_refused(corpus: Path, option: str, tmp_path: Path) -> None:
    letter, out = corpus / "letter.txt", tmp_path / "out"
    (tmp_path / "letter.txt").write_text("another")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "file").write_text("")
    for arguments, message in [
        ((letter, tmp_path / "letter.txt", "--out", out), "would become one file in"),
        ((letter, f"{corpus}/deeper/../letter.txt", "--out", out), "are one file: give it once"),
        ((tmp_path / "nothing", "--out", out), f"there is no file in the folder {tmp_path}/nothing whose"),
        ((letter, "--out", tmp_path / "file"), "--out has to be a folder, and"),
        ((corpus / "bank.conllu", "--out", corpus), "would become itself, and be lost"),
        (("-", "--out", out), "- is standard input"),
        ((letter, "--out", "/dev/null/out"), "cannot make the folder /dev/null/out: Not a directory"),
    ]:
        result = run(option, *arguments)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1), arguments
        assert message in result.stderr
    assert not out.exists()


@pytest.mark.slow
def test_a_folder_in_the_way_of_a_shard_is_told(corpus: Path, option: str, tmp_path: Path) -> None:
    (tmp_path / "out" / "letter.conllu").mkdir(parents=True)
    result = run(option, corpus / "letter.txt", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr == f"treewhile: cannot write {tmp_path}/out/letter.conllu: Is a directory\n"


def test_a_pipe_among_the_files_is_told_and_not_waited_for(corpus: Path, option: str, tmp_path: Path) -> None:
    os.mkfifo(corpus / "pipe.txt")
    result = run(option, corpus, "--out", tmp_path / "out", "--jobs", 1)
    assert f"treewhile: {corpus}/pipe.txt is a pipe or a device, not a file" in result.stderr
    assert {*files_in(tmp_path / "out")} == {*SHARDS.values()}


def test_files_may_have_any_name(option: str, tmp_path: Path) -> None:
    names = [b"with space.txt", b"new\nline.txt", b"caf\xe9.txt", b"-dash.txt"]
    corpus, out = os.fsencode(tmp_path / "corpus"), tmp_path / "out"
    os.mkdir(corpus)
    for name in names:
        with open(os.path.join(corpus, name), "w") as file:
            file.write("the dog barks.\n")
    for was_there in (False, True):
        result = run(option, tmp_path / "corpus", "--out", out, "--jobs", 1, "--report")
        assert (result.exit_code, result.stderr) == (0, "")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert {os.path.basename(os.fsencode(line["file"])) for line in lines} == {*names}
        assert {line["was_there"] for line in lines} == {was_there}
    assert (out / os.fsdecode(b"caf\xe9.conllu")).exists()


@pytest.mark.slow
def test_a_file_that_changes_while_it_is_read_is_told_and_made_next_time(
    corpus: Path, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter, out = corpus / "letter.txt", tmp_path / "out"

    def changed(source: str, *more: Any, read: Callable[..., Any] = text_sources.read_any) -> Any:
        yield from read(source, *more)
        letter.write_text(TEXT.replace("dog", "cow"))

    with monkeypatch.context() as changing:
        changing.setattr(text_sources, "read_any", changed)
        result = run(option, letter, "--out", out, "--jobs", 1)
    assert result.exit_code == 1
    assert f"{letter} has changed while it was read: give the same command again" in result.stderr
    assert run(option, letter, "--out", out).exit_code == 0
    assert run(option, letter, tmp_path / "alone.conllu").exit_code == 0
    assert (out / "letter.conllu").read_bytes() == (tmp_path / "alone.conllu").read_bytes()


# --- processes --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled() -> None:
    """All kernels that parsing takes, so that nobody has to be told of compiling."""
    subprocess.run([*PROCESS, "parse", "-"], input=b"The dog barks.\n", check=True, capture_output=True)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that take some seconds."""
    folder = tmp_path_factory.mktemp("large")
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(TEXT * 20)
    return folder


@pytest.fixture(scope="module")
def expected(large: Path, option: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What it becomes in one process."""
    folder = tmp_path_factory.mktemp("expected")
    for number in range(FILES):
        run(option, large / f"{number}.txt", folder / f"{number}.conllu")
    return files_in(folder)


class Running:
    """A run over the large corpus by two processes, in a group of its own."""

    def __init__(self, *arguments: object, **more: Any) -> None:
        command = [
            sys.executable,
            "-c",
            WITH_SIGINT,
            "parse",
            *map(str, arguments),
            "--jobs",
            "2",
            "--report",
        ]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, start_new_session=True, **pipes, **more)

    def children(self) -> list[int]:
        """The processes that it has started, but for one that does no work."""
        begun = children(self.process.pid)
        return [one for one in begun if any("spawn_main" in word for word in command_line(one))]

    def end(self) -> tuple[int, bytes, bytes]:
        """Its exit code, and what it said; all that it has started has ended, too."""
        printed, messages = self.process.communicate(timeout=120)
        wait_until(lambda: not group_exists(self.process.pid))
        return self.process.returncode, printed, messages


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_worker_that_is_killed_is_told_and_the_next_run_goes_on(
    large: Path, expected: dict[str, bytes], option: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    running = Running(option, large, "--out", out)
    wait_until(lambda: len(files_in(out)) >= 2)
    os.kill(running.children()[0], signal.SIGKILL)
    code, _, messages = running.end()
    assert (code, messages.count(b"\n")) == (1, 1)
    assert messages.startswith(b"treewhile: a process has died, perhaps for want of memory: ")
    assert unfinished_in(out) == []
    goes_on(large, expected, option, out)


def goes_on(large: Path, expected: dict[str, bytes], option: str, out: Path) -> None:
    """Assert that another run makes the files that are missing, and no other."""
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.conllu")}
    assert 0 < len(before) < FILES
    assert expected.items() > files_in(out).items()
    assert Running(option, large, "--out", out).end()[::2] == (0, b"")
    assert files_in(out) == expected
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert unfinished_in(out) == []


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (signal.SIGKILL, -9, None),  # multiprocessing may tell what it has cleaned up
        (signal.SIGTERM, 143, b""),
        (
            signal.SIGINT,
            130,
            b"treewhile: stopped; what is done is kept, and the same command goes on from there\n",
        ),
    ],
)
def test_a_run_that_is_stopped_goes_on_where_it_was(
    number: signal.Signals,
    code: int,
    told: bytes | None,
    large: Path,
    expected: dict[str, bytes],
    option: str,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    running = Running(option, large, "--out", out)
    wait_until(lambda: len(files_in(out)) >= 2)
    if number == signal.SIGINT:
        os.killpg(running.process.pid, number)  # as a terminal does
    else:
        running.process.send_signal(number)
    ended, _, messages = running.end()
    assert (ended, messages if told is not None else None) == (code, told)
    assert number == signal.SIGKILL or unfinished_in(out) == []
    goes_on(large, expected, option, out)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_two_runs_do_not_work_on_one_folder(large: Path, option: str, tmp_path: Path) -> None:
    running = Running(option, large, "--out", tmp_path / "out")
    wait_until(lambda: len(files_in(tmp_path / "out")) >= 1)
    result = run(option, large, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"treewhile: another treewhile works on the folder {tmp_path / 'out'}")
    running.process.kill()
    running.end()


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_full_disk_is_told_once_and_the_run_goes_on_later(
    large: Path, expected: dict[str, bytes], option: str, tmp_path: Path
) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    out = tmp_path / "out"
    running = Running(option, large, "--out", out, preexec_fn=little_room)
    code, printed, messages = running.end()
    assert (code, printed, messages.count(b"\n")) == (1, b"", 1)
    assert messages.startswith(f"treewhile: cannot write {out}/".encode())
    assert messages.endswith(b": File too large\n")
    assert files_in(out) == {}
    assert unfinished_in(out) == []
    assert Running(option, large, "--out", out).end()[0] == 0
    assert files_in(out) == expected
