"""Source files of a corpus, and their target files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError


class Source(NamedTuple):
    """Source file: its path, and its name within the given folder."""

    path: str
    name: str


class Shard(NamedTuple):
    """Source file with its target file."""

    source: str
    target: str  # relative to the output folder


def found_sources(given: Sequence[str], endings: Sequence[str], leaving_out: str = "") -> list[Source]:
    """Return the given files, and files in given folders whose names end in `endings`.

    Folders are searched recursively, except hidden ones and `leaving_out`.
    """
    return [
        source
        for one in given
        for source in (
            _in_folder(one, tuple(endings), leaving_out)
            if os.path.isdir(one)
            else [Source(one, os.path.basename(one))]
        )
    ]


def _in_folder(folder: str, endings: tuple[str, ...], leaving_out: str) -> list[Source]:
    found = [
        Source(path, os.path.relpath(path, folder))
        for path in _files_in(folder, os.path.realpath(leaving_out))
        if path.endswith(endings)
    ]
    if not found:
        what = f"there is no file in the folder {folder} whose name ends in {' or '.join(endings)}"
        raise InputError(f"{what}: name files, or another folder")
    return found


def _files_in(folder: str, leaving_out: str) -> Iterator[str]:
    def refuse(error: OSError) -> NoReturn:
        raise InputError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for place, folders, files in os.walk(folder, onerror=refuse):
        whole = (name for name in folders if os.path.realpath(os.path.join(place, name)) != leaving_out)
        folders[:] = sorted(name for name in whole if not name.startswith("."))
        yield from (os.path.join(place, name) for name in sorted(files) if not name.startswith("."))


def shards_of(sources: Sequence[Source], out: str, renamed: Callable[[str], str]) -> list[Shard]:
    """Return the shards of files; raise InputError if two share a target or a file is its own target."""
    if any(source.path == "-" for source in sources):
        raise InputError("- is standard input, which is no file that could be found again: name files")
    shards = [Shard(source.path, renamed(source.name)) for source in sources]
    _refuse_twice(
        [(os.path.realpath(one.source), one.source) for one in shards], "are one file: give it once"
    )
    targets = [(one.target, one.source) for one in shards]
    _refuse_twice(targets, f"would become one file in {out}: give them folders of their own")
    for source, target in shards:
        place = os.path.join(out, target)
        if os.path.exists(place) and os.path.exists(source) and os.path.samefile(source, place):
            raise InputError(f"{place} would become itself, and be lost: name another folder for --out")
    return shards


def _refuse_twice(named: Sequence[tuple[str, str]], what: str) -> None:
    """Raise InputError if two sources share the first value of their pairs."""
    first: dict[str, str] = {}
    for shared, name in named:
        if shared in first:
            raise InputError(f"{first[shared]} and {name} {what}")
        first[shared] = name


def make_folder(out: str) -> Path:
    """Return the output folder, created if missing."""
    if os.path.exists(out) and not os.path.isdir(out):
        raise InputError(f"--out has to be a folder, and {out} is a file: name another one")
    with system_errors_named(f"make the folder {out}"):
        Path(out).mkdir(parents=True, exist_ok=True)
    return Path(out)
