"""Place where parts of a corpus are processed: local processes or a Ray cluster."""

from __future__ import annotations

from functools import partial
from typing import Any

from treewhile.server.corpora.ray_workers import as_done_on_ray
from treewhile.server.corpora.runs import Place
from treewhile.server.work.cores import cores
from treewhile.server.work.worker_processes import as_done


def place_called(name: str, jobs: int | None) -> Place[Any]:
    """Return the function that runs so many jobs in a place; by default one for each core."""
    return (
        partial(as_done_on_ray, actors=jobs) if name == "ray" else partial(as_done, processes=jobs or cores())
    )
