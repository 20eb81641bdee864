from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import pytest

from treewhile.oracles import compilation
from treewhile.oracles.compilation import Deferred, Waiting, replace_all
from treewhile.oracles.prebuilt import background


def plus_one(number: int) -> int:
    return number + 1


def waiting_kernel() -> Waiting:
    """Return a kernel that numba compiles to the absolute value."""
    deferred = Deferred(plus_one, plus_one, {}, None)
    vars(deferred)["dispatcher"] = abs
    return Waiting(deferred)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[Waiting]:
    """Return a list of kernels that are not built; numba has each of them once it is asked."""
    kernels = [waiting_kernel()]
    monkeypatch.setattr(compilation, "plain_at_first", kernels)
    monkeypatch.setattr(compilation, "library", cache(lambda: None))
    monkeypatch.setattr(background, "begin", lambda replace: None)
    return kernels


def test_a_kernel_is_plain_until_it_is_replaced(
    waiting: list[Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "compiled_kernels", lambda: iter([waiting[0].names]))
    assert [waiting[0](-5), waiting[0](-5)] == [-4, -4]
    assert compilation.are_kernels_plain()
    replace_all()
    assert waiting[0](-5) == 5
    assert not compilation.are_kernels_plain()


def test_kernels_whose_modules_are_imported_while_numba_compiles_are_replaced_too(
    waiting: list[Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled() -> Iterator[tuple[str, str]]:
        waiting.append(waiting_kernel())
        yield waiting[0].names

    monkeypatch.setattr(background, "compiled_kernels", compiled)
    replace_all()
    assert [kernel(-5) for kernel in waiting] == [5, 5]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_forked_process_has_its_own_kernels_replaced(
    waiting: list[Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    monkeypatch.setattr(background, "begin", lambda replace: begun.append(os.getpid()))
    for was_begun in (False, True):
        monkeypatch.setattr(background, "forget", lambda: was_begun)  # noqa: B023
        pid = os.fork()
        if not pid:
            os._exit(begun == [os.getpid()])
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == was_begun
