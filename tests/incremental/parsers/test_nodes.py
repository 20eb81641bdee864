"""Heads go from every way of writing them to every other, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from treewhile.incremental.parsers.nodes import (
    LATER,
    Head,
    Nodes,
    Virtual,
    from_signed,
    from_view,
    to_signed,
    to_view,
)

NODES = Nodes(3, ("NOUN", "VERB"))
NOUN, VERB = Virtual(1, "NOUN"), Virtual(2, "VERB")
NAMES: list[Head] = [0, 1, 2, 3, NOUN, VERB, LATER]  # by their numbers


def test_later_and_unused_stand_behind_all_other_nodes() -> None:
    assert (NODES.later, NODES.unused) == (6, 7)
    assert (Nodes(3).later, Nodes(3).unused) == (4, 5)


def test_every_number_has_a_name_and_every_name_its_number() -> None:
    assert NODES.names(range(7)) == [NODES.name(number) for number in range(7)] == NAMES
    assert [NODES.number(name) for name in NAMES] == [*range(7)]


def test_the_head_of_what_is_unused_is_still_to_come() -> None:
    assert NODES.name(NODES.unused) == LATER


@pytest.mark.parametrize(("numbers", "signed"), [([2, 0, 6, 4, 7], [2, 0, -2, 4, -3]), ([0], [0]), ([], [])])
def test_signed_heads_are_numbers_but_for_what_is_no_node(numbers: list[int], signed: list[int]) -> None:
    assert to_signed(np.array(numbers, np.int32)).tolist() == signed
    assert from_signed(signed, unknown=-1) == numbers


@pytest.mark.parametrize("unknown", [-1, 0])
def test_an_unknown_head_is_whatever_it_is_to_be(unknown: int) -> None:
    signed: Sequence[int | None] = [None, 0, -2]
    assert from_signed(signed, unknown) == [unknown, 0, 4]


def test_views_have_virtual_nodes_by_numbers_below_none() -> None:
    assert [to_view(name) for name in NAMES] == [0, 1, 2, 3, -1, -2, LATER]
    assert [from_view(to_view(name), {1: "NOUN", 2: "VERB"}) for name in NAMES] == NAMES
    assert from_view(None, {}) == LATER
