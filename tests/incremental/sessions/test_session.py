from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from reach import Reached
from shells import Shell, result_of

from treewhile.incremental.interrupts import Interrupt
from treewhile.incremental.parsers.analyses import LATER
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.model_files import read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import Conflict, Searcher, SearchRequest, SearchResult
from treewhile.incremental.sessions import document_parses
from treewhile.incremental.sessions.document_parses import WORDS_AT_ONCE
from treewhile.incremental.sessions.head_views import head_view
from treewhile.incremental.sessions.jobs import Attach, Rescore
from treewhile.incremental.sessions.messages import (
    MOST_DOCUMENTS,
    MOST_WORDS,
    AnalysisMessage,
    Append,
    AskAnalyses,
    AskSteps,
    Close,
    Edit,
    Finish,
    Gold,
    MovedMessage,
    Open,
    OptionChanges,
    Options,
    Revoke,
    Step,
    StepsMessage,
    Undo,
)
from treewhile.incremental.sessions.open_sentences import LONGEST_RESCORED
from treewhile.incremental.sessions.session import MOST_REFINING, Session
from treewhile.incremental.sessions.words_to_come import outlook_of
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.oracles import Configuration, InputError, is_projective, optimal_steps

Draw = Callable[[random.Random, int], Sequence[str]]
MakeModel = Callable[..., Model]
SENTENCE = ["the", "old", "dog", "barks", "."]
TEXT = "The children came with their teacher and the old dog barks at them because it sees a cat"
SEEDS = range(8)


def opened(model: Model, words: Sequence[str] = (), **options: Any) -> Shell:
    shell = Shell(Session(model))
    shell.send(Open("d", 1, words=[*words], options=OptionChanges(**options)))
    return shell


def last(shell: Shell, sentence: int = 0) -> AnalysisMessage:
    analysis = shell.client.sentences[sentence]
    assert analysis
    return analysis


def heads_of(analysis: AnalysisMessage) -> list[Any]:
    return [word.head for word in analysis.words]


# --- edits ------------------------------------------------------------------------------------------------


def draw_text_edit(source: random.Random, text: str, version: int) -> tuple[object, str]:
    start = source.choice([len(text), source.randint(0, len(text))])
    end = min(len(text), start + source.choice([0, 0, 1, 3, 12]))
    pieces = ["", "d", "dog", " ", ".", ". ", "The cat sees", "\n\n", " barks. ", "cannot", "🎉 ", "e\u0301"]
    new = "".join(source.choices(pieces, k=source.randint(0, 3)))
    wide = len(text[:start].encode("utf-16-le")) // 2, len(text[:end].encode("utf-16-le")) // 2
    return Edit("d", version, *wide, new), text[:start] + new + text[end:]


@pytest.mark.reaches(0.9)
@pytest.mark.parametrize("seed", SEEDS)
def test_edits_of_a_text_end_as_opening_the_final_text(
    seed: int, make_model: MakeModel, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    shell, text, now = Shell(Session(model), source), "The old dog", 0.0
    shell.send(Open("d", 0, text=text, positions="utf16"))
    for version in range(1, 30):
        event, text = draw_text_edit(source, text, version)
        now += source.choice([0.0, 0.1, 0.3])
        shell.session.tick(max(now, shell.session.wake_at or 0.0) if source.random() < 0.3 else now)
        shell.send(event)
        for _ in range(source.randint(0, 4)):
            if shell.jobs:
                shell.run_one()
        if source.random() < 0.2:
            assert shell.state("d") == fresh_text(model, text), (seed, version, text)
    shell.send(Finish("d", 30))
    assert shell.state("d") == fresh_text(model, text, is_finished=True), (seed, text)
    reached(shell.client.deltas)
    assert (sorted(shell.client.answered), shell.client.errors) == ([*range(31)], [])


def fresh_text(model: Model, text: str, is_finished: bool = False) -> list[dict[str, Any]]:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text=text, positions="utf16"))
    if is_finished:
        shell.send(Finish("d", 1))
    return shell.state("d")


@pytest.mark.reaches(0.9)
@pytest.mark.parametrize("seed", SEEDS)
def test_edits_of_words_end_as_opening_the_final_words(
    seed: int, make_model: MakeModel, random_words: Draw, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    shell, sentences = Shell(Session(model), source), [list[str]()]
    shell.send(Open("d", 0, words=[]))
    for version in range(1, 40):
        words = sum(map(len, sentences))
        if source.random() < 0.6:
            new = [*random_words(source, source.randint(0, 3))]
            shell.send(Append("d", version, new))
            sentences[-1] += new
        elif source.random() < 0.4:
            shell.send(Finish("d", version))
            sentences += [[]] if sentences[-1] else []
        else:
            count = source.randint(0, min(4, words))
            shell.send(Revoke("d", version, count))
            sentences = revoked(sentences, count)
        for _ in range(source.randint(0, 3)):
            if shell.jobs:
                shell.run_one()
        if source.random() < 0.2:
            assert shell.state("d") == fresh_words(model, sentences), (seed, version)
    assert shell.state("d") == fresh_words(model, sentences), seed
    reached(shell.client.deltas)
    assert (sorted(shell.client.answered), shell.client.errors) == ([*range(40)], [])


def revoked(sentences: list[list[str]], count: int) -> list[list[str]]:
    sentences = [[*words] for words in sentences]
    while count:
        if not sentences[-1]:
            sentences.pop()
        sentences[-1].pop()
        count -= 1
    return sentences


def fresh_words(model: Model, sentences: list[list[str]]) -> list[dict[str, Any]]:
    shell, version = Shell(Session(model)), 0
    shell.send(Open("d", 0, words=[]))
    for place, words in enumerate(sentences):
        version += 2
        shell.send(Append("d", version - 1, words))
        if place < len(sentences) - 1:
            shell.send(Finish("d", version))
    return shell.state("d")


def test_a_settled_analysis_is_the_best_parse(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.send(Finish("d", 2))
    shell.settle()
    best = model.parse(SENTENCE)
    analysis = last(shell)
    assert [(w.form, w.tag, w.features, w.head, w.label) for w in analysis.words] == [
        *zip(best.words, best.tags, best.features, best.heads, best.labels, strict=True)
    ]
    assert (analysis.stage, analysis.levels, analysis.stable_upto) == ("final", ["L0", "L1"], 5)
    assert all(0 <= word.confidence <= 1 for word in analysis.words if word.confidence is not None)


def test_only_the_touched_sentence_is_parsed_again(model: Model) -> None:
    shell = Shell(Session(model))
    text = "\n\n".join(["The dog barks"] * 10)
    shell.send(Open("d", 0, text=text))
    shell.settle()
    before = len(shell.client.analyses)
    at = text.index("dog", 60)
    shell.send(Edit("d", 1, at, at + 4, "cat "))
    jobs = []
    while shell.jobs:
        jobs.append(shell.run_one())
    assert [job.level for job in jobs] == ["L0", "L1"]
    assert {analysis.sentence for analysis in shell.client.analyses[before:]} == {4}


def test_sentences_that_come_and_go_are_told(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="the dog\n\nthe cat\n\nold"))
    shell.settle()
    assert [heads and heads.words[-1].form for heads in shell.client.sentences] == ["dog", "cat", "old"]
    shell.send(Edit("d", 1, 9, 18, ""))
    shell.settle()
    assert [last(shell, place).words[-1].form for place in range(2)] == ["dog", "old"]
    assert len(shell.client.sentences) == 2
    shell.send(AskAnalyses("d"))
    assert last(shell, 1).start == 9


def test_an_edit_without_words_has_an_answer(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 7, text=""))
    shell.settle()
    shell.send(Edit("d", 9, 0, 0, "  "))
    shell.settle()
    assert shell.client.answered == [7, 9]


def test_overtaken_versions_are_answered_by_number(model: Model) -> None:
    shell = opened(model)
    for version, word in enumerate(SENTENCE, 2):
        shell.send(Append("d", version, [word]))
    shell.settle()
    assert shell.client.answered == [1, 2, 3, 4, 5, 6]
    first = shell.client.analyses[0]
    assert (first.version, first.answers, len(first.words)) == (6, [2, 3, 4, 5, 6], 5)


# --- stages, levels, options ------------------------------------------------------------------------------


def test_the_stages_of_a_word_come_in_their_order(model: Model) -> None:
    shell = opened(model, ["dog"])
    shell.settle()
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    shell.send(Finish("d", 3))
    shell.settle()
    assert [analysis.stage for analysis in shell.client.analyses] == [
        *("initial", "settled"),
        *("initial", "settled"),
        *("initial", "final"),
    ]
    assert shell.client.deltas > 0


def test_a_sentence_is_final_once_the_next_one_has_come(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="the dog barks"))
    shell.settle()
    assert last(shell).stage == "settled"
    shell.send(Edit("d", 1, 13, 13, "\n\nthe old cat sees the dog"))
    shell.settle()
    assert [last(shell, place).stage for place in (0, 1)] == ["final", "settled"]
    assert [last(shell, place).stable_upto for place in (0, 1)] == [3, 0]


def test_predictions_are_shown_as_they_are_asked_for(make_model: MakeModel) -> None:
    shell = opened(make_model(seed=3), SENTENCE * 2)
    shell.settle()
    virtual = last(shell)
    to_come = [isinstance(head, str) or head < 0 for head in heads_of(virtual)]
    assert any(isinstance(head, int) and head < 0 for head in heads_of(virtual))
    assert {node.node for node in virtual.virtual} >= {
        -head for head in heads_of(virtual) if head != LATER and head < 0
    }
    for prediction, shown in (("later", LATER), ("none", None)):
        shell.send(Options("d", OptionChanges(prediction=prediction)))
        heads = heads_of(last(shell))
        assert (last(shell).virtual, [head == shown for head in heads]) == ([], to_come)
        kept = [head for head, comes in zip(heads_of(virtual), to_come, strict=True) if not comes]
        assert [head for head in heads if head != shown] == kept


def test_the_committed_parse_alone_is_one_level(model: Model) -> None:
    shell = opened(model, SENTENCE, levels=["L0"])
    shell.settle()
    assert [(analysis.stage, analysis.levels) for analysis in shell.client.analyses] == [("settled", ["L0"])]
    shell.send(Options("d", OptionChanges(levels=["L0", "L1"])))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])


def test_a_sentence_too_long_for_the_best_parse_is_committed_alone(model: Model) -> None:
    shell = opened(model, ["dog"] * (LONGEST_RESCORED + 1))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0"])
    shell.send(Revoke("d", 2, 1))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])


def test_time_that_runs_out_cuts_work_short(model: Model) -> None:
    shell = opened(model, time_limit=0.5)
    shell.session.tick(10)
    shell.send(Append("d", 2, ["dog"]))
    while shell.jobs[0].level == "L0":
        shell.run_one()
    assert shell.session.wake_at == 10.5
    shell.session.tick(10.4)
    assert not last(shell).cut_short
    shell.session.tick(10.6)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short, last(shell).seconds) == ("initial", True, 0.6)
    shell.send(Finish("d", 3))
    shell.session.tick(20)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short) == ("final", True)
    assert shell.session.wake_at is None


def test_what_comes_together_is_said_once(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=SENTENCE))
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    messages = session.messages_to_send()
    assert [type(message).__name__ for message in messages] == ["SentencesMessage", "AnalysisMessage"]
    assert session.messages_to_send() == []


def test_jobs_tell_their_time_if_there_is_a_clock(model: Model) -> None:
    ticks = iter(range(100))
    session = Session(model, clock=lambda: float(next(ticks)))
    session.receive(Open("d", 1, words=SENTENCE))
    (job,) = session.jobs_to_run()
    job.run()
    assert job.seconds == 1


# --- long pastes ------------------------------------------------------------------------------------------


def test_a_long_paste_comes_out_sentence_by_sentence(make_model: MakeModel) -> None:
    shell = Shell(Session(make_model(seed=1)))
    shell.send(Open("d", 0, text="\n\n".join(["the old dog sees the old cat today ."] * 1200)))
    first = shell.run_one()
    shown = [analysis.sentence for analysis in shell.client.analyses]
    assert shown == [*range(len(shown))], "in their order"
    assert 0 < sum(len(analysis.words) for analysis in shell.client.analyses) <= WORDS_AT_ONCE
    assert isinstance(first, Attach)
    most = 0
    while shell.jobs:
        most = max(most, len(shell.jobs))
        shell.run_one()
    assert most <= MOST_REFINING + 1
    assert sum(len(last(shell, place).words) for place in range(1200)) == 1200 * 9
    assert {last(shell, place).stage for place in range(1199)} == {"final"}


def test_an_edit_comes_before_the_rest_of_a_paste(model: Model) -> None:
    shell = Shell(Session(model))
    text = "\n\n".join(["the old dog sees the old cat today ."] * 100)
    shell.send(Open("d", 0, text=text))
    job = shell.jobs[0]
    shell.send(Edit("d", 1, len(text), len(text), " barks"))
    assert job.interrupt.is_set
    for _ in range(3):
        shell.run_one()
    assert shell.client.answered == [0, 1]
    shell.settle()
    assert shell.state("d") == fresh_text(model, text + " barks")


def test_attaching_stops_after_any_word_and_goes_on(model: Model) -> None:
    shell = opened(model, SENTENCE)
    words = 0
    while shell.jobs and shell.jobs[0].level == "L0":
        shell.jobs[0].interrupt.set()
        shell.run_one()
        words += 1
    assert words == 5
    shell.settle()
    assert len(last(shell).words) == 5


def test_an_open_sentence_takes_little_room() -> None:
    words, model = ["The", "old", "dog", "sees", "a", "cat"] * 5, load_model("en")

    def grown() -> Session:
        shell = opened(model)
        for version, word in enumerate(words, 2):
            shell.send(Append("d", version, [word]))
            shell.settle()
        return shell.session

    grown()
    tracemalloc.start()
    session = grown()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert session.jobs_to_run() == []
    assert size <= 100 * 1024


# --- search -----------------------------------------------------------------------------------------------


class Relabelling:
    """Makes one more label "punct" at every call, and is pleased by each."""

    def __init__(self) -> None:
        self.requests: list[SearchRequest] = []

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        self.requests.append(request)
        assert request.previous
        labels, wrong = [*request.previous.labels], [1]
        left = [place for place, label in enumerate(labels) if label not in ("punct", "root")]
        for place in left[:1]:
            labels[place] = "punct"
            wrong = [place + 1]
        better = replace(request.previous, labels=tuple(labels))
        return SearchResult(
            better, -float(len(left)), (Conflict("odd", 0.5, tuple(wrong), "This is odd."),), len(left) < 2
        )


def test_a_search_is_called_until_it_is_settled(make_model: MakeModel) -> None:
    searcher = Relabelling()
    shell = Shell(Session(make_model(seed=2), searcher))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    stages = [analysis.stage for analysis in shell.client.analyses]
    assert stages == ["initial", *["improved"] * len(searcher.requests), "settled"]
    assert {word.label for word in last(shell).words} <= {"punct", "root"}
    assert last(shell).levels == ["L0", "L1", "L2"]
    assert last(shell).conflicts[0].constraint == "odd"
    scores = [analysis.score for analysis in shell.client.analyses if "L2" in analysis.levels]
    assert scores == sorted(scores, key=float)
    request = searcher.requests[0]
    assert request.words == tuple(SENTENCE)
    assert request.rescored.analysis.heads == request.previous.heads if request.previous else False


class Failing:
    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        raise RuntimeError("no luck")


def test_a_search_that_raises_leaves_what_was_known(model: Model) -> None:
    shell = Shell(Session(model, Failing()))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])
    (error,) = shell.client.errors
    assert (error.code, error.temporary) == ("failed", True)
    assert "RuntimeError: no luck" in error.message
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    assert len(last(shell).words) == 6


class Breaking:
    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        return SearchResult(replace(request.previous, words=("other",) * len(request.words)), 0.0)


def test_a_search_that_gives_something_else_is_refused(model: Model) -> None:
    shell = Shell(Session(model, Breaking()))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["failed"]
    assert [word.form for word in last(shell).words] == SENTENCE


class Patient:
    """Gives what it was given once it is interrupted, which it is in the test before it starts."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        while not interrupt.flag[0]:
            pass
        return SearchResult(request.previous, 0.0, is_settled=False)


def test_a_new_word_interrupts_a_search_and_a_late_one_is_waited_for(model: Model) -> None:
    shell = Shell(Session(model, Patient()))
    shell.send(Open("d", 1, words=["dog"]))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    (late,) = shell.jobs
    shell.jobs.clear()
    shell.send(Append("d", 2, ["barks"]))
    assert late.interrupt.is_set
    shell.settle()
    assert (last(shell).stage, len(last(shell).words)) == ("improved", 2), "the late search has not come back"
    shell.session.job_done(late, result_of(late))
    (search,) = shell.session.jobs_to_run()
    assert (search.level, search.version) == ("L2", 2)


def test_an_interrupt_before_anything_was_computed_gives_what_is_known(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=SENTENCE))
    (attach,) = session.jobs_to_run()
    attach.interrupt.set()
    session.job_done(attach, attach.run())
    jobs = session.jobs_to_run()
    while jobs[0].level == "L0":
        session.job_done(jobs[0], jobs[0].run())
        jobs = session.jobs_to_run()
    (rescore,) = jobs
    assert isinstance(rescore, Rescore)
    interrupt = Interrupt()
    interrupt.set()
    assert rescore.run(interrupt) is None
    session.job_done(rescore, None)
    (again,) = session.jobs_to_run()
    session.job_done(again, again.run())
    assert len(session.messages_to_send()) == 2


def test_work_that_fails_on_the_words_loses_the_document_alone(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Open("other", 1, words=["dog"]))
    job = shell.jobs.pop(0)
    shell.session.job_done(job, RuntimeError("out of memory"))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["lost"]
    assert shell.client.is_closed
    shell.send(Append("other", 2, ["barks"]))
    shell.settle()
    assert len(last(shell).words) == 2


def test_stale_results_are_dropped(model: Model) -> None:
    shell = opened(model, ["dog"])
    shell.run_one()
    rescore, result = shell.run_without_telling()
    shell.send(Append("d", 2, ["barks"]))
    shell.run_one()
    shell.session.job_done(rescore, result)
    shell.settle()
    assert all(len(analysis.words) == 2 for analysis in shell.client.analyses[1:])


def test_a_job_is_handed_in_once(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=["dog"]))
    (job,) = session.jobs_to_run()
    result = job.run()
    session.job_done(job, result)
    with pytest.raises(InputError, match="hand in each one once"):
        session.job_done(job, result)


# --- next steps -------------------------------------------------------------------------------------------


def test_next_steps_come_with_every_word_if_asked_for(model: Model) -> None:
    shell = opened(model, SENTENCE, streams=["analyses", "steps"], drift=0)
    shell.settle()
    steps = shell.client.steps[-1]
    assert (steps.n, steps.stack[0], steps.reference, steps.by_hand) == (5, 0, "best", False)
    assert 0 <= steps.share <= 1
    assert steps.entries_in_all is not None
    before = len(shell.client.steps)
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    assert shell.client.steps[-1].n == 6
    assert len(shell.client.steps) > before


def test_gold_heads_are_the_reference(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.send(Gold("d", 1, 0, [3, 3, 4, 0, 4]))
    shell.settle()
    assert shell.client.steps[-1].reference == "gold"
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    shell.send(AskSteps("d", 2, 0))
    shell.settle()
    assert (shell.client.steps[-1].reference, shell.client.steps[-1].n) == ("gold", 6)
    shell.send(Gold("d", 2, 0, None))
    shell.settle()
    assert shell.client.steps[-1].reference == "best"
    assert shell.client.errors == []


def test_a_walk_by_hand_along_the_optimal_steps_makes_the_gold_tree(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Finish("d", 2), Gold("d", 2, 0, [3, 3, 4, 0, 4]))
    shell.settle()
    while shell.client.steps[-1].front > 1:
        shell.send(Undo("d", 2, 0))
        shell.settle()
        assert shell.client.steps[-1].by_hand
    while optimal := shell.client.steps[-1].optimal:
        assert shell.client.steps[-1].share == 1
        shell.send(Step("d", 2, 0, optimal[0]))
        shell.settle()
    assert (shell.client.steps[-1].stack, shell.client.steps[-1].front) == ([0], 6)
    assert shell.client.errors == []


def test_the_parser_goes_on_once_the_last_step_by_hand_is_taken_back(model: Model) -> None:
    shell = opened(model, ["dog", "barks"], risk=1)
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    own = shell.client.steps[-1]
    shell.send(Step("d", 1, 0, "reduce_left"))
    shell.settle()
    assert shell.client.steps[-1].by_hand
    shell.send(Undo("d", 1, 0))
    shell.settle()
    assert (shell.client.steps[-1].stack, shell.client.steps[-1].by_hand) == (own.stack, False)


def test_an_edit_of_words_ends_what_is_done_by_hand_and_new_words_do_not(model: Model) -> None:
    shell = opened(model, ["dog", "barks"])
    shell.send(Step("d", 1, 0, "reduce_left"), Append("d", 2, ["the"]), AskSteps("d", 2, 0))
    shell.settle()
    assert shell.client.errors[0].code == "old_version", "words were appended before the step was taken"
    shell.send(Step("d", 2, 0, "reduce_left"))
    shell.settle()
    shell.send(Append("d", 3, ["cat"]), AskSteps("d", 3, 0))
    shell.settle()
    assert (shell.client.steps[-1].by_hand, shell.client.steps[-1].n) == (True, 4)
    shell.send(Revoke("d", 4, 1), AskSteps("d", 4, 0))
    shell.settle()
    assert not shell.client.steps[-1].by_hand


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_finished", [False, True])
def test_a_configuration_that_has_drifted_is_built_again(
    seed: int, is_finished: bool, make_model: MakeModel, random_words: Draw
) -> None:
    words = random_words(random.Random(seed), 9)
    shell = opened(make_model(seed=seed), words, streams=["steps"], drift=1, risk=1)
    if is_finished:
        shell.send(Finish("d", 2))
    shell.settle()
    steps = shell.client.steps[-1]
    assert steps.share == 1 or not steps.rebuilt
    assert not (steps.rebuilt and is_finished), "nothing is left to be gained"
    shell.send(Append("d", 3, ["dog"]), AskSteps("d", 3, 0))
    shell.settle()
    assert shell.client.errors == []
    shell.send(Revoke("d", 4, 1))
    plain = opened(make_model(seed=seed), words)
    if is_finished:
        plain.send(Finish("d", 2))
    plain.settle()
    shell.send(Options("d", OptionChanges(streams=["analyses"])))
    assert shell.state("d") == plain.state("d")


def test_some_configurations_are_built_again(make_model: MakeModel, random_words: Draw) -> None:
    rebuilt = 0
    for seed in SEEDS:
        words = random_words(random.Random(seed), 9)
        shell = opened(make_model(seed=seed), words, streams=["steps"], drift=1, risk=1)
        shell.settle()
        rebuilt += shell.client.steps[-1].rebuilt
    assert rebuilt


OPEN = ["The", "old", "dog", "that", "Peter", "sees"]


@pytest.fixture(scope="module")
def english() -> Model:
    return load_model("en")


def growing(model: Model, **options: Any) -> Iterator[tuple[Shell, StepsMessage]]:
    """A sentence word by word, with the steps after each."""
    shell = opened(model, [], **options)
    for version, word in enumerate(OPEN, 2):
        shell.send(Append("d", version, [word]))
        shell.settle()
        yield shell, shell.client.steps[-1]


def test_waiting_for_words_to_come_is_a_step_that_is_advised_and_named(english: Model) -> None:
    told = [steps for _, steps in growing(english, streams=["steps"], risk=1)]
    assert all(steps.shift is not None and steps.n == number for number, steps in enumerate(told, 1))
    assert all(steps.wait == (steps.front > steps.n) for steps in told)
    dog, that = told[2], told[3]
    assert (that.wait, that.optimal, that.reference, that.plan) == (True, ["shift"], "best", None)
    assert next(choice.says for choice in that.choices if choice.step == "shift") == "wait for a VERB"
    assert {choice.step for choice in dog.choices} == {
        step for step in ("shift", "reduce_left", "reduce_right") if getattr(dog, step) is not None
    }


def test_numbers_of_a_message_are_those_that_are_found_from_scratch(english: Model) -> None:
    for shell, steps in growing(english, streams=["analyses", "steps"], levels=["L0", "L1"]):
        analysis = english.rescore(Snapshot(tuple(OPEN[: steps.n]), tops_of(english, OPEN[: steps.n]), True))
        place = Configuration(tuple(steps.stack), steps.front, steps.n + 1)
        expected = optimal_steps(place, analysis.chances(), single_root=True)
        told = steps.expected
        assert told
        assert structs.astuple(told) == tuple(one and round(one, 4) for one in expected)
        assert steps.optimal == (["shift"] if "shift" in expected.best else [*expected.best])
        outlook = outlook_of(analysis.analysis, is_open=True)
        whole = Configuration(tuple(steps.stack), steps.front, len(outlook.heads))
        by_tree = optimal_steps(whole, outlook.heads, single_root=True)
        assert (steps.shift, steps.reduce_left, steps.reduce_right) == tuple(by_tree)
        known = optimal_steps(whole, outlook.known, single_root=True)
        assert structs.astuple(steps.known) == tuple(known)
        assert heads_of(last(shell))[: steps.n] == [
            head_view(one, "virtual") for one in analysis.analysis.heads
        ]


def tops_of(model: Model, words: Sequence[str]) -> Any:
    parse = GrowingParse(model)
    for word in words:
        parse.append(word)
    return parse.snapshot().tops


def test_nothing_is_expected_before_l1_has_judged_nor_at_the_end_nor_of_a_gold_tree(model: Model) -> None:
    shell = opened(model, SENTENCE, streams=["steps"], levels=["L0"])
    shell.settle()
    assert [steps.expected for steps in shell.client.steps] == [None]
    shell.send(Options("d", OptionChanges(levels=["L0", "L1"])))
    shell.settle()
    assert shell.client.steps[-1].expected is not None
    shell.send(Gold("d", 1, 0, [3, 3, 4, 0, 4]))
    shell.settle()
    gold = shell.client.steps[-1]
    assert (gold.expected, gold.wait, gold.reference, gold.optimal) == (None, False, "gold", gold.best)
    assert structs.astuple(gold.known) == (gold.shift, gold.reduce_left, gold.reduce_right)
    shell.send(Gold("d", 1, 0, None), Finish("d", 2))
    shell.settle()
    final = shell.client.steps[-1]
    assert (final.expected, final.choices, final.optimal, final.wait) == (None, [], [], False)


def test_what_is_expected_can_be_asked_for_where_steps_are_not_streamed(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    streaming = opened(model, SENTENCE, streams=["steps"], drift=0)
    streaming.settle()
    asking = opened(model, SENTENCE, drift=0)
    asking.settle()
    snapshots, rescore = list[Snapshot](), Model.rescore

    def counted(model: Model, snapshot: Snapshot, *preference: Any) -> Any:
        snapshots.append(snapshot)
        return rescore(model, snapshot, *preference)

    monkeypatch.setattr(Model, "rescore", counted)
    for _ in range(2):
        asking.send(AskSteps("d", 1, 0))
        asking.settle()
        (*_, told) = asking.client.steps
        assert told.expected is not None
        assert told.expected == streaming.client.steps[-1].expected
    assert len(snapshots) == 1, "who streams no steps holds no more, until it asks"
    asking.send(Append("d", 2, ["cat"]))
    asking.settle()
    snapshots.clear()
    asking.send(AskSteps("d", 2, 0))
    asking.settle()
    assert len(snapshots) == 1, "what was held was about other words"
    asking.send(Finish("d", 3))
    asking.settle()
    asking.send(AskSteps("d", 3, 0))
    asking.settle()
    assert asking.client.steps[-1].expected is None, "nothing is to come of a sentence that has ended"


def test_a_step_by_hand_waits_for_the_word_that_it_takes(model: Model) -> None:
    shell = opened(model, ["dog", "barks"])
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    while shell.client.steps[-1].front > 1:
        shell.send(Undo("d", 1, 0))
        shell.settle()
    shell.send(Step("d", 1, 0, "shift"), Step("d", 1, 0, "shift"))
    shell.settle()
    assert shell.client.steps[-1].wait
    assert shell.client.steps[-1].shift is not None
    shell.send(Step("d", 1, 0, "shift"))
    (error,) = shell.client.errors
    assert (error.code, error.message) == (
        "bad_step",
        "shift would take word 3, which is not there yet: wait until it comes, or reduce",
    )
    shell.send(Append("d", 2, ["."]), Step("d", 2, 0, "shift"))
    shell.settle()
    assert (shell.client.steps[-1].stack[-1], shell.client.steps[-1].n) == (3, 3)
    assert len(shell.client.errors) == 1


def test_a_plan_comes_when_it_is_asked_for_and_leads_to_the_tree(english: Model) -> None:
    shell = opened(english, OPEN)
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    assert shell.client.steps[-1].plan is None
    shell.send(AskSteps("d", 1, 0, plan=True))
    shell.settle()
    steps = shell.client.steps[-1]
    assert steps.plan
    assert steps.plan[0].step in steps.best
    assert all(step.says for step in steps.plan)
    shown = {number: word.head for number, word in enumerate(last(shell).words, 1)}
    shown |= {-one.node: one.head for one in last(shell).virtual}
    made = [step for step in steps.plan if step.child is not None and shown.get(step.child) == step.head]
    assert len(made) == max(getattr(steps, step) for step in steps.best)
    assert any(step.says.startswith("wait for") for step in steps.plan)
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    assert shell.client.steps[-1].plan is None


def test_a_plan_is_not_lost_where_another_answer_comes_before_it_is_told(model: Model) -> None:
    shell = opened(model, SENTENCE, drift=0)
    shell.settle()
    shell.session.receive(AskSteps("d", 1, 0, plan=True))
    for request in (None, Gold("d", 1, 0, [3, 3, 4, 0, 4])):
        if request:
            shell.session.receive(request)
        (follow,) = shell.session.jobs_to_run()
        shell.session.job_done(follow, follow.run())
    (told,) = shell.session.messages_to_send()
    assert isinstance(told, StepsMessage)
    assert (told.reference, told.plan is None) == ("gold", False)


def test_a_stream_of_plans_is_one_of_steps(model: Model) -> None:
    shell = opened(model, SENTENCE, streams=["plan"])
    shell.settle()
    assert [steps.plan is not None for steps in shell.client.steps] == [True] * len(shell.client.steps)
    assert len(shell.client.steps) >= 2


def test_the_plan_of_a_gold_tree_makes_it(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Gold("d", 1, 0, [3, 3, 4, 0, 4]), AskSteps("d", 1, 0, plan=True))
    shell.settle()
    while shell.client.steps[-1].front > 1:
        shell.send(Undo("d", 1, 0))
        shell.settle()
    shell.send(AskSteps("d", 1, 0, plan=True))
    shell.settle()
    plan = shell.client.steps[-1].plan
    assert plan
    assert {step.child: step.head for step in plan if step.child} == {1: 3, 2: 3, 3: 4, 4: 0, 5: 4}


def test_another_risk_makes_the_committed_parse_of_an_open_sentence_again(english: Model) -> None:
    shell = opened(english, [*OPEN, "barks"], streams=["analyses", "steps"], risk=1, drift=0)
    shell.settle()
    hasty = shell.client.steps[-1]
    shell.send(Options("d", OptionChanges(risk=0)))
    shell.settle()
    fresh = opened(english, [*OPEN, "barks"], streams=["analyses", "steps"], risk=0, drift=0)
    fresh.settle()
    told = shell.client.steps[-1]
    assert committed(shell) == committed(fresh)
    assert len(told.stack) + told.front != len(hasty.stack) + hasty.front or told.stack != hasty.stack
    assert not told.rebuilt
    assert shell.client.errors == []
    shell.send(Append("d", 2, ["loudly"]))
    fresh.send(Append("d", 2, ["loudly"]))
    assert shell.state("d") == fresh.state("d")


def test_with_a_delay_the_risk_changes_nothing(english: Model) -> None:
    shell = Shell(Session(english, delay=1))
    shell.send(Open("d", 1, words=OPEN))
    shell.settle()
    before = committed(shell)
    shell.send(Options("d", OptionChanges(risk=0)))
    shell.settle()
    assert committed(shell) == before


def committed(shell: Shell) -> object:
    """Where the committed parse of the first sentence stands, and what each step would make and lose."""
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    told = shell.client.steps[-1]
    return told.stack, told.front, told.choices


@pytest.mark.parametrize("seed", range(20))
def test_whatever_comes_in_whatever_order_every_version_is_answered(
    seed: int, make_model: MakeModel, random_words: Draw
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    shell, answered = Shell(Session(model), source), [0]
    options = OptionChanges(
        streams=["analyses", "steps"], drift=0.9, stability=source.choice([0.0, 1.0]), time_limit=0.5
    )
    shell.send(Open("d", 0, words=[], options=options))
    for version in range(1, 80):
        for _ in range(source.randint(0, 3)):
            shell.send(random_request(source, version - 1))
            shell.session.tick(version)
            if shell.jobs:
                shell.run_one()
        event = source.choice(
            [
                Append("d", version, [*random_words(source, source.randint(0, 3))]),
                Append("d", version, [*random_words(source, 1)]),
                Revoke("d", version, source.randint(0, 3)),
                Finish("d", version),
            ]
        )
        before = len(shell.client.errors)
        shell.send(event)
        answered += [version] if len(shell.client.errors) == before else []
    shell.settle()
    assert sorted(shell.client.answered) == answered
    assert not [error for error in shell.client.errors if error.code in ("failed", "lost", "bad_event")]


def random_request(source: random.Random, version: int) -> object:
    about = "d", source.choice([version, version - 1, version]), source.randrange(3)
    if about[1] < 0:
        return AskAnalyses("d")
    return source.choice(
        [
            Gold(*about, source.choice([None, [0], [2, 0], [None, None, 0]])),
            Step(*about, source.choice(["shift", "reduce_left", "reduce_right"])),
            Undo(*about),
            AskSteps(*about, plan=source.random() < 0.5),
            Options(
                "d", OptionChanges(streams=source.choice([["analyses"], ["steps"], ["analyses", "plan"]]))
            ),
            Options("d", OptionChanges(risk=source.choice([0.0, 0.1, 1.0]))),
            Options("d", OptionChanges(prediction=source.choice(["none", "later", "virtual"]))),
            Options("d", OptionChanges(levels=source.choice([["L0"], ["L0", "L1"], ["L0", "L1", "L2"]]))),
        ]
    )


def test_steps_that_were_asked_for_are_told_though_a_word_came(model: Model) -> None:
    shell = opened(model, ["dog"], drift=0)
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    follow, result = shell.run_without_telling()
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    shell.session.job_done(follow, result)
    shell.send(AskAnalyses("d"))
    shell.settle()
    assert [steps.n for steps in shell.client.steps] == [2]


# --- stability --------------------------------------------------------------------------------------------


@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("stability", [0.3, 1])
@pytest.mark.parametrize("are_known", [False, True], ids=["any words", "known words"])
def test_what_is_declared_stable_holds(
    seed: int,
    stability: float,
    are_known: bool,
    make_model: MakeModel,
    english: Model,
    random_words: Draw,
    monkeypatch: pytest.MonkeyPatch,
    reached: Reached,
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.stability.LEAST_CONFIDENCE", 0.0)
    source = random.Random(seed)
    model, words = english if are_known else make_model(seed=seed), iter(TEXT.split() * 20)
    shell = opened(model, stability=stability, keep_promises=True)
    for version in range(2, 20):
        count = source.choice([1, 1, 3])
        new = islice(words, count) if are_known else random_words(source, count)
        shell.send(Append("d", version, [*new]))
        if source.random() < 0.8:
            shell.settle()
    shell.settle()
    shell.send(Finish("d", 20))
    shell.settle()
    check_promises(shell.client.analyses)
    reached(any(analysis.stable_upto and analysis.stage != "final" for analysis in shell.client.analyses))
    assert last(shell).stage == "final"
    assert is_projective(heads_of(last(shell)))
    assert heads_of(last(shell)).count(0) == 1


def check_promises(analyses: list[AnalysisMessage]) -> int:
    promised: list[Any] = []
    for analysis in analyses:
        arcs = [(word.head, word.label) for word in analysis.words]
        assert arcs[: len(promised)] == promised
        assert analysis.stable_upto >= len(promised)
        promised = arcs[: analysis.stable_upto]
        assert all(isinstance(head, int) and head <= analysis.stable_upto for head, _ in promised)
    return len(promised)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_keeps_its_promises_wherever_its_sentences_end(
    seed: int, make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.stability.LEAST_CONFIDENCE", 0.0)
    source = random.Random(seed)
    shell, at = Shell(Session(make_model(seed=seed))), 0
    shell.send(Open("d", 0, text="", options=OptionChanges(stability=1.0, keep_promises=True)))
    promised: dict[int, list[Any]] = {}
    for version in range(1, 60):
        piece = source.choice(["dog", " the", " sees", ". ", " old cat", "\n\n", " barks.", "not"])
        shell.send(Edit("d", version, at, at, piece))
        at += len(piece)
        shell.settle()
        for place in range(len(shell.client.sentences)):
            arcs = [(word.form, word.head, word.label) for word in last(shell, place).words]
            assert arcs[: len(promised.get(place, []))] == promised.get(place, []), (seed, version)
            promised[place] = arcs[: last(shell, place).stable_upto]
    assert any(promised.values())


def test_nothing_is_stable_before_the_end_at_stability_zero() -> None:
    model = load_model("en")
    text = "The children who had come with their teacher looked at the old ships in the harbour ."
    words = text.split()
    for stability, some in ((0.0, False), (1.0, True)):
        shell = opened(model, stability=stability, keep_promises=True)
        for version, word in enumerate(words, 2):
            shell.send(Append("d", version, [word]))
            shell.settle()
        assert any(analysis.stable_upto for analysis in shell.client.analyses) == some
        check_promises(shell.client.analyses)


# --- bad input --------------------------------------------------------------------------------------------


def test_messages_can_be_fetched_bit_by_bit(model: Model) -> None:
    text = "\n\n".join(["the old dog barks ."] * 50)
    shell, whole = Shell(Session(model)), Shell(Session(model))
    for one in (shell, whole):
        one.send(Open("d", 1, text=text, options=OptionChanges(levels=["L0"])))
        one.settle()
    shell.session.receive(AskAnalyses("d"))
    parts: list[object] = []
    while part := shell.session.messages_to_send(words=12):
        assert sum(len(message.words) for message in part if isinstance(message, AnalysisMessage)) <= 15
        parts += part
    whole.session.receive(AskAnalyses("d"))
    assert len(parts) == 50
    assert [replaced(one) for one in parts] == [replaced(one) for one in whole.session.messages_to_send()]


def replaced(message: object) -> object:
    """Without what tells the time."""
    return structs.replace(message, seconds=0.0) if isinstance(message, AnalysisMessage) else message


def test_what_there_was_to_say_can_be_dropped(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.session.receive(AskAnalyses("d"))
    shell.session.receive(AskAnalyses("none"))
    shell.session.drop_messages()
    assert shell.session.messages_to_send() == []


def test_a_text_of_too_many_sentences_is_closed(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_parses, "MOST_SENTENCES", 3)
    shell = Shell(Session(model))
    shell.send(Open("d", 1, text="a\n\nb\n\nc"))
    shell.settle()
    assert not shell.client.errors
    shell.send(Edit("d", 2, 0, 0, "d\n\n"))
    shell.settle()
    [error] = shell.client.errors
    assert (error.code, error.temporary) == ("too_much", False)
    assert "it would have 4 sentences, and a document may have 3" in error.message
    assert shell.client.is_closed
    assert 2 in shell.client.answered


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (Append("d", 1, ["x"]), "old_version"),
        (Append("d", 0, ["x"]), "old_version"),
        (Append("e", 2, ["x"]), "unknown_document"),
        (Close("e"), "unknown_document"),
        (Edit("d", 2, 0, 0, "x"), "illegal"),
        (Open("d", 2, words=[]), "illegal"),
        (Open("e", 2, text="x", words=["x"]), "bad_event"),
        (Open("e", 2, text="\ud83d"), "bad_text"),
        (Append("d", 2, [" "]), "bad_word"),
        (Append("d", 2, ["\ud83d"]), "bad_word"),
        (Append("d", 2, ["x"] * (LONGEST_SENTENCE + 1)), "too_much"),
        (Revoke("d", 2, 6), "out_of_text"),
        (Gold("d", 1, 0, [0]), "bad_gold"),
        (Gold("d", 1, 0, [2, 1, 0, 3, 3]), "bad_gold"),
        (Gold("d", 1, 0, [9, 1, 0, 3, 3]), "bad_gold"),
        (Gold("d", 1, 1, [0]), "unknown_sentence"),
        (Gold("d", 3, 0, [0]), "old_version"),
        (Step("d", 1, 0, "shift"), "bad_step"),
        (AskSteps("d", 1, 4), "unknown_sentence"),
        ({"type": "append", "document": "d", "version": 2, "words": ["x"], "more": 1}, "bad_event"),
        ({"type": "append", "document": "d", "version": -2, "words": ["x"]}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2.5, "words": ["x"]}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2, "words": [""]}, "bad_event"),
        ({"type": "append", "document": "d" * 200, "version": 2, "words": []}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2, "words": ["x"] * (MOST_WORDS + 1)}, "bad_event"),
        ({"type": "step", "document": "d", "version": 1, "sentence": 0, "step": "jump"}, "bad_event"),
        ({"type": "options", "document": "d", "options": {"stability": float("nan")}}, "bad_event"),
        ({"type": "sing"}, "bad_event"),
        (Options("d", OptionChanges(stability=1.5)), "bad_event"),
        (Append("d", None, ["x"]), "bad_event"),  # type: ignore[arg-type]
        (None, "bad_event"),
        (object(), "bad_event"),
    ],
)
def test_bad_input_is_an_error_and_changes_nothing(event: object, code: str, model: Model) -> None:
    shell = opened(model, SENTENCE, risk=1)
    before = shell.state("d")
    shell.send(event)
    shell.settle()
    (error,) = shell.client.errors
    assert error.code == code, error.message
    assert shell.state("d") == before
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    assert len(last(shell).words) == 6


@pytest.mark.parametrize(
    ("start", "end", "positions"),
    [(0, 9, "code_points"), (2, 1, "code_points"), (9, 9, "utf16"), (1, 1, "utf16"), (0, 1, "utf16")],
)
def test_edits_outside_the_text_are_refused(start: int, end: int, positions: Any, model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 1, text="🎉 dog", positions=positions))
    shell.settle()
    shell.send(Edit("d", 2, start, end, "x"))
    assert [error.code for error in shell.client.errors] == ["out_of_text"]
    shell.send(Edit("d", 2, 2, 3, ""))
    shell.settle()
    assert shell.client.answered == [1, 2]


def test_words_are_placed_in_the_units_of_the_document(model: Model) -> None:
    spans = {}
    for positions in ("code_points", "utf16"):
        shell = Shell(Session(model))
        shell.send(Open("d", 1, text="🎉\n\n🎉 dog", positions=positions))
        shell.settle()
        analysis = last(shell, 1)
        spans[positions] = analysis.start, [(word.start, word.end) for word in analysis.words]
    assert spans == {
        "code_points": (3, [(0, 1), (2, 5)]),
        "utf16": (4, [(0, 2), (3, 6)]),
    }


def test_a_session_has_so_many_documents(model: Model) -> None:
    shell = Shell(Session(model))
    for number in range(MOST_DOCUMENTS + 1):
        shell.send(Open(str(number), 0, words=[]))
    (error,) = shell.client.errors
    assert (error.code, error.temporary) == ("too_much", True)
    shell.send(Close("0"), Open("again", 0, words=[]))
    assert len(shell.client.errors) == 1


def test_a_closed_document_answers_what_was_owed_and_is_gone(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Append("d", 2, ["x"]), Close("d"))
    assert (shell.client.answered, shell.client.is_closed) == ([1, 2], True)
    shell.settle()
    assert shell.client.analyses == []
    shell.send(Open("d", 0, words=["dog"]))
    shell.settle()
    assert len(last(shell).words) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_child_of_the_root_has_the_label_of_the_model_from_the_first_analysis_on(
    seed: int, model_file: Callable[..., Path]
) -> None:
    file = read_model(model_file(seed=seed))
    inventory = dict(file.information["inventory"], root_labels=["HEAD"])
    inventory["labels"] = ["HEAD" if label == "root" else label for label in inventory["labels"]]
    shell = opened(Model(replace(file, information={**file.information, "inventory": inventory})), SENTENCE)
    shell.settle()
    before = len(shell.client.analyses)
    shell.send(Finish("d", 2))
    shell.settle()
    finished = shell.client.analyses[before:]
    assert [analysis.stage for analysis in finished] == ["initial", "final"]
    for analysis in finished:
        assert [word.head == 0 for word in analysis.words] == [
            word.label == "HEAD" for word in analysis.words
        ]


def test_models_that_take_gold_tags_or_cannot_cut_text_are_refused(make_model: MakeModel) -> None:
    with pytest.raises(InputError, match="gold tags, which nobody types"):
        Session(make_model(tags="gold"))
    name: Any = "en"
    with pytest.raises(InputError, match="a model has to be given, and 'en' is none"):
        Session(name)
    shell = Shell(Session(make_model(with_segmenter=False)))
    shell.send(Open("d", 0, text="x"), Open("d", 0, words=["x"]))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["unsupported"]
    assert len(last(shell).words) == 1


def test_documents_do_not_disturb_each_other(model: Model) -> None:
    session = Session(model)
    shell = Shell(session)
    shell.send(Open("a", 1, words=["dog"]), Open("b", 1, words=["cat"]))
    levels = [job.level for job in shell.jobs]
    assert levels == ["L0", "L0"]
    shell.run_one()
    shell.send(Append("b", 2, ["sees"]))
    assert not [job for job in shell.jobs if job.document == "a" and job.interrupt.is_set]


def searching(model: Model) -> tuple[Shell, Any]:
    """A shell whose search is being done while the time runs out, and its job."""
    shell = Shell(Session(model, Patient()))
    shell.send(Open("d", 1, words=SENTENCE, options=OptionChanges(time_limit=0.5)))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    (job,) = shell.jobs
    shell.jobs.clear()
    shell.session.tick(10)
    shell.send()
    assert job.interrupt.is_set
    assert not last(shell).cut_short, "it may still give what it has"
    return shell, job


def test_what_a_search_has_when_time_runs_out_counts(model: Model) -> None:
    shell, job = searching(model)
    shell.session.job_done(job, result_of(job))
    shell.send(AskAnalyses("d"))
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1", "L2"], True)
    assert shell.session.jobs_to_run() == []
    assert shell.session.wake_at is None


def test_a_search_that_found_nothing_until_time_ran_out_is_told(model: Model) -> None:
    shell, job = searching(model)
    shell.session.job_done(job, None)
    for message in shell.session.messages_to_send():
        shell.client.read(message)
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1"], True)


def test_a_search_that_does_not_stop_is_not_waited_for(model: Model) -> None:
    shell, job = searching(model)
    assert shell.session.wake_at
    shell.session.tick(shell.session.wake_at)
    shell.send(AskAnalyses("d"))
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1"], True)
    shell.session.job_done(job, result_of(job))
    shell.send(AskAnalyses("d"))
    assert last(shell).levels == ["L0", "L1"]


# --- while somebody types ---------------------------------------------------------------------------------


class Typist:
    """Types letters into a document of text, a tenth of a second apart."""

    def __init__(
        self, model: Model, searcher: Searcher | None = None, text: str = "", **options: Any
    ) -> None:
        self.shell, self.text = Shell(Session(model, searcher)), text
        self.now, self.version = 0.0, 0
        self.shell.send(Open("d", 0, text=text, options=OptionChanges(**options)))
        self.shell.settle()

    def type(self, letters: str, at: int | None = None) -> None:
        at = len(self.text) if at is None else at
        for place, letter in enumerate(letters, at):
            self.edit(place, place, letter)

    def edit(self, start: int, end: int, new: str) -> None:
        self.now, self.version = self.now + 0.1, self.version + 1
        self.text = self.text[:start] + new + self.text[end:]
        self.shell.session.tick(self.now)
        self.shell.send(Edit("d", self.version, start, end, new))
        self.shell.settle()

    def pause(self) -> None:
        self.shell.pause()
        self.now = max(self.now, self.version / 10 + 1)

    @property
    def last(self) -> AnalysisMessage:
        return last(self.shell, len(self.shell.client.sentences) - 1)


def test_arcs_of_earlier_words_stand_still_inside_a_word_and_nothing_is_refined() -> None:
    typist = Typist(load_model("en"))
    typist.type("The old dog that Peter ")
    before = heads_of(typist.last)
    told = len(typist.shell.client.analyses)
    typist.type("sees")
    inside = typist.shell.client.analyses[told:]
    assert [analysis.words[-1].form for analysis in inside] == ["s", "se", "see", "sees"]
    assert {(analysis.stage, *analysis.levels) for analysis in inside} == {("initial", "L0")}
    bound = {head: 6 for head in before if head == LATER or head < 0}
    for analysis in inside:
        for head, shown in zip(before, heads_of(analysis), strict=False):
            assert shown in (head, bound.get(head, head))
    typist.type(" ")
    assert (typist.last.stage, typist.last.levels) == ("settled", ["L0", "L1"])
    assert typist.shell.client.answered == [*range(typist.version + 1)]


def test_a_pause_inside_a_word_refines_it_and_the_next_letter_changes_no_arc() -> None:
    typist = Typist(load_model("en"))
    typist.type("Peter drives a red ca")
    assert typist.last.stage == "initial"
    assert typist.shell.session.wake_at == pytest.approx(typist.now + 0.25)
    typist.pause()
    assert typist.last.stage == "settled"
    assert typist.shell.session.wake_at is None
    before = heads_of(typist.last)
    typist.type("r")
    assert (typist.last.stage, heads_of(typist.last)) == ("initial", before)


def test_letters_typed_into_the_middle_leave_the_other_arcs_alone() -> None:
    typist = Typist(load_model("en"), text="The dog sees a cat. It barks.\n")
    typist.pause()
    before = heads_of(last(typist.shell, 0))
    typist.type("s", at=7)
    assert (heads_of(last(typist.shell, 0)), last(typist.shell, 0).stage) == (before, "initial")
    typist.type(" big", at=3)  # a word of its own, whose arc is the only new one
    shown = heads_of(last(typist.shell, 0))
    assert len(shown) == len(before) + 1
    assert all(isinstance(head, int) and head >= 0 for head in shown)
    typist.pause()
    assert typist.shell.state("d") == fresh_text(load_model("en"), typist.text)


def test_the_word_that_was_typed_is_refined_once_the_caret_is_elsewhere() -> None:
    typist = Typist(load_model("en"), text="The dog barks\n\nThe cat sleeps")
    typist.type("s", at=13)
    assert last(typist.shell, 0).stage == "initial"
    typist.type("s", at=len(typist.text))
    assert [last(typist.shell, place).stage for place in (0, 1)] == ["final", "initial"]


@pytest.mark.parametrize("model_name", ["en", "af"])
def test_what_letters_end_with_is_what_the_whole_text_gives(model_name: str) -> None:
    model = load_model(model_name)
    typist = Typist(model)
    typist.type("Peter was hier. Sy sien 'n hond (3,5 m")
    typist.edit(len(typist.text) - 3, len(typist.text), "")
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_conflicts_do_not_come_and_go_with_every_letter(make_model: MakeModel) -> None:
    typist = Typist(make_model(seed=2), Relabelling(), text="the old dog")
    before = typist.last.conflicts
    assert before
    typist.type(" b")
    assert typist.last.words[-1].form == "b"
    assert typist.last.conflicts == [conflict for conflict in before if 4 not in conflict.words]


def test_a_time_limit_counts_from_the_end_of_the_word(model: Model) -> None:
    typist = Typist(model, text="the old", time_limit=0.05)
    typist.type(" d")
    typist.shell.session.tick(typist.now + 0.2)
    assert not typist.last.cut_short
    typist.type("og ")
    assert (typist.last.stage, typist.last.cut_short) == ("settled", False)


# --- whole sentences --------------------------------------------------------------------------------------


def test_a_full_stop_and_a_pause_make_a_whole_sentence_which_the_next_word_may_open_again() -> None:
    model = load_model("en")
    typist = Typist(model)
    typist.type("The dog barks .")
    assert not typist.last.whole
    typist.pause()
    best = model.parse(["The", "dog", "barks", "."])
    assert (typist.last.whole, typist.last.stage, typist.last.virtual) == (True, "settled", [])
    assert heads_of(typist.last) == [*best.heads]
    assert typist.last.stable_upto == 0, "it is not final"
    typist.type(" ")
    assert typist.last.whole, "white space does not open it"
    typist.type("5")
    typist.pause()
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_a_sentence_without_its_full_stop_stays_open() -> None:
    typist = Typist(load_model("en"))
    typist.type("The dog barks")
    typist.pause()
    assert (typist.last.whole, typist.last.stage) == (False, "settled")
    typist.type("! ")
    typist.pause()
    assert typist.last.whole


def test_a_whole_sentence_that_goes_on_is_as_if_nobody_had_paused() -> None:
    model = load_model("en")
    typist = Typist(model)
    typist.type("It costs 3 .")
    typist.pause()
    assert typist.last.whole
    typist.edit(len(typist.text) - 1, len(typist.text), "euros")
    typist.pause()
    assert not typist.last.whole
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_given_words_are_whole_where_they_are_finished_alone() -> None:
    shell = opened(load_model("en"), ["The", "dog", "barks", "."])
    shell.pause()
    assert not last(shell).whole
    shell.send(Finish("d", 2))
    shell.settle()
    assert (last(shell).whole, last(shell).stage) == (True, "final")


# --- promises ---------------------------------------------------------------------------------------------


def test_promises_hold_until_the_sentence_has_ended_and_then_the_best_parse_is_told(
    make_model: MakeModel, random_words: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.stability.LEAST_CONFIDENCE", 0.0)
    promised = taken_back = 0
    for seed in range(20):
        source, model = random.Random(seed), make_model(seed=seed)
        promising, plain = opened(model, stability=1), opened(model)
        for version in range(2, 14):
            words = [*random_words(source, 1)]
            for shell in (promising, plain):
                shell.send(Append("d", version, words))
                shell.settle()
        count, before = check_promises(promising.client.analyses), heads_of(last(promising))
        for shell in (promising, plain):
            shell.send(Finish("d", 14))
        assert promising.state("d") == plain.state("d"), seed
        promised += count
        taken_back += heads_of(last(promising))[:count] != before[:count]
    assert promised > 0
    assert taken_back > 0, "otherwise nothing was tested"


# --- places -----------------------------------------------------------------------------------------------


def test_places_follow_an_edit_of_white_space(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="who came in\n\nshe left"))
    shell.settle()
    parsed = len(shell.client.analyses)
    shell.send(Edit("d", 1, 3, 3, "  "))
    jobs = []
    while shell.jobs:
        jobs.append(shell.run_one().level)
    assert jobs == ["L0"], "nothing is parsed again"
    assert [(word.start, word.end) for word in last(shell).words] == [(0, 3), (6, 10), (11, 13)]
    assert (len(shell.client.analyses), last(shell).stage) == (parsed + 1, "final")
    assert last(shell, 1).start == 15, "the sentence behind it is told to have moved"
    assert shell.state("d") == fresh_text(model, "who   came in\n\nshe left")


def test_sentences_that_an_edit_moves_are_told_at_one_stroke(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="\n\n".join(["the dog barks"] * 5)))
    shell.settle()
    told = len(shell.client.analyses)
    shell.send(Edit("d", 1, 19, 22, "old cat"))
    shell.settle()
    assert {analysis.sentence for analysis in shell.client.analyses[told:]} == {1}
    places = [(last(shell, place).first_word, last(shell, place).start) for place in range(5)]
    assert places == [(0, 0), (3, 15), (7, 34), (10, 49), (13, 64)]


def test_moves_that_nobody_has_read_are_told_as_one(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 0, text="the dog\n\nthe cat"))
    run_jobs(session)
    session.messages_to_send()
    for version in range(1, 4):
        session.receive(Edit("d", version, 7, 7, " "))
        run_jobs(session)
    moved = [message for message in session.messages_to_send() if isinstance(message, MovedMessage)]
    assert moved == [MovedMessage("d", 3, 1, 0, 3)]


def run_jobs(session: Session) -> None:
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())


def test_a_sentence_is_not_final_any_more_once_what_follows_it_may_belong_to_it(model: Model) -> None:
    shell = Shell(Session(load_model("en")))
    shell.send(Open("d", 0, text="I ran. The dog"))
    shell.settle()
    assert last(shell).stage == "final"
    shell.send(Edit("d", 1, 6, 10, ""))
    assert shell.state("d") == fresh_text(load_model("en"), "I ran. dog")


def test_a_search_that_settles_though_its_time_is_up_is_not_cut_short(model: Model) -> None:
    shell = Shell(Session(model, Late()))
    shell.send(Open("d", 1, words=SENTENCE, options=OptionChanges(time_limit=0.5)))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    shell.session.tick(10)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short) == ("settled", False)


class Late:
    """Is done at the moment when it is told to stop."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        return SearchResult(request.previous, 0.0)
