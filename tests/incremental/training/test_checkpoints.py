from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
import torch

from treewhile.incremental.training.checkpoints import read_checkpoint, write_checkpoint
from treewhile.oracles import InputError


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "a", {"weights": torch.arange(3), "progress": [1, 2]})
    state = read_checkpoint(tmp_path / "a")
    assert state["weights"].tolist() == [0, 1, 2]
    assert state["progress"] == [1, 2]


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(tmp_path / "a", {"epoch": 1})

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
        write_checkpoint(tmp_path / "a", {"epoch": 2})
    assert read_checkpoint(tmp_path / "a") == {"epoch": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("length", [0, 10, 300])
def test_a_truncated_checkpoint_is_refused(tmp_path: Path, length: int) -> None:
    write_checkpoint(tmp_path / "a", {"weights": torch.zeros(100)})
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes()[:length])
    with pytest.raises(InputError, match="is no whole checkpoint"):
        read_checkpoint(tmp_path / "a")


class Hostile:
    def __reduce__(self) -> Any:
        return print, ("executed",)


def test_no_code_in_a_checkpoint_is_executed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"weights": Hostile()}, tmp_path / "a")
    with pytest.raises(InputError, match="is no whole checkpoint"):
        read_checkpoint(tmp_path / "a")
    assert capsys.readouterr().out == ""


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    torch.save([1, 2], tmp_path / "a")
    with pytest.raises(InputError, match="is no checkpoint of treewhile"):
        read_checkpoint(tmp_path / "a")
