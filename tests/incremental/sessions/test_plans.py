"""Plans reach as much of the reference as can be reached; what steps lose is what they bar."""

from __future__ import annotations

import random

import pytest
from cases import cases, each_seed
from reach import Reached

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Virtual
from treewhile.incremental.sessions.messages import PlannedView, Prediction
from treewhile.incremental.sessions.plans import (
    LONGEST_PLAN,
    MOST_WAITING,
    STEP_NAMES,
    lost_by,
    plan_from,
    plan_views,
)
from treewhile.incremental.sessions.words_to_come import RELATIONS, Wording, outlook_of
from treewhile.oracles import Configuration, OptimalStepTracker

NOUN, VERB = Virtual(1, "NOUN"), Virtual(4, "VERB")
# "The old dog that", of which the dog and what follows hang on words to come
DOG = Analysis(
    ("The", "old", "dog", "that"),
    ("DET", "ADJ", "NOUN", "PRON"),
    ("_",) * 4,
    (3, 3, LATER, VERB),
    ("det", "amod", "nsubj", "nsubj:outer"),
    (ExpectedWord(VERB, 3, "acl:relcl"),),
)


def random_tracker(source: random.Random) -> tuple[OptimalStepTracker, tuple[int | None, ...]]:
    """Behind some random steps, for heads that may cross, or go round, and are then left out."""
    n = source.randint(2, 9)
    heads: list[int | None] = [
        source.choice([None, *(head for head in range(n + 1) if head != word)]) for word in range(1, n + 1)
    ]
    for word in range(1, n + 1):
        above, seen = word, set[int]()
        while above and above not in seen:
            seen.add(above)
            above = heads[above - 1] or 0
        if above:
            heads[word - 1] = None
    tracker = OptimalStepTracker(heads)
    for _ in range(source.randint(0, n)):
        tracker.apply(source.choice(tracker.configuration.legal_steps()))
    return tracker, tuple(heads)


def arcs_along(tracker: OptimalStepTracker, steps: list[str], heads: tuple[int | None, ...]) -> int:
    configuration, arcs = tracker.configuration, 0
    for step in steps:
        edge = configuration.edge(step)
        arcs += bool(edge) and heads[edge[1] - 1] == edge[0]
        configuration = configuration.apply(step)
    return arcs


@pytest.mark.reaches(0.6)
@each_seed(cases(60))
def test_a_plan_makes_all_arcs_that_can_be_made_and_leaves_the_tracker_where_it_was(
    seed: int, reached: Reached
) -> None:
    tracker, heads = random_tracker(random.Random(seed))
    before, scores = tracker.configuration, tracker.scores()
    plan = plan_from(tracker, heads)
    assert (tracker.configuration, tracker.scores()) == (before, scores)
    assert arcs_along(tracker, [move.step for move in plan], heads) == scores.attainable
    reached(scores.attainable)


@pytest.mark.reaches(0.4)
@each_seed(cases(60))
def test_a_step_loses_at_least_as_many_arcs_as_it_attains_less(seed: int, reached: Reached) -> None:
    tracker, heads = random_tracker(random.Random(seed))
    before, scores = tracker.configuration, tracker.scores()
    can_all_be = scores.attainable == sum(
        head is not None and {word, head} <= {*before.stack, *range(before.front, before.n + 1)}
        for word, head in enumerate(heads, 1)
    )
    lost = lost_by(tracker, heads)
    reached(any(lost.values()))
    assert [*lost] == [name for name in STEP_NAMES if getattr(scores, name) is not None]
    for step, arcs in lost.items():
        less = scores.attainable - (getattr(scores, step) or 0)
        assert len(arcs) == less if can_all_be or not less else len(arcs) >= less
        assert all(heads[child - 1] == head for head, child in arcs)
        after = OptimalStepTracker(
            [None if (head, word) in arcs else head for word, head in enumerate(heads, 1)],
            configuration=before,
        )
        assert not can_all_be or getattr(after.scores(), step) == after.scores().attainable
    assert tracker.configuration == before


def test_among_very_many_words_a_step_loses_the_arcs_that_it_bars_by_itself() -> None:
    n = MOST_WAITING + 10
    heads = tuple(range(n))  # a chain
    tracker = OptimalStepTracker(heads, configuration=Configuration((0, 1, 2), 3, n))
    assert lost_by(tracker, heads) == {"shift": [], "reduce_left": [(2, 3)], "reduce_right": [(0, 1), (1, 2)]}


def planned(analysis: Analysis, configuration: Configuration, prediction: Prediction) -> list[PlannedView]:
    outlook = outlook_of(analysis, is_open=True)
    tracker = OptimalStepTracker(outlook.heads, configuration=configuration)
    return plan_views(tracker, outlook.heads, Wording(analysis, outlook.names, prediction))


def test_a_plan_says_what_is_waited_for_and_what_is_attached() -> None:
    plan = planned(DOG, Configuration((0, 1), 2, 6), "virtual")
    assert [step.says for step in plan] == [
        "take *old*",
        "take *dog*",
        "attach *old* to *dog* as its adjective",
        "attach *The* to *dog* as its determiner",
        "take *that*",
        "wait for a VERB",
        "attach *that* to it as its nsubj:outer",
        "attach it to *dog* as its relative clause",
        "wait for a word to come",
        "attach *dog* to it as its subject",
    ]
    assert [(step.step, step.head, step.child, step.word, step.tag) for step in plan][5:] == [
        ("shift", None, None, -4, "VERB"),
        ("reduce_right", -4, 4, None, None),
        ("reduce_left", 3, -4, None, None),
        ("shift", None, None, "later", None),
        ("reduce_right", "later", 3, None, None),
    ]


@pytest.mark.parametrize(
    ("prediction", "word", "says"),
    [
        ("virtual", -4, "wait for a VERB"),
        ("later", "later", "wait for a word to come"),
        ("none", None, "wait for the next word"),
    ],
)
def test_no_more_is_said_of_words_to_come_than_clients_ask_for(
    prediction: Prediction, word: object, says: str
) -> None:
    first, second, *_ = planned(DOG, Configuration((0, 3, 4), 5, 6), prediction)
    assert (first.word, first.says) == (word, says)
    assert second.head == word
    assert first.tag == ("VERB" if prediction == "virtual" else None)


def test_more_words_may_be_to_come_than_are_there() -> None:
    expected = (ExpectedWord(NOUN, VERB, "nsubj"), ExpectedWord(VERB, 0, "root"))
    the = Analysis(("The",), ("DET",), ("_",), (NOUN,), ("det",), expected)
    plan = planned(the, Configuration((0, 1), 2, 3), "virtual")
    assert [step.word for step in plan if step.step == "shift"] == [-1, -4]
    assert [(step.head, step.child) for step in plan if step.step != "shift"] == [(-1, 1), (-4, -1), (0, -4)]


def test_plans_have_an_end() -> None:
    n = 3 * LONGEST_PLAN
    long = Analysis(("w",) * n, ("X",) * n, ("_",) * n, tuple(range(n)), ("dep",) * n)
    assert len(planned(long, Configuration((0,), 1, n + 1), "virtual")) == LONGEST_PLAN


def test_a_root_is_made_and_relations_without_a_name_go_by_their_own() -> None:
    noun = Analysis(("dog",), ("NOUN",), ("_",), (NOUN,), ("odd",), (ExpectedWord(NOUN, 0, "root"),))
    assert [step.says for step in planned(noun, Configuration((0, 1), 2, 2), "virtual")] == [
        "wait for a NOUN",
        "attach *dog* to it as its odd",
        "make it the root",
    ]
    assert "root" not in RELATIONS


def test_what_is_known_by_its_tag_has_an_article() -> None:
    adjective = Virtual(3, "ADJ")
    very = Analysis(
        ("very",), ("ADV",), ("_",), (adjective,), ("advmod",), (ExpectedWord(adjective, 0, "root"),)
    )
    assert planned(very, Configuration((0, 1), 2, 2), "virtual")[0].says == "wait for an ADJ"
