"""Cases of a property: one test loops over them. Of generated ones, a quick run takes a tenth."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pytest

WHOLE: Final = os.environ.get("TREEWHILE_TESTS") == "all"

Test = Callable[..., Any]


def cases(count: int) -> range:
    """Return the seeds of `count` cases; the first tenth of them in a quick run, at least one."""
    return range(count if WHOLE else -(-count // 10))


def each_seed(seeds: Iterable[int]) -> Callable[[Test], Test]:
    """Run a test once for each of the seeds, as one test; a failure names its seed."""
    return each("seed", seeds)


def each(names: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test once for each of the values, as one test; names and values as `parametrize` has them.

    A failure names its case; without any the test is skipped. All cases share the fixtures of the test.
    """
    parameters = [name.strip() for name in names.split(",")]
    found = [value if len(parameters) > 1 else (value,) for value in values]

    def decorate(test: Test) -> Test:
        looped = _loop_awaiting(test) if inspect.iscoroutinefunction(test) else _loop(test)
        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in parameters]
        looped.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return looped

    def arguments() -> Iterator[dict[str, Any]]:
        if not found:
            pytest.skip(f"there is no {names} to try")
        return (dict(zip(parameters, case, strict=True)) for case in found)

    def _loop(test: Test) -> Test:
        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            for case in arguments():
                with _Named(case):
                    test(**case, **fixtures)

        return loop

    def _loop_awaiting(test: Test) -> Test:
        @functools.wraps(test)
        async def loop(**fixtures: Any) -> None:
            for case in arguments():
                with _Named(case):
                    await test(**case, **fixtures)

        return loop

    return decorate


class _Named:
    """Context that adds the arguments of a case to its failure."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            error.add_note(", ".join(f"{name} {value!r}" for name, value in self.case.items()))
