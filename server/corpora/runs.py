"""Run over a corpus: files are cut into parts, parts are processed somewhere, shards are joined here."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from treewhile.incremental.output_files import system_errors_named
from treewhile.incremental.treebanks.file_parts import CutFile, FilePart
from treewhile.oracles.errors import InputError
from treewhile.server.corpora.manifests import Manifest, Origin, opened_manifest
from treewhile.server.corpora.part_files import Made, PartFiles, forget_all_parts
from treewhile.server.corpora.sources import Shard
from treewhile.server.errors import ServiceError

# Runs work on items, like `worker_processes.as_done` with a fixed number of processes.
Result = TypeVar("Result")
Place: TypeAlias = Callable[..., Generator[tuple[FilePart, Future[Result]]]]


class Making(NamedTuple):
    """Processing of file parts by tools that are made in the workers.

    `how` has all settings that matter, as JSON.
    """

    cut: Callable[[str], CutFile]
    work: Callable[[Any, FilePart], Made]
    tool: Callable[[], Any]
    how: Mapping[str, Any]


class Watch(NamedTuple):
    """Callbacks for progress: bytes of processed text, finished shards and refused files."""

    advance: Callable[[int], None]
    made: Callable[[Shard, Mapping[str, int], bool], None]  # True if the shard was there already
    refused: Callable[[Shard, str], None]


class Totals(NamedTuple):
    """Results of a run."""

    counts: Counter[str]  # of all shards that are there now
    refused: int  # files


def make_shards(
    shards: Sequence[Shard], folder: Path, making: Making, place: Place[Made], watch: Watch
) -> Totals:
    """Make every missing shard; unusable files are reported and left out."""
    with opened_manifest(folder) as manifest:
        run = _Run(folder, manifest, making, watch)
        with closing(place(making.work, making.tool, run.parts(shards))) as done:
            for part, future in done:
                run.take(part, future)
        if not run.totals.refused:
            forget_all_parts(folder)
        return run.totals


class _Seen(NamedTuple):
    """State of a file: if any field changes, the text may have changed."""

    inode: int
    size: int
    changed: int


def _seen(path: str) -> _Seen:
    with system_errors_named(f"read {path}"):
        found = os.stat(path)
    return _Seen(found.st_ino, found.st_size, found.st_mtime_ns)


class _OpenShard:
    """Unfinished shard, with the state of its source file when reading began."""

    def __init__(self, shard: Shard, seen: _Seen, origin: Origin, files: PartFiles) -> None:
        self.shard, self.seen, self.origin, self.files = shard, seen, origin, files
        self.under_way: dict[FilePart, int] = {}
        self.is_handed_out = False
        self.refusals: dict[int, str] = {}  # by number of the part

    @property
    def is_done(self) -> bool:
        return self.is_handed_out and not self.under_way


class _Run:
    """State of a run: unfinished shards and totals."""

    def __init__(self, folder: Path, manifest: Manifest, making: Making, watch: Watch) -> None:
        self._folder, self._manifest, self._making, self._watch = folder, manifest, making, watch
        self._open: dict[FilePart, _OpenShard] = {}
        self.totals = Totals(Counter(), 0)

    def parts(self, shards: Iterable[Shard]) -> Iterator[FilePart]:
        """Yield the parts that have to be processed."""
        for shard in shards:
            try:
                seen = _seen(shard.source)
                cut = self._making.cut(shard.source)
            except InputError as error:
                self._refuse(shard, str(error))
                continue
            origin = {"treewhile": version("treewhile"), "input": cut.digest, **self._making.how}
            counts = self._manifest.counts_of(shard.target, origin)
            if counts is None:
                yield from self._parts_of(shard, seen, origin, cut.parts)
            else:
                self._watch.advance(cut.size)
                self._tell(shard, counts, was_there=True)

    def _parts_of(
        self, shard: Shard, seen: _Seen, origin: Origin, parts: Sequence[FilePart]
    ) -> Iterator[FilePart]:
        one = _OpenShard(shard, seen, origin, PartFiles(self._folder, shard.target, origin, parts))
        for number, part in enumerate(parts):
            if one.refusals:
                break
            if number in one.files:
                self._watch.advance(part.stop - part.start)
                continue
            self._open[part] = one
            one.under_way[part] = number
            yield part
        one.is_handed_out = True
        self._end_if_done(one)

    def take(self, part: FilePart, future: Future[Made]) -> None:
        """Process the result of a part."""
        one = self._open.pop(part)
        number = one.under_way.pop(part)
        self._watch.advance(part.stop - part.start)
        try:
            made = future.result()
        except InputError as error:
            one.refusals[number] = str(error)
        except ServiceError as error:
            one.refusals[number] = f"{error}, at {part.name}:{part.first_line}"
        else:
            one.files.add(number, made)
        self._end_if_done(one)

    def _end_if_done(self, one: _OpenShard) -> None:
        if not one.is_done:
            return
        if os.path.exists(one.shard.source) and _seen(one.shard.source) != one.seen:
            one.files.forget()
            what = f"{one.shard.source} has changed while it was read"
            self._refuse(one.shard, f"{what}: give the same command again")
            return
        if one.refusals:
            self._refuse(one.shard, one.refusals[min(one.refusals)])
            return
        counts = one.files.join()
        self._manifest.add(one.shard.target, one.origin, counts)
        one.files.forget()
        self._tell(one.shard, counts, was_there=False)

    def _tell(self, shard: Shard, counts: Mapping[str, int], was_there: bool) -> None:
        self.totals.counts.update(counts)
        self._watch.made(shard, counts, was_there)

    def _refuse(self, shard: Shard, message: str) -> None:
        self.totals = self.totals._replace(refused=self.totals.refused + 1)
        self._watch.refused(shard, message)
