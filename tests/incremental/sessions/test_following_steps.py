from __future__ import annotations

import gc
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from cases import cases, each_seed
from growing_parses import grown
from msgspec import structs
from shells import SEEDS, SENTENCE, Draw, MakeModel, Shell, heads_of, last, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.sessions.jobs import Follow
from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    AskSteps,
    Finish,
    Gold,
    Open,
    OptionChanges,
    Options,
    Revoke,
    Step,
    StepsMessage,
    Undo,
)
from treewhile.incremental.sessions.next_steps import Chances, Question
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.sentence_work import MOST_REQUESTS
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.sessions.words_to_come import head_view, outlook_of
from treewhile.oracles import Configuration, optimal_steps


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


def test_all_steps_by_hand_can_be_taken_back_at_once(model: Model) -> None:
    shell = opened(model, ["dog", "barks"], risk=1)
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    own = shell.client.steps[-1]
    shell.send(Undo("d", 1, 0), Undo("d", 1, 0), Step("d", 1, 0, "shift"), Undo("d", 1, 0))
    shell.settle()
    undone = shell.client.steps[-1]
    assert (undone.stack, undone.by_hand) == ([0], True), "the step was made behind steps that were undone"
    shell.send(Undo("d", 1, 0, all=True))
    shell.settle()
    assert (shell.client.steps[-1].stack, shell.client.steps[-1].by_hand) == (own.stack, False)
    shell.send(Undo("d", 1, 0, all=True))
    shell.settle()
    assert shell.client.errors == []


def test_steps_by_hand_stand_up_to_the_first_one_that_takes_a_word_that_changes(model: Model) -> None:
    shell = opened(model, ["dog", "barks"])
    shell.send(Step("d", 1, 0, "reduce_left"), Append("d", 2, ["the"]), AskSteps("d", 2, 0))
    shell.settle()
    assert shell.client.errors[0].code == "old_version", "words were appended before the step was taken"
    shell.send(Step("d", 2, 0, "reduce_left"))
    shell.settle()
    shell.send(Append("d", 3, ["cat"]), AskSteps("d", 3, 0))
    shell.settle()
    assert (shell.client.steps[-1].by_hand, shell.client.steps[-1].n) == (True, 4)
    before = shell.client.steps[-1]
    shell.send(Step("d", 3, 0, "shift"), AskSteps("d", 3, 0))
    shell.settle()
    shell.send(Revoke("d", 4, 4 - before.front + 1), AskSteps("d", 4, 0))
    shell.settle()
    steps = shell.client.steps[-1]
    assert (steps.by_hand, steps.stack, steps.edges) == (True, before.stack, before.edges)
    shell.send(Revoke("d", 5, 1), AskSteps("d", 5, 0))
    shell.settle()
    assert not shell.client.steps[-1].by_hand


@each_seed(SEEDS)
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
    return grown(model, words).snapshot().tops


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


def question_of(shell: Shell, version: int) -> Question:
    """What is asked about the first sentence when a client asks for its next steps."""
    shell.send(AskSteps("d", version, 0))
    jobs = []
    while shell.jobs:
        jobs.append(shell.run_one())
    return [job.question for job in jobs if isinstance(job, Follow)][-1]


def chances_held() -> int:
    gc.collect()
    return sum(type(one) is Chances for one in gc.get_objects())


@pytest.mark.slow
def test_what_is_expected_can_be_asked_for_where_steps_are_not_streamed(model: Model) -> None:
    streaming = opened(model, SENTENCE, streams=["steps"], drift=0)
    streaming.settle()
    held = chances_held()
    asking = opened(model, SENTENCE, drift=0)
    asking.settle()
    assert chances_held() == held, "who streams no steps holds no more"
    asked = []
    for _ in range(2):
        asked.append(question_of(asking, 1).chances)
        (*_, told) = asking.client.steps
        assert told.expected is not None
        assert told.expected == streaming.client.steps[-1].expected
    first, second = asked
    assert first is second is not None, "they are made once"
    asking.send(Append("d", 2, ["cat"]))
    asking.settle()
    other = question_of(asking, 2).chances
    assert other is not None
    assert other is not first, "those were about other words"
    asking.send(Finish("d", 3))
    asking.settle()
    assert question_of(asking, 3).chances is None, "nothing is to come of a sentence that has ended"


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


def test_an_answer_about_a_step_that_was_taken_back_is_not_told(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    job, result = shell.run_without_telling()
    shell.send(Undo("d", 1, 0))
    shell.session.job_done(job, result)
    shell.send(AskAnalyses("d"))
    shell.settle()
    assert [steps.by_hand for steps in shell.client.steps] == [True]


def test_so_many_requests_wait_for_their_sentences_and_more_are_refused_for_now(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(*[AskSteps("d", 1, 0)] * MOST_REQUESTS)
    assert not shell.client.errors
    shell.send(AskSteps("d", 1, 0))
    (error,) = shell.client.errors
    assert (error.code, error.temporary, error.version) == ("too_much", True, 1)
    shell.settle()
    shell.send(AskSteps("d", 1, 0))
    shell.settle()
    assert len(shell.client.errors) == 1
    assert shell.client.steps[-1].n == len(SENTENCE)


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
    before = question_of(shell, 1).steps
    shell.send(Options("d", OptionChanges(risk=0)))
    shell.settle()
    patient = question_of(shell, 1).steps
    fresh = opened(english, [*OPEN, "barks"], streams=["analyses", "steps"], risk=0, drift=0)
    fresh.settle()
    assert patient == question_of(fresh, 1).steps != before
    told = shell.client.steps[-1]
    assert (told.stack, told.front) == (fresh.client.steps[-1].stack, fresh.client.steps[-1].front)
    assert len(told.stack) + told.front != len(hasty.stack) + hasty.front or told.stack != hasty.stack
    assert not told.rebuilt
    assert shell.client.errors == []
    shell.send(Append("d", 2, ["loudly"]))
    fresh.send(Append("d", 2, ["loudly"]))
    assert shell.state("d") == fresh.state("d")


def test_documents_take_the_risk_of_the_session_until_another_is_chosen(english: Model) -> None:
    shell = Shell(Session(english, options=DocumentOptions(risk=1)))
    shell.send(Open("d", 1, words=[*OPEN, "barks"]))
    shell.settle()
    hasty, patient = (question_of(opened(english, [*OPEN, "barks"], risk=risk), 1).steps for risk in (1, 0))
    assert question_of(shell, 1).steps == hasty != patient
    shell.send(Options("d", OptionChanges(risk=0)))
    shell.settle()
    assert question_of(shell, 1).steps == patient


@each_seed(cases(20))
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
    (follow,) = shell.jobs
    shell.jobs.clear()
    result = follow.run()
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    shell.session.job_done(follow, result)
    shell.send(AskAnalyses("d"))
    shell.settle()
    assert [steps.n for steps in shell.client.steps] == [2]
