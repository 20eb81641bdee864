from __future__ import annotations

import math
import multiprocessing
import operator
import os
import signal
import time
from collections.abc import Iterator
from functools import partial

import pytest

from treewhile.oracles import InputError
from treewhile.server.errors import ProcessDiedError
from treewhile.server.work.worker_processes import HELD, as_done, in_order

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


@pytest.mark.slow
def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(ProcessDiedError, match="a process has died"):
        next(in_order(os.kill, os.getpid, [9, 9], 2))


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
    found = [(item, future.result()) for item, future in as_done(operator.pow, TWO, range(50), processes)]
    assert sorted(found) == [(item, 2**item) for item in range(50)]
    assert [*as_done(operator.pow, TWO, [], processes)] == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_is_that_of_its_item(processes: int) -> None:
    found = dict(as_done(operator.floordiv, TWO, [2, 1, 0], processes))
    assert (found[2].result(), found[1].result()) == (1, 2)
    assert isinstance(found[0].exception(), ZeroDivisionError)


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_source_comes_through(processes: int) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        list(as_done(operator.pow, TWO, items(), processes))


def test_an_item_is_taken_when_it_can_be_begun() -> None:
    taken = []

    def items() -> Iterator[float]:
        for number in range(20):
            taken.append(number)
            yield 0.001 * number

    results = as_done(operator.call, partial(partial, time.sleep), items(), 2)
    next(results)
    assert len(taken) <= 3
    assert len([*results]) == 19


@pytest.mark.slow
def test_where_a_process_is_killed_its_item_is_done_by_another() -> None:
    results = as_done(operator.call, partial(partial, time.sleep), [0.1 + 0.01 * n for n in range(8)], 2)
    next(results)
    for process in multiprocessing.active_children():
        assert process.pid
        os.kill(process.pid, signal.SIGKILL)
    found = [(item, future.result()) for item, future in results]
    assert len({item for item, _ in found}) == 7


def test_an_item_that_kills_is_given_up_and_others_are_done() -> None:
    found = dict(as_done(os.kill, os.getpid, [signal.SIGKILL, 0], 2))
    assert found[0].result() is None
    assert isinstance(found[signal.SIGKILL].exception(), ProcessDiedError)


def test_large_items_and_results_in_any_order_do_not_block() -> None:
    items = [str(number) * 1_000_000 for number in range(6)]
    assert sorted(future.result() for _, future in as_done(operator.mul, TWO, items, 2)) == sorted(
        2 * item for item in items
    )


def test_processes_end_when_nobody_wants_any_more() -> None:
    results = as_done(operator.pow, TWO, iter(range(10**9)), 2)
    next(results)
    results.close()
    assert multiprocessing.active_children() == []


def test_results_in_order_miss_nothing_where_processes_are_killed() -> None:
    pauses = [0.2, *[0.01 * number for number in range(12)]]
    results = in_order(operator.call, partial(partial, time.sleep), pauses, 2)
    next(results)
    for process in multiprocessing.active_children():
        assert process.pid
        os.kill(process.pid, signal.SIGKILL)
    assert [*results] == [None] * 12
