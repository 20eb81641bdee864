from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from treewhile.incremental.output_files import open_output
from treewhile.oracles.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which no temporary file may be left."""
    yield tmp_path
    assert not list(tmp_path.glob(".*"))


def write(path: Path | str, text: str) -> None:
    with open_output(path) as out:
        out.write(text)


def write_and_raise(path: Path, reason: BaseException) -> None:
    with open_output(path) as out:
        out.write("new" * 100_000)
        raise reason


def test_a_text_is_there_after_the_block_and_not_before(folder: Path) -> None:
    with open_output(str(folder / "new")) as out:
        out.write("one\r\n")
        out.write("zwölf\u2028")
        assert not (folder / "new").exists()
    assert (folder / "new").read_bytes().decode() == "one\r\nzwölf\u2028"


def test_compressed_text_is_the_same_bytes_every_time(folder: Path) -> None:
    write(folder / "a.gz", "text\n" * 1000)
    write(folder / "b.gz", "text\n" * 1000)
    data = (folder / "a.gz").read_bytes()
    assert data == (folder / "b.gz").read_bytes()
    assert data[4:8] == bytes(4)  # the time
    assert gzip.decompress(data) == b"text\n" * 1000


@pytest.mark.parametrize("name", ["old", "old.gz"])
@pytest.mark.parametrize("reason", [RuntimeError, KeyboardInterrupt, SystemExit, OSError])
def test_an_exception_leaves_the_old_file(folder: Path, name: str, reason: type[BaseException]) -> None:
    (folder / name).write_text("old")
    with pytest.raises(reason, match=r"^in the middle$"):
        write_and_raise(folder / name, reason("in the middle"))
    assert (folder / name).read_text() == "old"


def test_an_exception_leaves_nothing_where_nothing_was(folder: Path) -> None:
    with pytest.raises(RuntimeError):
        write_and_raise(folder / "new", RuntimeError())
    assert list(folder.iterdir()) == []


def run_python(code: str, *arguments: str) -> int:
    imports = "import os, signal, sys\nfrom treewhile.incremental.output_files import open_output\n"
    return subprocess.run([sys.executable, "-c", imports + code, *arguments], timeout=60).returncode


def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    code = (
        "with open_output(sys.argv[1]) as out:\n"
        "    out.write('new' * 100_000)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert run_python(code, str(tmp_path / "old")) == -9
    assert (tmp_path / "old").read_text() == "old"


def test_standard_output_takes_its_turn_after_what_was_printed(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    code = "print('before')\nwith open_output('-') as out:\n    out.write('äh\\r\\n')\nprint('after')\n"
    assert run_python(code) == 0
    assert capfdbinary.readouterr().out.decode() == "before\näh\r\nafter\n"


def test_a_closed_pipe_stays_a_broken_pipe() -> None:
    code = (
        "reader, writer = os.pipe()\n"
        "os.close(reader)\n"
        "os.dup2(writer, 1)\n"
        "try:\n"
        "    with open_output('-') as out:\n"
        "        out.write('text')\n"
        "except BrokenPipeError:\n"
        "    os._exit(7)\n"
    )
    assert run_python(code) == 7


def test_a_link_stays_a_link_to_the_new_text(folder: Path) -> None:
    (folder / "below").mkdir()
    target, link = folder / "below" / "target", folder / "link"
    link.symlink_to(Path("below") / "target")
    for text in ("first", "second"):
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_has_the_usual(folder: Path) -> None:
    (folder / "old").touch(0o640)
    (folder / "usual").touch()
    write(folder / "old", "text")
    write(folder / "new", "text")
    assert stat.S_IMODE((folder / "old").stat().st_mode) == 0o640
    assert (folder / "new").stat().st_mode == (folder / "usual").stat().st_mode


def test_a_device_and_a_pipe_are_written_to_as_they_are(folder: Path) -> None:
    write(os.devnull, "text")
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "text")
    assert os.read(reader, 100) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/file", "No such file or directory"),
        ("folder", "Is a directory"),
        ("file/below", "Not a directory"),
        ("round", "Too many levels of symbolic links"),
    ],
)
def test_a_file_that_cannot_be_written_is_named(folder: Path, name: str, reason: str) -> None:
    (folder / "folder").mkdir()
    (folder / "file").touch()
    (folder / "round").symlink_to("round")
    with pytest.raises(InputError) as caught:
        write(folder / name, "text")
    assert str(caught.value) == f"cannot write {folder / name}: {reason}"


@pytest.mark.parametrize("text", ["little", "much" * 100_000])
def test_a_full_disk_is_told_as_what_could_not_be_written(text: str) -> None:
    with pytest.raises(InputError, match=r"^cannot write /dev/full: No space left on device$"):
        write("/dev/full", text)
