from __future__ import annotations

from collections.abc import Iterator

import pytest

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions.messages import AnalysisMessage
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

SENTENCE = ["the", "old", "dog", "barks", "."]


def said(analyses: Iterator[AnalysisMessage]) -> list[tuple[int, str]]:
    return [(len(analysis.words), analysis.stage) for analysis in analyses]


# --- by hand ----------------------------------------------------------------------------------------------


def test_words_are_answered_one_by_one_and_the_sentence_at_the_end(model: Model) -> None:
    analyses = [*Session(model).run(SENTENCE, time_limit=None)]
    stages = [(t, stage) for t in range(1, 6) for stage in ("initial", "settled")]
    assert said(iter(analyses)) == [*stages, (5, "initial"), (5, "final")]
    assert [word.head for word in analyses[-1].words] == [*model.parse(SENTENCE).heads]


def test_a_text_is_answered_as_if_it_were_typed(model: Model) -> None:
    analyses = [*Session(model).run("the old dog\n\nbarks.", time_limit=None)]
    ends = {analysis.sentence: analysis for analysis in analyses}
    assert [ends[place].stage for place in (0, 1)] == ["final", "final"]
    assert [word.form for word in ends[1].words] == ["barks", "."]


def test_words_may_come_from_anywhere_and_the_rest_need_not_be_heard(model: Model) -> None:
    taken = []

    def words() -> Iterator[str]:
        for word in SENTENCE:
            taken.append(word)
            yield word

    session = Session(model)
    analyses = session.run(words(), time_limit=None)
    assert len(next(analyses).words) == 1
    analyses.close()
    assert taken == ["the"]
    assert [*session.run(SENTENCE, time_limit=None)][-1].stage == "final"


def test_the_clock_is_the_callers(model: Model) -> None:
    times = iter(range(1000))
    analyses = [*Session(model).run(SENTENCE, time_limit=0.5, clock=lambda: float(next(times)))]
    assert all(analysis.cut_short for analysis in analyses)
    assert analyses[-1].stage == "final"


def test_what_is_no_word_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="word 1 is ' '"):
        [*Session(model).run(["the", " "])]


class Tireless:
    """Searches until it is interrupted."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        while not interrupt.is_set:
            pass
        return SearchResult(request.previous, 0.0, is_settled=False)


def test_a_search_without_end_is_stopped_when_its_time_is_up(model: Model) -> None:
    analyses = [*Session(model, Tireless()).run(SENTENCE, time_limit=0.05)]
    last = {len(analysis.words): analysis for analysis in analyses}
    assert [last[t].cut_short for t in range(1, 6)] == [True] * 5
    assert last[5].stage == "final"
