"""Jobs in a batch; alone they are tested with the session."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from growing_parses import grown

from treewhile.incremental.parsers.analyses import NO_WORDS, Decision
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored
from treewhile.incremental.sessions.document_edits import (
    TYPED_WORDS,
    DocumentEdit,
    TextEdited,
    WordsCame,
    WordsWent,
)
from treewhile.incremental.sessions.document_parses import DocumentParses, Progress, Rebuild
from treewhile.incremental.sessions.document_words import GivenWords
from treewhile.incremental.sessions.jobs import MOVED_AT_ONCE, Attach, Rank, Rescore
from treewhile.incremental.sessions.options import DocumentOptions

OPTIONS = DocumentOptions(risk=0.1)


def rescore(model: Model, words: Sequence[str], preference: Preference = NO_PREFERENCE) -> Rescore:
    ticks = iter(range(100))
    return Rescore(
        "document", 1, 0, lambda: float(next(ticks)), model, grown(model, words).snapshot(), preference
    )


def test_jobs_of_one_model_make_a_batch(model: Model) -> None:
    one, other = rescore(model, ["dog"]), rescore(model, ["the", "cat"])
    assert one.batch == other.batch is not None
    assert (one.words, other.words) == (1, 2)


def test_results_of_a_batch_are_those_of_the_jobs_alone(model: Model) -> None:
    sentences = [["dog"], ["the", "cat", "sees"], ["the", "old", "dog", "barks", "."]]
    first, *others = [rescore(model, words) for words in sentences]
    for words, result in zip(sentences, first.run_together(others), strict=True):
        alone = rescore(model, words).run()
        assert isinstance(result, Rescored)
        assert isinstance(alone, Rescored)
        assert (result.analysis, result.score) == (alone.analysis, alone.score)
    assert [job.seconds for job in (first, *others)] == [pytest.approx(1 / 3)] * 3


def test_a_job_that_was_told_to_stop_gives_nothing_and_others_are_done(model: Model) -> None:
    jobs = [rescore(model, ["the", "dog"]) for _ in range(3)]
    jobs[0].interrupt.set()
    results = jobs[0].run_together(jobs[1:])
    assert results[0] is None
    assert all(isinstance(result, Rescored) for result in results[1:])
    for job in jobs:
        job.interrupt.set()
    assert jobs[0].run_together(jobs[1:]) == [None] * 3


class Stopping(Preference):
    """Tells a job to stop once its scores are there."""

    def __init__(self, *jobs: Rescore) -> None:
        super().__init__()
        object.__setattr__(self, "jobs", [*jobs])

    def applied_to(self, scores: Array, root_labels: Collection[str]) -> Array:
        for job in self.jobs:  # type: ignore[attr-defined]
            job.interrupt.set()
        return scores


def stopped_midway(model: Model) -> list[object]:
    """What three jobs give, of which the second tells the first and itself to stop."""
    words = ["the", "old", "dog", "sees"]
    jobs = [rescore(model, words) for _ in range(3)]
    jobs[1].preference = Stopping(jobs[0], jobs[1])
    return jobs[0].run_together(jobs[1:])


def test_a_best_tree_with_crossing_edges_stops_where_it_is(model: Model) -> None:
    crossing = model.with_trees("mh4")
    one, stopped, other = stopped_midway(crossing)
    assert stopped is None
    alone = rescore(crossing, ["the", "old", "dog", "sees"]).run()
    assert isinstance(alone, Rescored)
    for result in (one, other):
        assert isinstance(result, Rescored), "it was told too late, or not at all"
        assert (result.analysis, result.score) == (alone.analysis, alone.score)
    assert alone_until_stopped(crossing) is None


def test_a_projective_tree_is_there_before_it_can_be_stopped(model: Model) -> None:
    assert all(isinstance(result, Rescored) for result in stopped_midway(model))
    assert isinstance(alone_until_stopped(model), Rescored)


def alone_until_stopped(model: Model) -> object:
    job = rescore(model, ["the", "old", "dog", "sees"])
    job.preference = Stopping(job)
    return job.run()


def test_what_one_job_raises_is_its_result_alone(model: Model) -> None:
    broken = rescore(model, ["the", "dog"], Preference(fixed={1: Decision(2, "no label")}))
    fine = rescore(model, ["the", "dog"])
    raised, result = broken.run_together([fine])
    assert isinstance(raised, KeyError)
    assert isinstance(result, Rescored)


def attach(model: Model, *edits: DocumentEdit, rebuilds: Sequence[Rebuild] = ()) -> Attach:
    words = GivenWords("code_points")
    return Attach("document", 1, None, DocumentParses(model, words, OPTIONS), edits, rebuilds, OPTIONS, 0.0)


def test_what_people_type_is_urgent_and_what_they_paste_waits(model: Model) -> None:
    typed = [attach(model, edit) for edit in (WordsCame(["dog"]), TextEdited(3, 3, "a"), WordsWent(2))]
    assert {job.rank for job in typed} == {Rank.ATTACH}
    pasted = (
        attach(model),  # goes on with a paste
        attach(model, WordsCame(["dog"] * 20)),
        attach(model, TextEdited(0, 0, "dog " * 20)),
        attach(model, WordsCame(["dog"]), TextEdited(0, 0, "dog " * 20)),
        attach(model, WordsCame(["dog"]), rebuilds=[Rebuild(1, NO_WORDS)]),
    )
    assert {job.rank for job in pasted} == {Rank.PASTED}


def test_edits_that_move_many_sentences_wait_like_what_is_pasted_but_not_one_alone(model: Model) -> None:
    parses = DocumentParses(model, GivenWords("code_points"), OPTIONS)

    def rank(edits: int, moved: int) -> Rank:
        letters = [TextEdited(0, 0, "a")] * edits
        return Attach("document", 1, None, parses, letters, [], OPTIONS, 0.0, moved=moved).rank

    assert rank(2, MOVED_AT_ONCE) is Rank.ATTACH
    assert rank(2, MOVED_AT_ONCE + 1) is Rank.PASTED
    assert rank(1, MOVED_AT_ONCE + 1) is Rank.ATTACH


def test_what_people_type_is_done_at_once_as_far_as_it_is_short(model: Model) -> None:
    words = GivenWords("code_points")
    parses = DocumentParses(model, words, OPTIONS)

    def attach(*edits: DocumentEdit) -> Progress:
        done = Attach("document", 1, None, parses, edits, [], OPTIONS, 0.0).run()
        assert isinstance(done, Progress)
        return done

    assert not attach(WordsCame(["dog"] * TYPED_WORDS)).waiting
    assert attach(WordsCame(["dog"] * TYPED_WORDS), WordsCame(["dog"])).waiting
    assert not attach().waiting, "the rest waits in turn with what is pasted"


def test_each_document_has_its_own_words_of_a_batch(model: Model) -> None:
    words = ("the", "old", "dog")
    first, *others = [attach(model, WordsCame([word])) for word in words]
    for word, result in zip(words, first.run_together(others), strict=True):
        assert isinstance(result, Progress)
        assert [one.words.forms for one in result.attached] == [(word,)]
