"""Sentences against time: without a limit all is as in a stream, and within one nothing late counts."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import pytest

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.timed_parses import SYSTEMS, Standing, TimedParses
from treewhile.oracles import InputError

Draw = Callable[[random.Random, int], Sequence[str]]


@pytest.fixture(scope="module")
def parses(model: Model) -> TimedParses:
    return TimedParses(model, time.perf_counter)


def without_limit(parses: TimedParses, system: str, words: Sequence[str]) -> list[Standing]:
    return parses.sentence(system, words, [math.inf] * len(words))


@pytest.fixture
def words(random_words: Draw) -> Sequence[str]:
    return random_words(random.Random(3), 9)


def grown(model: Model, words: Sequence[str]) -> Iterator[GrowingParse]:
    growing = GrowingParse(model)
    for word in words:
        growing.append(word)
        if len(growing.words) == len(words):
            growing.close()
        yield growing


def at_once(model: Model, words: Sequence[str]) -> list[list[Decision]]:
    return [growing.at_once()[0].decisions for growing in grown(model, words)]


def best(model: Model, words: Sequence[str]) -> list[list[Decision]]:
    return [growing.best().decisions for growing in grown(model, words)]


@pytest.mark.parametrize(("system", "expected"), [("first", at_once), ("best", best)])
def test_without_a_limit_a_stream_is_what_it_always_was(
    system: str, expected: Callable[..., object], parses: TimedParses, model: Model, random_words: Draw
) -> None:
    for length in (1, 2, 5, 13):
        words = random_words(random.Random(length), length)
        found = without_limit(parses, system, words)
        assert [prefix.decisions for prefix in found] == expected(model, words)
        assert all(prefix.is_settled for prefix in found)


def test_without_a_limit_every_search_is_settled(parses: TimedParses, words: Sequence[str]) -> None:
    for system in ("search", "search_with"):
        found = without_limit(parses, system, words)
        assert all(prefix.is_settled for prefix in found)
        again = without_limit(parses, system, words)
        assert [prefix.decisions for prefix in again] == [prefix.decisions for prefix in found]


def test_with_no_time_at_all_the_first_analysis_stands(
    parses: TimedParses, model: Model, words: Sequence[str]
) -> None:
    in_time = at_once(model, words)[:-1]
    for system in ("first", "best", "search_with"):
        found = parses.sentence(system, words, [0.0] * len(words))
        assert [prefix.decisions for prefix in found[:-1]] == in_time
        assert all(isinstance(head, int) for head, _ in found[-1].decisions)
        assert {prefix.is_settled for prefix in found} == {system == "first"}


def test_what_was_known_stands_until_there_is_time_again(
    parses: TimedParses, model: Model, words: Sequence[str]
) -> None:
    seconds = [math.inf] * 4 + [0.0] * 2 + [math.inf] * 3
    found = [prefix.decisions for prefix in parses.sentence("best", words, seconds)]
    known, attached = best(model, words), at_once(model, words)
    assert found[:4] + found[6:] == known[:4] + known[6:]
    assert found[4] == known[3] + attached[4][4:]
    assert found[5] == known[3] + attached[5][4:]


def test_a_best_parse_that_comes_too_late_counts_for_nothing(model: Model, words: Sequence[str]) -> None:
    ticks: Iterator[int] = count()
    ticking = TimedParses(model, lambda: next(ticks) / 1000)  # each look at the clock takes a millisecond
    found = ticking.sentence("best", words, [0.0025] * len(words))
    assert [prefix.decisions for prefix in found[:-1]] == at_once(model, words)[:-1]
    assert not any(prefix.is_settled for prefix in found)


@pytest.mark.slow
def test_a_search_is_interrupted_when_time_is_over(model: Model, random_words: Draw) -> None:
    parses = TimedParses(model, time.thread_time)  # which does not go on while the machine stands still
    words = random_words(random.Random(5), 30)
    for system in ("search", "search_with"):
        unlimited = without_limit(parses, system, words)
        limit = max(prefix.seconds for prefix in unlimited) / 8
        found = parses.sentence(system, words, [limit] * len(words))
        cut = [prefix for prefix in found if not prefix.is_settled]
        assert cut, "some were cut short"
        assert sum(prefix.seconds for prefix in cut) < 5 * len(cut) * (limit + 0.02)


def test_all_systems_are_there_and_no_others(parses: TimedParses) -> None:
    assert {system: len(without_limit(parses, system, ["dog"])) for system in SYSTEMS} == dict.fromkeys(
        SYSTEMS, 1
    )


def test_a_model_on_gold_tags_is_refused(make_model: Callable[..., Model]) -> None:
    with pytest.raises(InputError, match="takes gold tags, which nobody types"):
        TimedParses(make_model(tags="gold"), time.perf_counter)


def test_a_word_that_is_none_is_refused(parses: TimedParses) -> None:
    with pytest.raises(InputError, match="a word is a text of"):
        without_limit(parses, "best", [" "])
