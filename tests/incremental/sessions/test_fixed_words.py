from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from cases import cases, each_seed

from treewhile.incremental import load_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    DeltaMessage,
    Edit,
    ErrorMessage,
    Finish,
    Fix,
    Open,
    OptionChanges,
    Options,
    Revoke,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session

TEXT = "The old dog barks. The cat sees the dog."


class Followed:
    """A session with the last analyses of a document, by sentence, and its errors."""

    def __init__(self, session: Session, opening: Open) -> None:
        self.session, self.analyses = session, dict[int, AnalysisMessage]()
        self.errors: list[ErrorMessage] = []
        self.send(opening)

    def send(self, event: Any) -> None:
        """Receive an event, and do all work."""
        self.session.receive(event)
        self.work()

    def pause(self) -> None:
        """Let a word that is being typed end."""
        self.session.tick(self.session.wake_at or 0)
        self.work()

    def work(self) -> None:
        while jobs := self.session.jobs_to_run():
            for job in jobs:
                self.session.job_done(job, job.run())
        for message in self.session.messages_to_send():
            self.take(message)

    def take(self, message: object) -> None:
        if isinstance(message, ErrorMessage):
            self.errors.append(message)
        elif isinstance(message, AnalysisMessage):
            self.analyses[message.sentence] = message
        elif isinstance(message, DeltaMessage):
            before = next(one for one in self.analyses.values() if one.number == message.base)
            self.analyses[message.sentence] = apply_delta(before, message)

    def heads(self, sentence: int = 0) -> list[Any]:
        return [word.head for word in self.analyses[sentence].words]

    def labels(self, sentence: int = 0) -> list[Any]:
        return [word.label for word in self.analyses[sentence].words]


@pytest.fixture
def of_words(model: Model) -> Followed:
    return Followed(Session(model), Open("d", 1, words=["the", "old", "dog", "barks"]))


@pytest.fixture
def of_text() -> Followed:
    return Followed(Session(load_model("en")), Open("d", 1, text=TEXT))


def test_what_is_fixed_holds_and_the_rest_is_parsed_around_it(of_words: Followed) -> None:
    before = of_words.heads()
    other = 4 if before[0] != 4 else 3
    of_words.send(Fix("d", 1, 0, heads={1: other}, labels={2: "obj"}, tags={3: "VERB"}))
    view = of_words.analyses[0]
    assert not of_words.errors
    assert (view.words[0].head, view.words[1].label, view.words[2].tag) == (other, "obj", "VERB")
    assert [word.fixed for word in view.words] == [["head"], ["label"], ["tag"], None]
    assert view.stage == "settled"


def test_decisions_add_up_and_null_frees(of_words: Followed) -> None:
    before = of_words.analyses[0]
    of_words.send(Fix("d", 1, 0, heads={1: 2}))
    of_words.send(Fix("d", 1, 0, heads={3: 2}, labels={1: "obj"}))
    assert of_words.heads()[0] == of_words.heads()[2] == 2
    assert of_words.analyses[0].words[0].fixed == ["head", "label"]
    of_words.send(Fix("d", 1, 0, heads={1: None, 3: None}, labels={1: None}))
    after = of_words.analyses[0]
    assert [word.fixed for word in after.words] == [None] * 4
    assert after.words == before.words


@pytest.mark.parametrize(
    ("fix", "code"),
    [
        (Fix("d", 1, 0, heads={1: 2, 2: 1}), "bad_fix"),
        (Fix("d", 1, 0, heads={1: 0, 2: 0}), "bad_fix"),
        (Fix("d", 1, 0, heads={1: 3, 2: 4}), "bad_fix"),
        (Fix("d", 1, 0, heads={9: 3}), "bad_fix"),
        (Fix("d", 1, 0, heads={0: 3}), "bad_fix"),
        (Fix("d", 1, 0, labels={1: "nonsense"}), "bad_fix"),
        (Fix("d", 1, 7, labels={1: "obj"}), "unknown_sentence"),
        (Fix("d", 9, 0, labels={1: "obj"}), "old_version"),
        ({"type": "fix", "document": "d", "version": 1, "sentence": 0, "heads": {"one": 2}}, "bad_event"),
        ({"type": "fix", "document": "d", "version": 1, "sentence": 0, "heads": {"1": -2}}, "bad_event"),
    ],
)
def test_contradictions_are_refused_and_change_nothing(of_words: Followed, fix: Any, code: str) -> None:
    before = of_words.analyses[0]
    of_words.send(fix)
    assert [error.code for error in of_words.errors] == [code]
    assert of_words.analyses[0] == before
    of_words.send(Fix("d", 1, 0, heads={1: 2}))
    assert of_words.heads()[0] == 2, "what was refused is not remembered"


def test_a_contradiction_to_what_was_fixed_before_is_refused(of_words: Followed) -> None:
    of_words.send(Fix("d", 1, 0, heads={1: 2}))
    of_words.send(Fix("d", 1, 0, heads={2: 1}))
    assert "form a cycle" in of_words.errors[0].message
    assert of_words.heads()[0] == 2


def test_an_event_is_also_a_mapping_with_words_as_strings(of_words: Followed) -> None:
    told = {
        "type": "fix",
        "document": "d",
        "version": 1,
        "sentence": 0,
        "heads": {"1": 2},
        "tags": {"2": "VERB"},
    }
    of_words.send(told)
    assert (of_words.heads()[0], of_words.analyses[0].words[1].tag) == (2, "VERB")


def test_it_holds_while_words_come_and_at_the_end(of_words: Followed) -> None:
    of_words.send(Fix("d", 1, 0, heads={1: 2}, labels={1: "obj"}))
    for version, word in enumerate(["a", "cat", "."], 2):
        of_words.send(Append("d", version, [word]))
        assert (of_words.heads()[0], of_words.labels()[0]) == (2, "obj")
    of_words.send(Finish("d", 5))
    assert (of_words.heads()[0], of_words.labels()[0]) == (2, "obj")
    assert of_words.analyses[0].stage == "final"
    of_words.send(Fix("d", 5, 0, heads={1: 4}, labels={1: None}))
    assert (of_words.heads()[0], of_words.analyses[0].stage) == (4, "final")
    assert not of_words.errors


def test_words_that_are_revoked_lose_it(of_words: Followed) -> None:
    of_words.send(Fix("d", 1, 0, heads={1: 4, 3: 4}, labels={2: "obj"}))
    assert [word.fixed for word in of_words.analyses[0].words] == [["head"], ["label"], ["head"], None]
    of_words.send(Revoke("d", 2, 1))
    of_words.send(Append("d", 3, ["barks"]))
    assert [word.fixed for word in of_words.analyses[0].words] == [None, ["label"], None, None]


def test_every_message_after_it_holds_it(of_words: Followed) -> None:
    """Even those of L0, and those that are asked for."""
    session = of_words.session
    other = 4 if of_words.heads()[0] != 4 else 3
    session.receive(Fix("d", 1, 0, heads={1: other}))
    session.receive(Append("d", 2, ["loudly"]))
    told = []
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
            told += session.messages_to_send()
    analyses = [one for one in told if isinstance(one, AnalysisMessage | DeltaMessage)]
    assert analyses
    for message in analyses:
        of_words.take(message)
        assert of_words.heads()[0] == other


def test_an_analysis_that_has_not_been_sent_yet_does_not_pretend_to_hold_it(model: Model) -> None:
    followed = Followed(Session(model), Open("d", 1, words=["so"]))
    followed.session.receive(Append("d", 2, ["the", "old", "dog"]))
    attaching = followed.session.jobs_to_run()
    for job in attaching:
        followed.session.job_done(job, job.run())
    for head in (1, 3, 4):
        followed.session.receive(Fix("d", 2, 0, heads={2: head}))
        for message in followed.session.messages_to_send():
            followed.take(message)
        assert not followed.errors
        assert all(word.fixed is None for one in followed.analyses.values() for word in one.words)
    followed.work()
    assert followed.heads()[1] == 4


def test_edits_of_other_words_keep_it_and_edits_of_its_own_end_it(of_text: Followed) -> None:
    of_text.send(Fix("d", 1, 1, heads={4: 2}, labels={4: "nmod"}))  # the second "the" below "cat"
    of_text.send(Edit("d", 2, 0, 3, "A very"))  # in the first sentence
    at = len("A very old dog barks. The ")
    of_text.send(Edit("d", 3, at, at, "big "))
    view = of_text.analyses[1]
    assert [word.form for word in view.words] == ["The", "big", "cat", "sees", "the", "dog", "."]
    assert (view.words[4].head, view.words[4].label, view.words[4].fixed) == (3, "nmod", ["head", "label"])
    of_text.send(Edit("d", 4, at - len(". The "), at, " when the "))
    view = of_text.analyses[0]  # both are one sentence now
    assert [word.form for word in view.words][8:11] == ["cat", "sees", "the"]
    assert (view.words[10].head, view.words[10].label) == (9, "nmod")
    at += len(" when the ") - len(". The ") + len("big ")
    of_text.send(Edit("d", 5, at, at + 3, "rat"))
    assert of_text.analyses[0].words[10].fixed == ["label"], "its head has gone"
    at += len("rat sees ")
    of_text.send(Edit("d", 6, at, at + 3, "a"))
    of_text.pause()
    assert not any(word.fixed for word in of_text.analyses[0].words)
    assert not of_text.errors


def test_a_time_limit_waits_for_what_is_fixed(model: Model) -> None:
    followed = Followed(Session(model), Open("d", 1, words=["the", "old", "dog", "barks"]))
    followed.send(Options("d", OptionChanges(time_limit=0.001)))
    other = 4 if followed.heads()[0] != 4 else 3
    followed.session.receive(Fix("d", 1, 0, heads={1: other}))
    followed.session.tick(10)
    followed.work()
    assert followed.heads()[0] == other


def test_where_there_is_no_best_parse_any_more_the_sentence_is_told_all_the_same(of_words: Followed) -> None:
    of_words.send(Fix("d", 1, 0, heads={1: 2}))
    of_words.send(Options("d", OptionChanges(levels=["L0"])))
    of_words.send(Append("d", 2, ["loudly"]))
    assert len(of_words.analyses[0].words) == 5


def test_what_is_fixed_is_bounded(of_words: Followed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.open_documents.MOST_FIXED", 2)
    of_words.send(Fix("d", 1, 0, heads={1: 2, 3: 2}))
    of_words.send(Fix("d", 1, 0, labels={1: "det", 3: "obj"}))
    assert not of_words.errors
    of_words.send(Fix("d", 1, 0, labels={2: "obj"}))
    assert [error.code for error in of_words.errors] == ["too_much"]
    of_words.send(Fix("d", 1, 0, heads={1: None}, labels={1: None, 2: "obj"}))
    assert [one.fixed for one in of_words.analyses[0].words] == [None, ["label"], ["head", "label"], None]


def test_it_ends_promises_and_is_promised_then(make_model: Callable[..., Model]) -> None:
    options = OptionChanges(stability=1, keep_promises=True)
    words = ["the", "old", "dog", "barks", "the", "cat", "sees", "the", "dog"]
    followed = Followed(Session(make_model(seed=3)), Open("d", 1, words=words, options=options))
    followed.send(Fix("d", 1, 0, heads={1: 2, 2: 0}))
    assert followed.heads()[:2] == [2, 0]
    for version, word in enumerate(["very", "old", "cat"], 2):
        followed.send(Append("d", version, [word]))
        assert followed.heads()[:2] == [2, 0]


@pytest.mark.parametrize(
    "options", [OptionChanges(levels=["L0"]), OptionChanges(time_limit=0)], ids=["L0 alone", "no time"]
)
def test_without_a_best_parse_nothing_can_be_fixed(options: OptionChanges, model: Model) -> None:
    followed = Followed(Session(model), Open("d", 1, words=["the", "dog"], options=options))
    followed.send(Fix("d", 1, 0, heads={1: 2}))
    assert [error.code for error in followed.errors] == ["bad_fix"]


@each_seed(cases(10))
def test_in_the_end_it_does_not_matter_when_it_was_fixed(
    seed: int, make_model: Callable[..., Model], random_words: Callable[..., Any]
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    words = [*random_words(source, 7)]
    fix = {"heads": {2: source.choice([1, 3, 4])}, "tags": {3: source.choice(model.inventory.tags)}}
    early = Followed(Session(model), Open("d", 1, words=words[:4]))
    early.send(Fix("d", 1, 0, **fix))  # type: ignore[arg-type]
    early.send(Append("d", 2, words[4:]))
    early.send(Finish("d", 3))
    late = Followed(Session(model), Open("d", 1, words=words))
    late.send(Finish("d", 2))
    late.send(Fix("d", 2, 0, **fix))  # type: ignore[arg-type]
    assert early.analyses[0].words == late.analyses[0].words


def test_it_outlasts_edits_that_come_while_its_sentence_is_attached(of_text: Followed) -> None:
    of_text.send(Fix("d", 1, 1, heads={4: 2}))  # the second "the" below "cat"
    session, at = of_text.session, TEXT.rindex("dog")
    session.receive(Edit("d", 2, at, at, "big "))
    attaching = session.jobs_to_run()
    results = [job.run() for job in attaching]
    session.receive(Edit("d", 3, 0, 3, "A very"))  # in the first sentence
    for job, result in zip(attaching, results, strict=True):
        session.job_done(job, result)
    of_text.work()
    view = of_text.analyses[1]
    assert [word.form for word in view.words] == ["The", "cat", "sees", "the", "big", "dog", "."]
    assert (view.words[3].head, view.words[3].fixed) == (2, ["head"])
