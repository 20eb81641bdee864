from __future__ import annotations

from treewhile.server.terminal.arc_drawings import draw_arcs


def drawn(forms: str, *heads: int) -> list[str]:
    return draw_arcs(forms.split(), heads).split("\n")


def test_an_arc_runs_from_the_head_to_an_arrow_over_the_child() -> None:
    assert drawn("she sleeps", 2, 0) == [
        "  ╭────────╮",
        "  │   ╭───╮│",
        "  │   ▼   │▼",
        "root she sleeps",
    ]


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


def test_words_of_double_width_have_their_arrows_above_them() -> None:
    assert drawn("漢字漢字 x", 0, 1) == [
        "  ╭─────╮╭─────╮",
        "  │     ▼│     ▼",
        "root 漢字漢字  x",
    ]


def test_a_sentence_without_words_has_nothing_but_its_root() -> None:
    assert drawn("") == ["", "root"]


def test_a_word_without_a_head_has_no_arc() -> None:
    assert draw_arcs(["a", "b"], [2, None]).split("\n") == ["      ╭──╮", "      ▼  │", "root  a   b"]
