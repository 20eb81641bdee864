"""Generated cases of a property: one test loops over their seeds, a tenth of them in a quick run."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any, Final

WHOLE: Final = os.environ.get("TREEWHILE_TESTS") == "all"


def cases(count: int) -> range:
    """Return the seeds of `count` cases; the first tenth of them in a quick run, at least one."""
    return range(count if WHOLE else -(-count // 10))


def each_seed(seeds: Iterable[int]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test once for each of the seeds, as one test; a failure names its seed."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        looped = _loop_awaiting(test, seeds) if inspect.iscoroutinefunction(test) else _loop(test, seeds)
        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name != "seed"]
        looped.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return looped

    return decorate


def _loop(test: Callable[..., Any], seeds: Iterable[int]) -> Callable[..., Any]:
    @functools.wraps(test)
    def loop(**fixtures: Any) -> None:
        for seed in seeds:
            with _Named(seed):
                test(seed=seed, **fixtures)

    return loop


def _loop_awaiting(test: Callable[..., Any], seeds: Iterable[int]) -> Callable[..., Any]:
    @functools.wraps(test)
    async def loop(**fixtures: Any) -> None:
        for seed in seeds:
            with _Named(seed):
                await test(seed=seed, **fixtures)

    return loop


class _Named:
    """Context that adds the seed of a case to its failure."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            error.add_note(f"seed {self.seed}")
