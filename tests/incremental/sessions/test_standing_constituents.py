from __future__ import annotations

import random

from cases import each_seed
from made_up_phrases import made_up_phrases
from shells import SEEDS

from treewhile.incremental.sessions.standing_trees import (
    Constituents,
    carried_constituents,
    with_promised,
)
from treewhile.oracles.constituents.phrase_trees import Constituent

S, NP, VP = Constituent("S", 1, None), Constituent("NP", 1, 2), Constituent("VP", 3, None)


def of(*constituents: tuple[str, int, int | None]) -> Constituents:
    return tuple(Constituent(*one) for one in constituents)


def test_open_constituents_take_in_what_comes_and_others_stand() -> None:
    assert carried_constituents((S, NP, VP), [0, 1, 2, None, None], 3, is_whole=False) == (S, NP, VP)


def test_in_a_whole_sentence_none_is_open() -> None:
    whole = carried_constituents((S, NP, VP), [0, 1, 2, None], 3, is_whole=True)
    assert whole == of(("S", 1, 4), ("NP", 1, 2), ("VP", 3, 4))


def test_what_comes_opens_the_one_that_has_all_words() -> None:
    ended = of(("S", 1, 3), ("NP", 1, 2), ("VP", 3, 3))
    assert carried_constituents(ended, [0, 1, 2], 3, is_whole=False) == ended
    assert carried_constituents(ended, [0, 1, 2, None], 3, is_whole=False) == (S, *ended[1:])
    assert carried_constituents(ended, [0, 1, 2, None], 3, is_whole=True) == of(("S", 1, 4), *ended[1:])


def test_one_that_has_lost_its_last_words_is_open() -> None:
    whole = of(("S", 1, 5), ("NP", 1, 2), ("VP", 3, 5), ("NP", 4, 5))
    assert carried_constituents(whole, [0, 1, 2], 5, is_whole=False) == (S, NP, VP)
    assert carried_constituents(whole, [0, 1], 5, is_whole=False) == (S, NP)
    assert carried_constituents(whole, [], 5, is_whole=False) == ()


def test_words_that_come_in_the_middle_are_in_what_is_around_them() -> None:
    whole = of(("S", 1, 4), ("NP", 1, 2), ("VP", 3, 4))
    within = carried_constituents(whole, [0, None, 1, 2, 3], 4, is_whole=True)
    assert within == of(("S", 1, 5), ("NP", 1, 3), ("VP", 4, 5))
    between = carried_constituents(whole, [0, 1, None, 2, 3], 4, is_whole=True)
    assert between == of(("S", 1, 5), ("NP", 1, 2), ("VP", 4, 5))


def test_words_that_go_from_the_middle_take_their_constituents_along() -> None:
    whole = of(("S", 1, 5), ("NP", 1, 2), ("VP", 3, 5), ("NP", 4, 5))
    assert carried_constituents(whole, [2, 3, 4], 5, is_whole=True) == of(
        ("S", 1, 3), ("VP", 1, 3), ("NP", 2, 3)
    )


@each_seed(SEEDS)
def test_what_is_carried_is_a_tree_of_the_words_that_there_are(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(200):
        before, is_open = source.randint(1, 9), source.random() < 0.5
        constituents = made_up_phrases([str(source.random())] * before, is_open)
        kept = sorted(source.sample(range(before), source.randint(0, before)))
        places: list[int | None] = [*kept]
        for _ in range(source.randint(0, 3)):
            places.insert(source.randint(0, len(places)), None)
        carried = carried_constituents(constituents, places, before, is_whole=not is_open)
        check_tree(carried, len(places))
        assert is_open or all(one.last for one in carried)


@each_seed(SEEDS)
def test_promised_ones_stand_in_a_tree_with_those_that_were_found(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(200):
        words = [str(source.random())] * source.randint(1, 9)
        shown = made_up_phrases(words, is_open=True)
        found = made_up_phrases([*words, "more"], is_open=source.random() < 0.5)
        promised = source.randint(0, len(words))
        put_together = with_promised(found, shown, promised)
        check_tree(put_together, len(words) + 1)
        kept = [one for one in shown if one.last is not None and one.last <= promised]
        assert not {*kept} - {*put_together}
        if not kept:
            assert put_together == found
        assert with_promised(put_together, shown, promised) == put_together


def check_tree(constituents: Constituents, words: int) -> None:
    """Outer ones come first, and none crosses another one."""
    spans = [(one.first, words + 1 if one.last is None else one.last) for one in constituents]
    assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))
    for first, last in spans:
        assert 1 <= first <= last
        assert first <= words
        assert last <= words or last == words + 1
        assert not any(first < other_first <= last < other_last for other_first, other_last in spans)
