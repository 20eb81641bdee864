"""Best parses of words behind which more have come meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from shells import Shell, heads_of, last

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.jobs import Job, Rescore
from treewhile.incremental.sessions.messages import (
    Append,
    Close,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Options,
    Revoke,
)
from treewhile.incremental.sessions.session import Session

WORDS = ["The", "old", "man", "that", "Peter", "sees"]


class Slow:
    """A shell in which best parses come back when the test says so."""

    def __init__(self, words: Sequence[str] = WORDS, **options: Any) -> None:
        self.shell = Shell(Session(load_model("en")))
        self.send(Open("d", 0, words=[*words], options=OptionChanges(**options)))

    def send(self, event: object) -> None:
        """Sends an event, and attaches its words."""
        self.shell.send(event)
        while any(not isinstance(job, Rescore) for job in self.shell.jobs):
            self.shell.run_one()

    def take(self) -> Rescore:
        """The best parse that is asked for."""
        (job,) = self.shell.jobs
        self.shell.jobs.clear()
        assert isinstance(job, Rescore)
        return job

    def tell(self, job: Job, result: object) -> None:
        self.shell.session.job_done(job, result)
        self.shell.take()

    @property
    def heads(self) -> list[Any]:
        return heads_of(last(self.shell))


def test_what_was_begun_is_told_of_the_words_that_stand() -> None:
    slow, settled = Slow(), Slow()
    settled.shell.settle()
    job, first = slow.take(), slow.heads
    result = job.run()
    slow.send(Append("d", 1, ["in"]))
    settled.send(Append("d", 1, ["in"]))
    assert slow.heads[: len(first)] == first
    assert not job.interrupt.is_set
    slow.tell(job, result)
    assert slow.heads == settled.heads, "as if it had come in time"
    assert slow.heads[: len(first)] != first
    told = last(slow.shell)
    assert (told.stage, told.levels, told.score) == ("initial", ["L0", "L1"], None)
    for one in (slow, settled):
        one.shell.settle()
    assert last(slow.shell).words == last(settled.shell).words
    assert (last(slow.shell).stage, last(slow.shell).levels) == ("settled", ["L0", "L1"])


def test_what_was_asked_before_need_not_begin_but_is_told_if_it_had() -> None:
    slow = Slow()
    job = slow.take()
    slow.send(Append("d", 1, ["in"]))
    newer = slow.take()
    assert (job.is_superseded, job.interrupt.is_set, newer.is_unwanted) == (True, False, False)
    assert job.run() is None
    assert job.run_together([newer])[0] is None


def test_a_newer_best_parse_stands() -> None:
    slow = Slow()
    job = slow.take()
    result = job.run()
    slow.send(Append("d", 1, ["in"]))
    newer = slow.take()
    slow.tell(newer, newer.run())
    best = last(slow.shell)
    slow.tell(job, result)
    assert last(slow.shell) == best


@pytest.mark.parametrize(
    "change", [Revoke("d", 1, 2), Options("d", OptionChanges(levels=["L0"])), Close("d")]
)
def test_it_stops_where_its_words_or_nobody_wants_them_stand(change: object) -> None:
    slow = Slow()
    job = slow.take()
    slow.send(change)
    assert job.is_unwanted
    before = [*slow.shell.client.analyses]
    slow.tell(job, None)
    assert slow.shell.client.analyses == before


def test_words_that_went_and_came_back_are_others() -> None:
    slow = Slow()
    job = slow.take()
    result = job.run()
    slow.send(Revoke("d", 1, 1))
    slow.send(Append("d", 2, ["sees"]))
    shown = slow.heads
    slow.tell(job, result)
    assert slow.heads == shown
    assert job.interrupt.is_set


def test_the_end_of_a_sentence_keeps_what_was_said_of_its_words() -> None:
    slow, settled = Slow(), Slow()
    settled.shell.settle()
    job = slow.take()
    result = job.run()
    for one in (slow, settled):
        one.send(Finish("d", 1))
    slow.tell(job, result)
    assert slow.heads == settled.heads
    assert all(isinstance(head, int) and head >= 0 for head in slow.heads), "a tree"


@pytest.mark.parametrize("stability", [0.5, 1.0])
def test_what_is_promised_stays(stability: float) -> None:
    words = ["Peter", "drives", "a", "red", "car", "and", "he", "likes", "it", "very", "much", "today"]
    slow, promised = Slow(words[:4], stability=stability), []
    for version, word in enumerate(words[4:], 1):
        job = slow.take()
        result = job.run()
        slow.send(Append("d", version, [word]))
        slow.tell(job, result)
        assert slow.heads[: len(promised)] == promised
        promised = slow.heads[: last(slow.shell).stable_upto]
    assert promised


def test_letters_of_the_next_word_do_not_stop_it_and_its_end_asks_for_the_next() -> None:
    slow = Slow([])
    slow.shell = Shell(Session(load_model("en")))
    slow.send(Open("d", 0, text="The old dog that Peter sees "))
    job = slow.take()
    result = job.run()
    for version, letter in enumerate("in", 1):
        slow.send(Edit("d", version, 27 + version, 27 + version, letter))
        assert not slow.shell.jobs
    assert not job.is_unwanted
    slow.tell(job, result)
    assert (last(slow.shell).stage, last(slow.shell).levels) == ("improved", ["L0", "L1"])
    slow.send(Edit("d", 3, 30, 30, " "))
    assert slow.take().snapshot.words[-1] == "in"


def test_who_ends_a_sentence_is_awaited_and_who_pastes_is_not() -> None:
    slow = Slow()
    assert not slow.take().is_awaited
    slow.send(Finish("d", 1))
    assert slow.take().is_awaited
    slow.shell = Shell(Session(load_model("en")))
    slow.send(Open("d", 0, text="The old dog barks. "))
    assert not slow.take().is_awaited


def test_a_full_stop_and_a_space_are_awaited_before_the_next_sentence_begins() -> None:
    slow = Slow()
    slow.shell = Shell(Session(load_model("en")))
    slow.send(Open("d", 0, text="The old dog barks "))
    assert not slow.take().is_awaited
    slow.send(Edit("d", 1, 17, 18, ". "))
    assert slow.take().is_awaited
    slow.send(Edit("d", 2, 19, 19, "It "))
    awaited = {job.snapshot.words[0]: job.is_awaited for job in slow.shell.jobs if isinstance(job, Rescore)}
    assert awaited == {"The": True, "It": False}
