"""Processing on a Ray cluster: files are rows of a dataset, mapped by actors.

All nodes need treewhile, and the files under the same paths. The results come back and are written here.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from logging import ERROR, getLogger
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.corpora.runs import Counts, Making, Refusal, text_of_target
from treewhile.server.corpora.sources import Shard
from treewhile.server.errors import ServiceError

MOST_BLOCKS: Final = 4096  # of rows; Ray repeats a block after the death of an actor
QUIET: Final = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0"}


def on_ray(
    making: Making, folder: Path, shards: Sequence[Shard], actors: int | None = None
) -> Generator[tuple[Shard, Counts | Refusal]]:
    """Make the targets of shards by at most so many actors, and as many as there are CPUs.

    The generator has to be closed. The cluster is that of RAY_ADDRESS, or one on this machine.
    """
    if not shards:
        return
    with _cluster() as ray:
        rows = [
            {"number": number, "source": os.path.abspath(shard.source)} for number, shard in enumerate(shards)
        ]
        size = min(actors or len(shards), int(ray.cluster_resources().get("CPU", 1)), len(shards))
        answers = ray.data.from_items(rows, override_num_blocks=min(len(rows), MOST_BLOCKS)).map_batches(
            _Actor,
            fn_constructor_args=(making,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=size),
            num_cpus=1,
        )
        for row in answers.iter_rows():
            shard = shards[row["number"]]
            yield shard, _written(folder / shard.target, pickle.loads(row["answer"]))


def _written(target: Path, answer: tuple[str, Counts] | Refusal | Exception) -> Counts | Refusal:
    """Write the text of a target, and return its counts."""
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, Refusal):
        return answer
    text, counts = answer
    with system_errors_named(f"write {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
    with open_output(target) as output:
        output.write(text)
    return counts


class _Actor:
    """Ray actor with its tool, which is made for the first file."""

    def __init__(self, making: Making) -> None:
        self._making = making
        self._made: list[Any] = []

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        answers = [pickle.dumps(self._answer(source)) for source in batch["source"]]
        return {"number": batch["number"], "answer": answers}

    def _answer(self, source: str) -> tuple[str, Counts] | Refusal | Exception:
        try:
            self._made = self._made or [self._making.tool()]
            return text_of_target(self._making.pieces, self._made[0], source)
        except Exception as error:
            return error


@contextmanager
def _cluster() -> Iterator[ModuleType]:
    """Connect to the Ray cluster for the block; Ray logs failures only."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise InputError("--on ray takes a package that is missing: pip install 'treewhile[ray]'") from error
    try:
        ray.init(log_to_driver=False, logging_level=ERROR)
    except ConnectionError as error:
        where = os.environ.get("RAY_ADDRESS", "this machine")
        raise ServiceError(
            f"there is no cluster of Ray at {where}: {' '.join(str(error).split())}"
        ) from error
    getLogger("ray.data").setLevel(ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield ray
    finally:
        ray.shutdown()
