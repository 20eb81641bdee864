"""Margins that are asked about: of the shown arcs, under what is fixed, and what L2 has against rivals."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import cases, each_seed

from treewhile.incremental import load_model
from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.corrections import Correction
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Weigh
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    AskMargins,
    DeltaMessage,
    ErrorMessage,
    Finish,
    Fix,
    MarginsMessage,
    MarginView,
    Open,
    OptionChanges,
    Prediction,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.projective_trees import is_projective

WORDS = ["the", "old", "dog", "barks"]


class Asking:
    """A session that asks for margins, with the last analysis, the last margins and the errors."""

    def __init__(self, session: Session, opening: Open) -> None:
        self.session = session
        self.analysis: Any = None
        self.margins: list[MarginsMessage] = []
        self.errors: list[ErrorMessage] = []
        self.send(opening)

    def send(self, event: Any) -> None:
        self.session.receive(event)
        while jobs := self.session.jobs_to_run():
            for job in jobs:
                self.session.job_done(job, job.run())
        for message in self.session.messages_to_send():
            self.take(message)

    def take(self, message: object) -> None:
        if isinstance(message, AnalysisMessage):
            self.analysis = message
        elif isinstance(message, DeltaMessage):
            self.analysis = apply_delta(self.analysis, message)
        elif isinstance(message, MarginsMessage):
            self.margins.append(message)
        elif isinstance(message, ErrorMessage):
            self.errors.append(message)

    def asked(self, version: int = 1, words: list[int] | None = None) -> dict[int, MarginView]:
        """The margins of arcs, by word."""
        self.send(AskMargins("d", version, 0, words))
        assert not self.errors
        return {arc.word: arc for arc in self.margins[-1].arcs}


def of_words(model: Model, words: list[str] = WORDS) -> Asking:
    return Asking(Session(model), Open("d", 1, words=words))


def test_all_shown_arcs_come_with_their_rivals_the_least_sure_first(model: Model) -> None:
    asking = of_words(model)
    arcs = asking.asked()
    assert sorted(arcs) == [1, 2, 3, 4]
    assert {word: (arc.head, arc.label) for word, arc in arcs.items()} == {
        number: (word.head, word.label) for number, word in enumerate(asking.analysis.words, 1)
    }
    margins = [arc.margin for arc in asking.margins[-1].arcs]
    assert margins == sorted(margins)
    assert all(arc.rival and arc.rival.head != arc.head for arc in arcs.values())
    assert all(arc.constraint is None for arc in arcs.values())


def test_asked_words_alone_are_answered_once(model: Model) -> None:
    asking = of_words(model)
    assert sorted(asking.asked(words=[3, 1, 3])) == [1, 3]
    assert asking.asked(words=[]) == {}
    asking.send(Append("d", 2, ["loudly"]))
    assert len(asking.margins) == 2


def trees(n: int) -> list[tuple[int, ...]]:
    """All projective trees of n words with one root."""
    listed = product(range(n + 1), repeat=n)
    return [heads for heads in listed if heads.count(0) == 1 and _is_tree(heads) and is_projective(heads)]


def _is_tree(heads: tuple[int, ...]) -> bool:
    return all(_leads_to_root(heads, word) for word in range(1, len(heads) + 1))


def _leads_to_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word == 0


@each_seed(cases(20))
def test_margins_under_what_is_fixed_are_those_of_a_list_of_all_trees(
    seed: int, make_model: Callable[..., Model], random_words: Callable[..., Any]
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    words = [*random_words(source, 4)]
    n = len(words)
    if n < 2:
        return
    fixed = source.randrange(1, n + 1)
    head = source.choice([one for one in range(1, n + 1) if one != fixed])
    asking = Asking(Session(model), Open("d", 1, words=words))
    asking.send(Finish("d", 2))
    asking.send(Fix("d", 2, 0, heads={fixed: head}))
    arcs = asking.asked(version=2)
    logs = model.judge_all([words])[0].arc_logs
    totals = {
        heads: float(logs[heads, np.arange(1, n + 1)].sum()) for heads in trees(n) if heads[fixed - 1] == head
    }
    assert (arcs[fixed].margin, arcs[fixed].rival) == (None, None)
    for word, arc in arcs.items():
        having = [total for heads, total in totals.items() if heads[word - 1] == arc.head]
        others = {heads: total for heads, total in totals.items() if heads[word - 1] != arc.head}
        if not others:
            assert arc.rival is None
            continue
        best = max(others, key=lambda heads: others[heads])
        assert arc.margin == pytest.approx(max(having) - others[best], abs=1e-3)
        assert arc.rival is not None
        assert arc.rival.head == best[word - 1]


@each_seed(cases(20))
def test_alternatives_are_those_of_a_list_of_all_heads_and_labels(
    seed: int, make_model: Callable[..., Model], random_words: Callable[..., Any]
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    words = [*random_words(source, 4)]
    n = len(words)
    if n < 2:
        return
    fixed, labelled = source.sample(range(1, n + 1), 2)
    label = source.choice([one for one in model.inventory.labels if one != "root"])
    asking = Asking(Session(model), Open("d", 1, words=words))
    asking.send(Finish("d", 2))
    heads = {fixed: source.choice([one for one in range(1, n + 1) if one != fixed])}
    asking.send(Fix("d", 2, 0, heads=heads, labels={labelled: label}))
    if asking.errors:
        return  # no tree can have these
    arcs = asking.asked(version=2)
    judged = model.judge_all([words])[0]
    for word, arc in arcs.items():
        chances = {
            (head, name): float(np.exp(judged.arc_logs[head, word] + log))
            for head in range(n + 1)
            for name, log in zip(
                model.inventory.labels, judged.label_logs(np.array([head]), np.array([word]))[0], strict=True
            )
        }
        assert sum(chances.values()) == pytest.approx(1, abs=1e-4)
        open_ones = {
            pair: chance
            for pair, chance in chances.items()
            if pair != (arc.head, arc.label) and word != fixed and (word != labelled or pair[1] == label)
        }
        listed = [chance for chance in sorted(open_ones.values(), reverse=True)[:3] if chance >= 0.01]
        assert [one.probability for one in arc.alternatives or ()] == pytest.approx(listed, abs=1e-3)
        for one in arc.alternatives or ():
            assert isinstance(one.head, int)
            assert open_ones[one.head, one.label] == pytest.approx(one.probability, abs=1e-3)


@pytest.mark.parametrize("prediction", ["virtual", "later", "none"])
def test_alternatives_on_words_to_come_read_as_heads_do(model: Model, prediction: Prediction) -> None:
    asking = Asking(Session(model), Open("d", 1, words=WORDS, options=OptionChanges(prediction=prediction)))
    arcs = asking.asked()
    listed = {word: [(one.head, one.label) for one in arc.alternatives or ()] for word, arc in arcs.items()}
    assert any(listed.values())
    for pairs in listed.values():
        assert len({*pairs}) == len(pairs) <= 3
        assert prediction == "virtual" or all(not isinstance(head, int) or head >= 0 for head, _ in pairs)


def test_the_library_tells_the_same_margins_as_a_session() -> None:
    model, words = load_model("en"), ["Peter", "sees", "the", "man", "with", "the", "dog", "."]
    asking = Asking(Session(model), Open("d", 1, words=words, options=OptionChanges(levels=["L0", "L1"])))
    asking.send(Finish("d", 2))
    asking.send(Fix("d", 2, 0, heads={7: 4}))
    told = asking.asked(version=2)
    found = model.margins(words, {7: Correction(4)})
    assert [arc.word for arc in found] == sorted(told, key=lambda word: told[word].margin or np.inf)
    for arc in found:
        view = told[arc.word]
        assert view.margin == (None if arc.rival is None else pytest.approx(arc.margin, abs=1e-3))
        assert (view.rival and (view.rival.head, view.rival.label)) == arc.rival


def test_where_a_search_has_run_constraints_speak_against_rivals() -> None:
    model = load_model("en")
    asking = Asking(
        Session(model, searcher_for(model)), Open("d", 1, words=["the", "dogs", "bark", "loudly", "."])
    )
    asking.send(Finish("d", 2))
    assert "L2" in asking.analysis.levels
    arcs = asking.asked(version=2)
    assert all(arc.constraint for arc in arcs.values())
    assert all(arc.penalty is not None and 0 <= arc.penalty < 1 for arc in arcs.values())


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (AskMargins("d", 1, 7), "unknown_sentence"),
        (AskMargins("d", 9, 0), "old_version"),
        (AskMargins("d", 1, 0, [9]), "unknown_word"),
        (AskMargins("d", 1, 0, [0]), "unknown_word"),
        ({"type": "ask_margins", "document": "d", "version": 1, "sentence": 0, "words": "all"}, "bad_event"),
    ],
)
def test_questions_about_what_is_not_there_are_refused(model: Model, ask: Any, code: str) -> None:
    asking = of_words(model)
    asking.send(ask)
    assert [error.code for error in asking.errors] == [code]
    assert not asking.margins


def test_without_a_best_parse_there_are_no_margins(model: Model) -> None:
    asking = Asking(Session(model), Open("d", 1, words=["the", "dog"], options=OptionChanges(levels=["L0"])))
    asking.send(AskMargins("d", 1, 0))
    assert [error.code for error in asking.errors] == ["unsupported"]


def test_words_that_come_while_margins_are_computed_make_them_those_of_the_newest_words(model: Model) -> None:
    asking = of_words(model)
    asking.session.receive(AskMargins("d", 1, 0))
    jobs = asking.session.jobs_to_run()
    assert [type(job) for job in jobs] == [Weigh]
    results = [job.run() for job in jobs]
    asking.session.receive(Append("d", 2, ["loudly"]))
    for job, result in zip(jobs, results, strict=True):
        asking.session.job_done(job, result)
    asking.send(Append("d", 3, ["."]))
    assert [(one.version, len(one.arcs)) for one in asking.margins] == [(3, 4)]
    shown = [(word.head, word.label) for word in asking.analysis.words]
    assert all((arc.head, arc.label) == shown[arc.word - 1] for arc in asking.margins[0].arcs)


def test_what_an_interrupted_job_has_found_is_kept(make_model: Callable[..., Model]) -> None:
    asking = of_words(make_model().with_trees("mh4"))
    asking.session.receive(AskMargins("d", 1, 0))
    (job,) = asking.session.jobs_to_run()
    assert isinstance(job, Weigh)
    asking.session.job_done(job, job.run()[:1])  # type: ignore[index]
    (rest,) = asking.session.jobs_to_run()
    assert isinstance(rest, Weigh)
    assert [*rest.asked] == [2, 3, 4]
    asking.session.job_done(rest, rest.run())
    asking.send(Append("d", 2, []))
    assert sorted(arc.word for arc in asking.margins[0].arcs) == [1, 2, 3, 4]


def test_a_failure_is_told_and_ends_the_question(model: Model) -> None:
    asking = of_words(model)
    asking.session.receive(AskMargins("d", 1, 0))
    (job,) = asking.session.jobs_to_run()
    asking.session.job_done(job, ValueError("out of memory"))
    assert not asking.session.jobs_to_run()
    asking.send(Append("d", 2, ["loudly"]))
    assert [error.code for error in asking.errors] == ["failed"]
    assert not asking.margins
