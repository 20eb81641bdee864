"""Manifest of a folder of shards: finished shards and their origins, one JSON line for each.

The manifest is in a hidden folder beside the shards, with the parts of unfinished shards.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError

HIDDEN: Final = ".treewhile"

Origin: TypeAlias = Mapping[str, Any]  # source and settings of a shard, as JSON


class Manifest:
    """Lines of a manifest; the last line about a shard is valid."""

    def __init__(self, folder: Path, file: BinaryIO) -> None:
        self._folder = folder
        self._file = file
        lines = (_line(line) for line in file)
        self._lines = {line["file"]: line for line in lines if "file" in line}

    def counts_of(self, target: str, origin: Origin) -> Mapping[str, int] | None:
        """Return the counts of a shard if its file is intact and has the same origin, else None."""
        line = self._lines.get(target)
        if line is None or line.get("origin") != origin:
            return None
        path = self._folder / target
        return line["counts"] if path.is_file() and digest_of(path) == line["digest"] else None

    def add(self, target: str, origin: Origin, counts: Mapping[str, int]) -> None:
        """Add a finished shard."""
        digest = digest_of(self._folder / target)
        line = {"file": target, "origin": origin, "digest": digest, "counts": counts}
        with system_errors_named(f"write {self._file.name}"):
            self._file.write(json_line(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())


@contextmanager
def opened_manifest(folder: Path) -> Iterator[Manifest]:
    """Open and lock the manifest of a folder."""
    path = folder / HIDDEN / "manifest.jsonl"
    with system_errors_named(f"write {path}"):
        path.parent.mkdir(exist_ok=True)
        file = path.open("a+b")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            what = f"another treewhile works on the folder {folder}"
            raise InputError(f"{what}: wait until it is done, or name another folder") from error
        _end_last_line(file)
        yield Manifest(folder, file)


def _end_last_line(file: BinaryIO) -> None:
    """End a line that was cut off, and seek to the beginning."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.write(b"\n")
    file.seek(0)


def _line(line: bytes) -> dict[str, Any]:
    """Return the object of a line; empty if the line was cut off."""
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) and {"file", "origin", "digest", "counts"} <= read.keys() else {}


def json_line(value: Mapping[str, Any]) -> str:
    """Return a value as JSON that can be encoded in UTF-8; names of files need not be UTF-8."""
    line = json.dumps(value, ensure_ascii=False)
    return line if line == line.encode(errors="ignore").decode() else json.dumps(value)


def digest_of(path: Path) -> str:
    """Return the digest of a file."""
    with system_errors_named(f"read {path}"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
