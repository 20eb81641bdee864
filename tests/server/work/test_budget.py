"""What the schedule and the refinements make of crowds, on a simulated clock; see docs/explanation/budget.md.

A processor a tenth as fast has a tenth of the people.
"""

from __future__ import annotations

from simulated_server import Costs, Server, Told, simulated, typists_for

from treewhile.server.work.scheduling import BUDGET

COSTS = Costs().times(10)


def test_while_there_is_time_all_is_done() -> None:
    told = simulated(6, 8, COSTS)
    assert (told.lost, told.parsed_in_time, told.ends_parsed_within(0.3)) == (0, 1, 1)
    assert told.wait(99) < 0.05


def test_under_overload_nothing_is_lost_and_first_analyses_go_first() -> None:
    told = simulated(100, 6, COSTS)
    assert told.strokes > 1000
    assert told.lost == 0
    assert told.refining_seconds / told.loop_seconds < BUDGET


def test_sentences_that_end_have_their_best_parse_where_not_all_words_can() -> None:
    told = simulated(120, 6, Costs().times(3))
    assert told.parsed_in_time < 0.6
    assert told.ends_parsed_within(0.3) > 0.8


def test_nobody_starves() -> None:
    told, crowd = Told(0.0), typists_for(60, 30)
    Server(COSTS, crowd, told).run(30)
    assert told.wait(50) > 0.1, "there is too much to do"
    assert all(typist.parsed_at for typist in crowd)


def test_after_most_have_left_all_that_stands_is_settled_again_within_seconds() -> None:
    told = Told(0.0)
    leaving, staying = typists_for(50, 4, seed=1), typists_for(6, 14, seed=2)
    server = Server(COSTS, [*staying, *leaving], told)
    server.run(4)
    assert told.wait(99) > 0.1, "there is too much to do"
    server.run(14)
    assert all(word.parsed for word in told.words)
    server.run(16)
    assert told.lost == 0
    sentences = [sentence for typist in (*staying, *leaving) for sentence in typist.sentences]
    assert all(sentence.settled for sentence in sentences if sentence.words)
