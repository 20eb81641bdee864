from __future__ import annotations

import pytest

from treewhile.incremental.compiling import LEVELS, PARTS, Part
from treewhile.server.errors import CompilingError
from treewhile.server.process.compiling import MOST_TRIES, Work
from treewhile.server.process.compiling_process import Lines, progress_of
from treewhile.server.process.warming import GIVEN_UP


def part(name: str, level: str = "L0", rests_on: tuple[str, ...] = ()) -> Part:
    return Part(name, level, rests_on, 4, 1.0, lambda model: None)


def test_a_part_waits_for_what_it_rests_on() -> None:
    work = Work([part("a"), part("b", "L0", ("a",)), part("c", "L1")])
    first, other = work.take(), work.take()
    assert first
    assert other
    assert (first.name, other.name, work.take()) == ("a", "c", None)
    work.finish(first)
    last = work.take()
    assert last
    assert last.name == "b"
    work.finish(other)
    assert (work.levels, work.is_done) == (["L1"], False)
    work.finish(last)
    assert (work.levels, work.is_done, work.share) == (["L0", "L1"], True, 1.0)


def test_the_share_grows_with_every_function_and_never_reaches_a_part_that_is_not_done() -> None:
    work = Work([part("a"), part("b")])
    taken = work.take()
    assert taken
    shares = [work.share]
    for _ in range(10):
        work.advance(taken, 1)
        shares.append(work.share)
    assert shares == sorted(shares)
    assert shares[1] == 1 / 8
    assert shares[-1] < 1 / 2
    work.finish(taken)
    assert work.share == 1 / 2


def test_a_part_over_which_everybody_dies_is_given_up() -> None:
    work = Work([part("a"), part("b")])
    for _ in range(MOST_TRIES - 1):
        taken = work.take()
        assert taken
        assert taken.name == "a"
        work.put_back(taken)
    assert work.take()
    with pytest.raises(CompilingError, match=f"a has ended {MOST_TRIES} times"):
        work.put_back(part("a"))


def test_every_part_is_handed_out_once_whatever_the_order() -> None:
    work, taken = Work(PARTS), []
    while one := work.take():
        taken.append(one.name)
        work.finish(one)
    assert sorted(taken) == sorted(one.name for one in PARTS)
    assert work.is_done


def test_lines_come_whole_however_they_are_cut() -> None:
    said = b"0.1\n0.25 L0\n1 L0 L1\n"
    for size in (1, 3, 100):
        lines = Lines()
        told = [line for at in range(0, len(said), size) for line in lines.added(said[at : at + size])]
        assert [progress_of(line) for line in told] == [(0.1, []), (0.25, ["L0"]), (1.0, ["L0", "L1"])]
    assert progress_of(GIVEN_UP) == (1.0, [*LEVELS])
