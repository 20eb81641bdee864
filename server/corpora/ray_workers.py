"""Processing on a Ray cluster: parts of files are rows of a dataset, mapped by actors.

All nodes need treewhile, and the files under the same paths. The results come back and are written here.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from logging import ERROR, getLogger
from types import ModuleType
from typing import Any, Final, TypeVar

from treewhile.oracles.errors import InputError
from treewhile.server.errors import ServiceError
from treewhile.server.work.worker_processes import answer_to, future_of

Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

MOST_BLOCKS: Final = 4096  # of rows; Ray repeats a block after the death of an actor
QUIET: Final = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0"}


def as_done_on_ray(
    work: Callable[[Tool, Item], Result],
    tool: Callable[[], Tool],
    items: Iterable[Item],
    actors: int | None = None,
) -> Generator[tuple[Item, Future[Result]]]:
    """Yield every item with a future of its result, as `worker_processes.as_done`.

    The generator has to be closed. The number of actors is at most the number of CPUs. The cluster is that of
    RAY_ADDRESS, or one on this machine. All items are taken at once.
    """
    given = [*items]
    if not given:
        return
    with _cluster() as ray:
        rows = [{"number": number, "item": pickle.dumps(item)} for number, item in enumerate(given)]
        size = min(actors or len(given), int(ray.cluster_resources().get("CPU", 1)), len(given))
        answers = ray.data.from_items(rows, override_num_blocks=min(len(rows), MOST_BLOCKS)).map_batches(
            _Actor,
            fn_constructor_args=(work, tool),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=size),
            num_cpus=1,
        )
        for row in answers.iter_rows():
            yield given[row["number"]], future_of(*pickle.loads(row["answer"]))


class _Actor:
    """Ray actor with its tool."""

    def __init__(self, work: Callable[[Any, Any], Any], tool: Callable[[], Any]) -> None:
        self._task = work, tool
        self._made: list[Any] = []

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        answers = [answer_to(pickle.loads(item), *self._task, self._made) for item in batch["item"]]
        return {"number": batch["number"], "answer": [pickle.dumps(one) for one in answers]}


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
