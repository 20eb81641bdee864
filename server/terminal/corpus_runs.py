"""Runs over corpora in a terminal: where files are processed, a progress bar, errors, and report lines."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from rich.progress import DownloadColumn

from treewhile.oracles.errors import InputError
from treewhile.server.corpora.ray_workers import on_ray
from treewhile.server.corpora.runs import Counts, Making, Place, Refusal, Watch, make_shards, write_target
from treewhile.server.corpora.sources import Shard, found_sources, make_folder, shards_of
from treewhile.server.corpora.worker_processes import as_done, cores
from treewhile.server.errors import ProcessDiedError, ServiceError
from treewhile.server.terminal.progress_bars import progress_bar, size_of

GOES_ON = "what is done is kept, and the same command goes on from there"


def make_corpus(
    given: Sequence[str],
    out: str,
    endings: Sequence[str],
    renamed: Callable[[str], str],
    making: Making,
    place: Place,
    reports: bool,
) -> Counter[str]:
    """Process the given files into a folder with progress and reports.

    Return the sums of the counts of all files that were made now.
    """
    shards = shards_of(found_sources(given, endings, leaving_out=out), out, renamed)
    folder = make_folder(out)
    with progress_bar("working", _size_of_all(shards), DownloadColumn()) as advance:
        told = _Told(folder, reports)
        watch = Watch(lambda shard: advance(size_of(shard.source) or 0), told.made, told.refused)
        try:
            totals = make_shards(shards, folder, making, place, watch)
        except KeyboardInterrupt:
            click.echo(f"treewhile: stopped; {GOES_ON}", err=True)
            raise
        except ProcessDiedError as error:
            raise ServiceError(f"{error}; {GOES_ON}") from error
    if totals.refused:
        raise InputError(f"{totals.refused} of {len(shards)} files were left out; the others are in {out}")
    return totals.counts


def _size_of_all(shards: Sequence[Shard]) -> int | None:
    sizes = [size_of(shard.source) for shard in shards if os.path.exists(shard.source)]
    return None if None in sizes else sum(size or 0 for size in sizes)


class _Told:
    """Reports about files."""

    def __init__(self, folder: Path, reports: bool) -> None:
        self._folder = folder
        self._reports = reports

    def made(self, shard: Shard, counts: Counts, was_there: bool) -> None:
        place = {"file": shard.source, "out": str(self._folder / shard.target)}
        self._report({**place, "was_there": was_there, **counts})

    def refused(self, shard: Shard, message: str) -> None:
        click.echo(f"treewhile: {message}", err=True)
        self._report({"file": shard.source, "error": message})

    def _report(self, line: Mapping[str, object]) -> None:
        if self._reports:
            click.echo(_json_line(line))


def _json_line(value: Mapping[str, object]) -> str:
    """Return a value as JSON that can be encoded in UTF-8; names of files need not be UTF-8."""
    line = json.dumps(value, ensure_ascii=False)
    return line if line == line.encode(errors="ignore").decode() else json.dumps(value)


def place_called(name: str, jobs: int | None) -> Place:
    """Return the function that runs so many jobs in a place; by default one for each core."""
    return partial(on_ray, actors=jobs) if name == "ray" else partial(in_processes, processes=jobs or cores())


def in_processes(
    making: Making, folder: Path, shards: Sequence[Shard], processes: int
) -> Generator[tuple[Shard, Counts | Refusal]]:
    """Make the targets of shards in processes of this machine."""
    if not shards:
        return
    yield from as_done(
        partial(write_target, making.pieces, folder),
        making.tool,
        shards,
        min(processes, len(shards)),
    )
