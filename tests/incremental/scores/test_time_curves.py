from __future__ import annotations

import io
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.evaluation import gold_words, stream_sentence
from treewhile.incremental.scores.stream_scores import StreamCounts, count_stream
from treewhile.incremental.scores.time_curves import TimedCounts, TimedSentence, curves_report, time_sentence
from treewhile.incremental.scores.timed_parses import SYSTEMS, TimedParses
from treewhile.incremental.scores.word_schedules import SCHEDULES, same_for_all
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences

Draw = Callable[[random.Random, int], Sequence[str]]
SCHEDULE = {"0.001": partial(same_for_all, seconds=1e-6), "inf": partial(same_for_all, seconds=math.inf)}


@pytest.fixture(scope="module")
def gold(random_words: Draw) -> list[Sentence]:
    """Sentences of random words and trees."""
    source = random.Random(7)
    stream = io.BytesIO(
        "".join(tree(source, random_words(source, length)) for length in (1, 2, 3, 8, 21)).encode()
    )
    stream.name = "gold.conllu"
    return list(read_sentences(stream))


def tree(source: random.Random, forms: Sequence[str]) -> str:
    rows = []
    for number, form in enumerate(forms, 1):
        head = source.randrange(1, number) if number > 1 else 0
        label = source.choice(["nsubj", "nsubj:pass", "det"]) if head else "root"
        rows.append(f"{number}\t{form}\t_\tNOUN\t_\t_\t{head}\t{label}\t_\t_\n")
    return "".join(rows) + "\n"


@pytest.fixture(scope="module")
def timed(model: Model, gold: list[Sentence]) -> list[TimedSentence]:
    parses = TimedParses(model, time.perf_counter)
    return [time_sentence(parses, sentence, SCHEDULE) for sentence in gold]


def test_without_a_limit_the_counts_are_those_of_a_stream(
    timed: list[TimedSentence], gold: list[Sentence], model: Model
) -> None:
    for one, sentence in zip(timed, gold, strict=True):
        stream, found = stream_sentence(model, sentence, time.perf_counter), one.counts["inf"]
        assert found["best"].labelled == stream.labelled["best"]
        assert found["best"].unlabelled == stream.unlabelled["best"]
        at_once = [*_said_at_once(model, [word.form for word in sentence.words])]
        assert found["first"].labelled == count_stream(gold_words(sentence), at_once)
        assert found["first"].unlabelled == count_stream(gold_words(sentence), at_once, labelled=False)


def _said_at_once(model: Model, forms: Sequence[str]) -> Iterator[list[Decision]]:
    parse = GrowingParse(model)
    for word in forms:
        parse.append(word)
        if parse.word_count == len(forms):
            parse.close()
        yield [Decision(head, label.partition(":")[0]) for head, label in parse.at_once()[0].decisions]


def test_the_report_has_every_metric_by_name(timed: list[TimedSentence]) -> None:
    report = json.loads(json.dumps(curves_report(timed, "time_limits")))
    assert [*report["time_limits"]] == ["0.001", "inf"]
    for curves in (report["time_limits"], report["lengths"]["3-20"]["time_limits"]):
        for systems in curves.values():
            assert [*systems] == [*SYSTEMS]
            for system in systems.values():
                assert set(system["labelled"]) == set(system["unlabelled"]) == {*StreamCounts().shares}
                assert system["settled"] + system["cut_short"] == pytest.approx(1)
                assert set(system["milliseconds_over"]) == {"p50", "p99"}
    assert (report["lengths"]["3-20"]["sentences"], report["lengths"]["3-20"]["words"]) == (2, 11)


def test_all_is_settled_and_nothing_late_without_a_limit(timed: list[TimedSentence]) -> None:
    for system in curves_report(timed, "time_limits")["time_limits"]["inf"].values():
        assert (system["settled"], system["late"]) == (1, 0)


def test_next_to_nothing_is_settled_in_a_microsecond(timed: list[TimedSentence]) -> None:
    systems = curves_report(timed, "time_limits")["time_limits"]["0.001"]
    assert {name: system["settled"] for name, system in systems.items() if name != "search"} == {
        "first": 1,
        "best": 0,
        "search_with": 0,
    }


def test_the_report_of_no_sentences_has_no_shares() -> None:
    assert curves_report([], "schedules")["lengths"]["3-20"] == {"sentences": 0, "words": 0, "schedules": {}}
    assert TimedCounts().as_json()["late"] is None


def test_counts_add_up() -> None:
    one = TimedCounts(StreamCounts(words=2), StreamCounts(words=2), 1, (0.0, 0.002))
    both = (one + one).as_json()
    assert (both["settled"], both["cut_short"], both["late"]) == (0.5, 0.5, 0.5)
    assert both["milliseconds_over"]["p50"] == pytest.approx(1)


def test_words_that_are_pasted_have_no_time_but_the_sentence_has(model: Model, gold: list[Sentence]) -> None:
    parses = TimedParses(model, time.perf_counter)
    counts = time_sentence(parses, gold[3], {"paste": SCHEDULES["paste"]}).counts["paste"]
    assert counts["best"].settled == counts["search_with"].settled == 1
    assert (
        counts["best"].labelled.final
        == stream_sentence(model, gold[3], time.perf_counter).labelled["best"].final
    )
