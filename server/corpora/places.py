"""Place where the files of a corpus are processed: processes of this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path

from treewhile.server.corpora.ray_workers import on_ray
from treewhile.server.corpora.runs import Counts, Making, Place, Refusal, write_target
from treewhile.server.corpora.sources import Shard
from treewhile.server.work.cores import cores
from treewhile.server.work.worker_processes import as_done


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
