from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest

from treewhile.incremental.completeness import AT_ENDS, ENDED, NOT_BEGUN, WITHIN, Completeness
from treewhile.oracles.errors import InputError

DOUBTFUL = Completeness(0.6, 0.2)
SILENCES = [0, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 60, 1e6]


def test_without_a_silence_the_words_alone_count() -> None:
    assert DOUBTFUL.after(0) == pytest.approx(DOUBTFUL)


def test_the_longer_nobody_speaks_the_likelier_it_is_that_the_sentence_has_ended() -> None:
    heard = [DOUBTFUL.after(silence) for silence in SILENCES]
    assert all(before.ends < after.ends for before, after in pairwise(heard[:-1]))
    assert all(before.may_end <= after.may_end for before, after in pairwise(heard))
    assert heard[-1].ends == pytest.approx(1)


def test_it_never_ends_where_it_may_not() -> None:
    for silence in SILENCES:
        may_end, ends = Completeness(0.3, 0.25).after(silence)
        assert 0 <= ends <= may_end <= 1


def test_a_silence_adds_to_the_odds_what_pauses_say() -> None:
    ends = DOUBTFUL.after(0.7).ends
    odds = 0.2 / 0.8 * AT_ENDS.outlasts(0.7) / WITHIN.outlasts(0.7)
    assert ends / (1 - ends) == pytest.approx(odds)


def test_where_it_goes_on_a_silence_says_nothing_of_what_could_be() -> None:
    may_end, ends = DOUBTFUL.after(0.7)
    assert (may_end - ends) / (1 - ends) == pytest.approx(0.4 / 0.8)


@pytest.mark.parametrize("sure", [ENDED, NOT_BEGUN])
def test_what_is_sure_stays_so(sure: Completeness) -> None:
    assert [sure.after(silence) for silence in SILENCES] == [sure] * len(SILENCES)


@pytest.mark.parametrize("silence", [-0.1, inf, nan])
def test_silences_that_cannot_be_are_refused(silence: float) -> None:
    with pytest.raises(InputError, match="give a number from 0 on"):
        DOUBTFUL.after(silence)


def test_every_gap_is_of_some_kind_and_none_outlasts_nothing_more_often_than_always() -> None:
    for gaps in (WITHIN, AT_ENDS):
        lasting = [gaps.outlasts(silence) for silence in SILENCES]
        assert lasting[0] == pytest.approx(1)
        assert lasting == sorted(lasting, reverse=True)
    assert WITHIN.outlasts(1e6) == pytest.approx(0)
