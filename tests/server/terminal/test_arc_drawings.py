from __future__ import annotations

from itertools import combinations

import pytest
from every_tree import all_trees, cross

from treewhile.server.terminal.drawings import draw_arcs


def drawn(forms: str, *heads: int) -> list[str]:
    return draw_arcs(forms.split(), heads).split("\n")


def test_an_arc_runs_from_the_head_to_an_arrow_over_the_child() -> None:
    assert drawn("she sleeps", 2, 0) == ["  ╭────────╮", "  │   ╭───╮│", "  │   ▼   │▼", "root she sleeps"]


def test_arcs_of_one_head_to_one_side_share_its_line() -> None:
    assert drawn("old red cars", 3, 3, 0) == [
        "  ╭───────────╮",
        "  │   ╭──────╮│",
        "  │   │   ╭──┤│",
        "  │   ▼   ▼  │▼",
        "root old red cars",
    ]


def test_arcs_that_cross_can_be_seen_to() -> None:
    assert any("┼" in line for line in drawn("a b c d", 3, 4, 0, 3))
    assert not any("┼" in line for line in drawn("a b c d", 3, 3, 0, 3))


@pytest.mark.parametrize("n", range(1, 6))
def test_lines_cross_exactly_where_edges_do(n: int) -> None:
    for heads in all_trees(n):
        edges = [(head, word) for word, head in enumerate(heads, 1)]
        do_cross = any(cross(one, other) for one, other in combinations(edges, 2))
        assert do_cross == ("┼" in draw_arcs("x" * n, heads)), heads


@pytest.mark.parametrize("n", range(1, 5))
def test_lines_from_what_is_still_to_come_cross_exactly_where_edges_do(n: int) -> None:
    for heads in all_trees(n + 1):
        drawn_heads = [*heads[:-1], None]
        edges = [(head, word) for word, head in enumerate(heads[:-1], 1)]
        do_cross = any(cross(one, other) for one, other in combinations(edges, 2))
        assert do_cross == ("┼" in draw_arcs("x" * n + "…", drawn_heads)), heads


def test_an_arc_beyond_the_head_of_its_head_leaves_on_the_other_side() -> None:
    assert drawn("d g h", 3, 0, 2) == [
        "      ╭────────╮",
        "  ╭───┼───╮╭──╮│",
        "  │   ▼   ▼│  ▼│",
        "root  d   g   h",
    ]


def test_words_of_double_width_have_their_arrows_above_them() -> None:
    assert drawn("漢字漢字 x", 0, 1) == ["  ╭─────╮╭─────╮", "  │     ▼│     ▼", "root 漢字漢字  x"]


def test_a_sentence_without_words_has_nothing_but_its_root() -> None:
    assert drawn("") == ["", "root"]


def test_a_word_without_a_head_has_no_arc() -> None:
    assert draw_arcs(["a", "b"], [2, None]).split("\n") == ["      ╭──╮", "      ▼  │", "root  a   b"]
