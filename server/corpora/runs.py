"""Run over a corpus: each source file becomes one target file, which appears when it is complete.

Later runs leave a target as it is while it is newer than its source and than the settings, which are kept in
a hidden file of the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.corpora.sources import Shard

Counts: TypeAlias = Mapping[str, int]

# Yields the text of a target piece by piece with counts, given a tool and the source.
Pieces: TypeAlias = Callable[[Any, str], Generator[tuple[str, Counts]]]

UNFINISHED: Final = ".treewhile-*.tmp"  # files of `open_output` whose process was killed


class Making(NamedTuple):
    """Making of targets by tools that are made in the workers.

    `settings` has all settings that matter, as JSON; `ending` is the ending of targets.
    """

    pieces: Pieces
    tool: Callable[[], Any]
    settings: Mapping[str, Any]
    ending: str


class Refusal(NamedTuple):
    """Sentence that says why a source file cannot be used."""

    message: str


# Works on shards of a folder, each of which then has its target, or a refusal.
Place: TypeAlias = Callable[[Making, Path, Sequence[Shard]], Generator[tuple[Shard, Counts | Refusal]]]


class Watch(NamedTuple):
    """Callbacks for progress: sources that are dealt with, finished shards and refused ones."""

    advance: Callable[[Shard], None]
    made: Callable[[Shard, Counts, bool], None]  # True if the target was there already
    refused: Callable[[Shard, str], None]


class Totals(NamedTuple):
    """Results of a run."""

    counts: Counter[str]  # of all targets that were made
    refused: int  # sources


def make_shards(shards: Sequence[Shard], folder: Path, making: Making, place: Place, watch: Watch) -> Totals:
    """Make every missing target; unusable sources are reported and left out."""
    counts, refused = Counter[str](), 0
    with _alone_in(folder, shards):
        missing = _missing(shards, folder, _since(folder, making), watch)
        with closing(place(making, folder, missing)) as done:
            for shard, result in done:
                watch.advance(shard)
                if isinstance(result, Refusal):
                    refused += 1
                    watch.refused(shard, result.message)
                else:
                    counts.update(result)
                    watch.made(shard, result, False)
    return Totals(counts, refused)


@contextmanager
def _alone_in(folder: Path, shards: Sequence[Shard]) -> Iterator[None]:
    """Lock the folder for the block, and delete unfinished files that this run or an earlier one has left."""
    path = folder / ".treewhile.lock"
    with system_errors_named(f"write {path}"):
        lock = path.open("ab")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            what = f"another treewhile works on the folder {folder}"
            raise InputError(f"{what}: wait until it is done, or name another folder") from error
        try:
            _delete_unfinished(folder, shards)
            yield
        finally:
            _delete_unfinished(folder, shards)


def _delete_unfinished(folder: Path, shards: Sequence[Shard]) -> None:
    for place in {(folder / shard.target).parent for shard in shards}:
        for left in place.glob(UNFINISHED):
            left.unlink(missing_ok=True)


def _since(folder: Path, making: Making) -> int:
    """Return the time since when targets in the folder are made with these settings."""
    path = folder / f".treewhile{making.ending.replace('.', '-')}.json"
    settings = json.dumps({"treewhile": version("treewhile"), **making.settings}).encode() + b"\n"
    with system_errors_named(f"read {path}"):
        if not path.exists() or path.read_bytes() != settings:
            with open_output(path) as output:
                output.write_bytes(settings)
        return path.stat().st_mtime_ns


def _missing(shards: Sequence[Shard], folder: Path, since: int, watch: Watch) -> list[Shard]:
    """Return the shards without an up-to-date target, and report the others."""
    missing = []
    for shard in shards:
        if _is_there(shard, folder, since):
            watch.advance(shard)
            watch.made(shard, {}, True)
        else:
            missing.append(shard)
    return missing


def _is_there(shard: Shard, folder: Path, since: int) -> bool:
    try:
        source, target = os.stat(shard.source), os.stat(folder / shard.target)
    except OSError:
        return False
    return stat.S_ISREG(target.st_mode) and target.st_mtime_ns >= max(source.st_mtime_ns, since)


# --- in a worker ------------------------------------------------------------------------------------------


def write_target(pieces: Pieces, folder: Path, tool: Any, shard: Shard) -> Counts | Refusal:
    """Write the target of a shard, and return its counts."""
    target = folder / shard.target
    with system_errors_named(f"write {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open_output(target) as output:
            return _copied(pieces(tool, shard.source), shard.source, output.write)
    except _UnusableSourceError as error:
        return Refusal(str(error))


def text_of_target(pieces: Pieces, tool: Any, source: str) -> tuple[str, Counts] | Refusal:
    """Return the text that becomes of a source, and its counts."""
    texts: list[str] = []
    try:
        counts = _copied(pieces(tool, source), source, texts.append)
    except _UnusableSourceError as error:
        return Refusal(str(error))
    return "".join(texts), counts


class _UnusableSourceError(InputError):
    """Error about a source file, unlike those about targets and the machine."""


def _copied(
    pieces: Generator[tuple[str, Counts]], source: str, write: Callable[[str], object]
) -> Counter[str]:
    counts = Counter[str]()
    with closing(_checked(pieces, source)) as checked:
        for text, some in checked:
            write(text)
            counts.update(some)
    return counts


def _checked(pieces: Generator[tuple[str, Counts]], source: str) -> Generator[tuple[str, Counts]]:
    """Yield the pieces; raise _UnusableSourceError if the source is damaged, or changes meanwhile."""
    try:
        before = _state(source)
        with closing(pieces):
            yield from pieces
        if _state(source) != before:
            raise InputError(f"{source} has changed while it was read: give the same command again")
    except InputError as error:
        raise _UnusableSourceError(str(error)) from None


def _state(source: str) -> tuple[int, int, int]:
    """Return what changes with the text of a file; raise InputError for a pipe, which can be read once."""
    with system_errors_named(f"read {source}"):
        found = os.stat(source)
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{source} is a pipe or a device, not a file: write its text into a file first")
    return found.st_ino, found.st_size, found.st_mtime_ns
