from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from inspect import signature
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof

from treewhile.incremental.building.argument_types import text_of, types_of
from treewhile.oracles.errors import InputError
from treewhile.oracles.prebuilt.library import kernels_to_build


class Edge(NamedTuple):
    head: int
    score: float


VALUES = (
    (1, "i8"),
    (1.5, "f8"),
    (True, "b1"),
    (None, "-"),
    (np.float32(1), "f4"),
    (np.uint8(1), "u1"),
    (np.zeros(3, np.int32), "i41C"),
    (np.zeros((2, 3)).T, "f82F"),
    (np.zeros((4, 6))[::2, ::2], "f82A"),
    (np.zeros((2, 2), bool), "b12C"),
    ((1, 2), "(i8i8)"),
    (((1, None), 2.5), "((i8-)f8)"),
    (Edge(1, 2.5), "Edge(i8f8)"),
    ((Edge(1, 2.5), np.zeros(0)), "(Edge(i8f8)f81C)"),
)


@pytest.mark.parametrize(("value", "text"), VALUES)
def test_types_and_their_texts_say_the_same(value: object, text: str) -> None:
    type_ = typeof(value)
    assert text_of(type_) == text
    assert types_of(f"({text})", {"Edge": Edge}) == (type_,)


def test_arrays_that_may_not_be_written_are_of_a_type_of_their_own() -> None:
    array = np.zeros(3)
    array.flags.writeable = False
    assert text_of(typeof(array)) == "f81CR"
    assert types_of("(f81CR)", {}) == (typeof(array),)


@pytest.mark.parametrize("text", ["i8", "Edge(i8f8)", "(i8", "((i8)", ""])
def test_what_is_no_whole_tuple_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="types"):
        types_of(text, {"Edge": Edge})


def test_each_kernel_to_build_is_told_once() -> None:
    told = [*kernels_to_build()]
    assert len({*told}) == len(told)
    assert [*sorted(told)] == told


@pytest.mark.parametrize(("module", "name", "text"), [*kernels_to_build()])
def test_each_kernel_to_build_takes_as_many_arguments_as_it_has_types(
    module: str, name: str, text: str
) -> None:
    taken = signature(getattr(import_module(module), name).py_func).parameters
    assert len(types_of(text, defaultdict(lambda: tuple))) == len(taken)
