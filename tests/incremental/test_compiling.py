from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from treewhile.incremental import Model, compiling, warm_up
from treewhile.incremental.compiling import ALL_PARTS, LEVELS, PARTS, parts_for, run_level, share_of
from treewhile.oracles.compilation import kernel
from treewhile.oracles.errors import InputError
from treewhile.oracles.trees.class_names import OF_PREFIXES
from treewhile.oracles.watched_compilation import NotCompiledError, counted, from_cache


@pytest.mark.parametrize("classes", [["projective"], ["mh4"], ["mh4", "projective"]])
def test_every_part_rests_on_parts_that_come_before_it(classes: list[str]) -> None:
    before: set[str] = set()
    parts = parts_for(classes)
    for part in parts:
        assert before.issuperset(part.rests_on)
        before.add(part.name)
    assert {part.level for part in parts} == {*LEVELS}
    assert before.issuperset(part.name for part in PARTS)
    assert before.issubset(part.name for part in ALL_PARTS)


def test_only_models_that_parse_with_crossing_edges_wait_for_what_finds_them() -> None:
    assert parts_for(["projective"]) == PARTS
    crossing = {part.name: part for part in parts_for(["mh4"])}
    assert crossing.keys() - {part.name for part in PARTS} == {"crossing trees"}
    assert "crossing trees" in crossing["search"].rests_on


def test_shares_add_up() -> None:
    assert share_of(()) == 0
    assert share_of(LEVELS) == pytest.approx(1)
    assert share_of(["L0"]) + share_of(["L1"]) == pytest.approx(share_of(["L0", "L1"]))


@pytest.mark.parametrize("trees", OF_PREFIXES)
def test_what_was_warmed_up_is_compiled_for_good(model: Model, trees: str) -> None:
    model = model.with_trees(trees)
    warm_up(model)
    compiled: list[None] = []
    with counted(lambda: compiled.append(None)):
        for level in LEVELS:
            run_level(model, level)
    assert not compiled


@pytest.mark.parametrize("levels", ["L0", ["L3"], ["L0", "tags"]])
def test_levels_that_there_are_not_are_refused(levels: Any, model: Model) -> None:
    with pytest.raises(InputError, match="give a list of some of L0, L1, L2, steps"):
        warm_up(model, levels)


def test_no_more_than_the_levels_that_are_asked_for_is_run(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: list[str] = []
    monkeypatch.setattr(compiling, "run_level", lambda model, level: run.append(level))
    warm_up(model, ["steps", "L0"])
    assert run == ["L0", "steps"]


def test_a_model_without_a_segmenter_runs_all_levels(make_model: Callable[..., Model]) -> None:
    model = make_model(with_segmenter=False)
    for part in PARTS:
        part.run(model)
    compiled: list[None] = []
    with counted(lambda: compiled.append(None)):
        for level in LEVELS:
            run_level(model, level)
    assert not compiled


def test_only_the_thread_that_asks_is_kept_from_compiling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def plus_one(number: int) -> int:
        return number + 1

    plus_one.__module__ = compiling.__name__  # kernels of the package alone are kept
    increased = kernel(plus_one)

    found: list[int] = []
    other = Thread(target=lambda: found.append(increased(1)))
    with from_cache():
        with pytest.raises(NotCompiledError, match="plus_one"):
            increased(1.5)
        other.start()
        other.join()
    assert found == [2]
    assert increased(1.5) == 2.5
