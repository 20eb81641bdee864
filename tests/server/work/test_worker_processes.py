from __future__ import annotations

import math
import multiprocessing
import operator
import os
import signal
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial

import pytest

from treewhile.oracles import InputError
from treewhile.server.corpora.worker_processes import HELD, as_done, in_order
from treewhile.server.errors import ProcessDiedError

# What a process runs has to be importable there, so tests use what the library has.
TWO = partial(int, "2")


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(processes: int) -> None:
    items = range(1, 100)
    assert [*in_order(operator.pow, TWO, items, processes)] == [2**item for item in items]
    assert [*in_order(operator.pow, TWO, [], processes)] == []


def test_a_slow_item_holds_back_those_behind_it_and_no_more_are_read() -> None:
    taken = []

    def items() -> Iterator[float]:
        for item in [0.5, *[0] * 100]:
            taken.append(item)
            yield item

    def seconds() -> Iterator[object]:
        yield from in_order(operator.call, partial(partial, time.sleep), items(), 2)

    next(results := seconds())
    assert len(taken) <= 2 * HELD + 1
    assert len([*results]) == 100


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_comes_in_its_place(processes: int) -> None:
    results = in_order(operator.floordiv, TWO, [2, 1, 0, 1], processes)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_source_comes_after_the_results_before_it(processes: int) -> None:
    def items() -> Iterator[int]:
        yield from (1, 2)
        raise InputError("no more")

    results = in_order(operator.pow, TWO, items(), processes)
    assert [next(results), next(results)] == [2, 4]
    with pytest.raises(InputError, match="no more"):
        next(results)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_tool_that_cannot_be_made_is_told(processes: int) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        next(in_order(operator.pow, partial(int, "x"), [1], processes))


def test_large_items_and_results_do_not_block() -> None:
    items = [str(number) * 1_000_000 for number in range(6)]
    assert [*in_order(operator.mul, TWO, items, 2)] == [2 * item for item in items]


def test_processes_end_when_nobody_wants_more() -> None:
    results = in_order(math.pow, TWO, iter(int, 1), 2)
    assert next(results) == 1
    results.close()


# --- in any order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_every_item_is_done_once(processes: int) -> None:
    assert sorted(as_done(operator.pow, TWO, range(50), processes)) == [(item, 2**item) for item in range(50)]
    assert [*as_done(operator.pow, TWO, [], processes)] == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_in_any_order_comes_through(processes: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(as_done(operator.floordiv, TWO, [2, 1, 0], processes))


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_source_comes_through(processes: int) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        list(as_done(operator.pow, TWO, items(), processes))


@pytest.mark.parametrize("function", [as_done, in_order])
def test_a_process_that_is_killed_is_told_and_the_others_end(
    function: Callable[..., Generator[object]],
) -> None:
    results = function(operator.call, partial(partial, time.sleep), [0.0, *[0.1] * 200], 2)
    next(results)
    os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
    with pytest.raises(ProcessDiedError, match="a process has died"):
        list(results)


def test_large_items_and_results_in_any_order_do_not_block() -> None:
    items = [str(number) * 1_000_000 for number in range(6)]
    done = as_done(operator.mul, TWO, items, 2)
    assert sorted(result for _, result in done) == sorted(2 * item for item in items)


def test_processes_end_when_nobody_wants_any_more() -> None:
    results = as_done(operator.call, partial(partial, time.sleep), [0.0, 100.0, 100.0, 100.0], 2)
    next(results)
    before = time.monotonic()
    results.close()
    assert time.monotonic() - before < 50
