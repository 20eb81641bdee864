"""Checkpoints: the complete state of a training run, from which it can be resumed, and its fingerprint."""

from __future__ import annotations

import hashlib
import io
import time
from pathlib import Path
from typing import Any

import torch

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.training.kept_parsers import kept_arrays
from treewhile.oracles.errors import InputError


def write_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write the state to a file, whole or not at all: a full disk leaves the old checkpoint."""
    content = io.BytesIO()
    torch.save(state, content)
    with open_output(path) as output:
        output.write_bytes(content.getvalue())


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the state in a file; nothing in the file is executed."""
    with system_errors_named(f"read the checkpoint {path}"):
        content = io.BytesIO(path.read_bytes())
    try:
        state = torch.load(content, map_location="cpu", weights_only=True)
    except Exception as error:  # bytes that are no checkpoint can fail in any way
        raise InputError(f"{path} is no whole checkpoint: delete it, and train without --resume") from error
    if not isinstance(state, dict):
        raise InputError(f"{path} is no checkpoint of treewhile: delete it, and train without --resume")
    return state


class TimedCheckpoint:
    """Checkpoint that is due at intervals, in seconds."""

    def __init__(self, path: Path, seconds: float = 5.0) -> None:
        self.path, self._seconds = path, seconds
        self._written = time.monotonic()

    def read(self) -> dict[str, Any]:
        """Return the state in the file; an empty one where there is no file."""
        return read_checkpoint(self.path) if self.path.exists() else {}

    @property
    def is_due(self) -> bool:
        """True if the checkpoint should be written again."""
        return time.monotonic() - self._written >= self._seconds

    def write(self, state: dict[str, Any]) -> None:
        write_checkpoint(self.path, state)
        self._written = time.monotonic()


def fingerprint(*told: object) -> str:
    """Return the digest of all inputs of a run, and of the number of threads, which changes rounding."""
    digest = hashlib.sha256()
    for one in (torch.get_num_threads(), *told):
        digest.update(f"{one}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def digest_of(parser: ModelFile | None) -> str:
    """Return the digest of a given parser without its step scorer."""
    digest = hashlib.sha256()
    for name, array in sorted(kept_arrays(parser).items() if parser else ()):
        digest.update(name.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
