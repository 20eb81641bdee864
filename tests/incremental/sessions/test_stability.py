from __future__ import annotations

from cases import each

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.sessions.standing import (
    bonus_at,
    closed_length,
    confidence_at,
    delay_at,
    preference,
    stable_length,
)


def analysis(heads: list[Head]) -> Analysis:
    n = len(heads)
    labels = tuple("root" if head == 0 else f"l{word}" for word, head in enumerate(heads))
    return Analysis(("w",) * n, ("X",) * n, ("_",) * n, tuple(heads), labels)


@each(
    "heads, confidences, firm, stability, stable",
    [
        ([2, 0, 5, 5, 2, 2], [1.0] * 6, 6, 0.0, 0),
        ([2, 0, 5, 5, 2, 2], [1.0] * 6, 6, 1.0, 5),
        ([2, 0, 5, 5, 2, 2, 7, 7], [1.0] * 8, 8, 1.0, 7),
        ([2, 0, 5, 5, 2, 2, 7, 7], [1.0] * 8, 8, 0.5, 2),
        ([2, 0, 5, 5, 2, 2, 7, 7], [1.0] * 8, 4, 1.0, 2),
        ([2, 0, 5, 5, 2, 2, 7, 7], [0.1, *[1.0] * 7], 8, 0.25, 0),
        ([2, 0, 5, 5, 2, 2, 7, 7], [0.1, *[1.0] * 7], 8, 0.5, 2),
        ([2, 0, 5, 5, 2, 2, 7, 7], [1.0, 1.0, None, *[1.0] * 5], 8, 1.0, 2),
        ([2, 0, LATER, 2, 2, 2, 7, 7], [1.0] * 8, 8, 1.0, 2),
        ([Virtual(1, "VERB"), 1, 1, 1], [1.0] * 4, 4, 1.0, 0),
    ],
)
def test_stable_words_are_sure_and_hang_on_each_other(
    heads: list[Head], confidences: list[float | None], firm: int, stability: float, stable: int
) -> None:
    assert stable_length(analysis(heads), confidences, firm, stability) == stable


def test_what_is_kept_of_stable_words_is_closed_under_heads() -> None:
    assert [closed_length(analysis([2, 0, 4, 2]), t) for t in range(5)] == [0, 0, 2, 2, 4]
    for head in (LATER, Virtual(1, "VERB")):
        assert [closed_length(analysis([2, 0, head]), t) for t in range(4)] == [0, 0, 2, 2]
        assert [closed_length(analysis([2, 0, head, 2]), t) for t in range(5)] == [0, 0, 2, 2, 2]


def test_preferences_fix_what_was_promised_and_want_the_rest_of_the_best_parse() -> None:
    best = analysis([2, 0, LATER])
    kept = preference(analysis([2, 0, LATER, 3]), 2, best, 0.5)
    assert ({*kept.fixed}, {*kept.wanted}, kept.words_before) == ({1, 2}, {3}, 3)
    assert kept.bonus > 0
    assert preference(best, 2, best, 0).wanted == {}


def test_the_dial_is_monotone() -> None:
    settings = [step / 20 for step in range(21)]
    for of_setting, grows in ((delay_at, False), (confidence_at, False), (bonus_at, True)):
        values = [*map(of_setting, settings)]
        assert values == sorted(values, reverse=not grows)
        assert values[0] != values[-1]
