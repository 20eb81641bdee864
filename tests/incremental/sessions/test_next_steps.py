from __future__ import annotations

import random
from dataclasses import astuple

import numpy as np
import pytest
from cases import cases, each, each_seed
from reach import Reached

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.sessions.next_steps import (
    LONGEST_COUNTED,
    Array,
    Chances,
    Question,
    StepFollower,
    configuration_after,
    expectation,
)
from treewhile.incremental.sessions.plans import STEP_NAMES, edges_of, rebuilt_classes, rebuilt_steps
from treewhile.incremental.sessions.words_to_come import outlook_of
from treewhile.oracles import Configuration, InputError, OptimalStepTracker, optimal_steps, projectivize

NOUN, VERB = Virtual(2, "NOUN"), Virtual(4, "VERB")
LABELS = {"root": 0, "dep": 1}


def random_steps(source: random.Random, n: int, length: int) -> list[int]:
    configuration, steps = Configuration.initial(n), list[int]()
    while len(steps) < length and (legal := configuration.legal_steps()):
        name = source.choice(legal)
        steps.append(STEP_NAMES.index(name))
        configuration = configuration.apply(name)
    return steps


def random_forest(source: random.Random, n: int) -> tuple[int | None, ...]:
    tree = projectivize([source.randrange(word) for word in range(1, n + 1)])
    return tuple(None if source.random() < 0.3 else head for head in tree)


def random_prefix(source: random.Random, n: int) -> Analysis:
    """The first words of a tree, some words to come by their tags, the others as later."""
    heads = random_heads(source, n + 4)
    names: dict[Head, Head] = {0: 0, n + 1: NOUN, n + 2: VERB}
    names |= {n + 3: LATER, n + 4: LATER} | {word: word for word in range(1, n + 1)}
    named = [names[head] for head in heads]
    expected = [ExpectedWord(node, head, "dep") for node, head in zip((NOUN, VERB), named[n:], strict=False)]
    used = {*named[:n]}
    return Analysis(
        ("w",) * n,
        ("X",) * n,
        ("_",) * n,
        tuple(named[:n]),
        ("dep",) * n,
        tuple(one for one in expected if one.node in used),
    )


def finished(heads: tuple[int | None, ...]) -> Analysis:
    n = len(heads)
    told = tuple(LATER if head is None else head for head in heads)
    return Analysis(("w",) * n, ("X",) * n, ("_",) * n, told, ("dep",) * n)


@each_seed(cases(30))
@pytest.mark.parametrize("kind", ["gold", "open", "finished"])
def test_answers_are_those_from_scratch_wherever_the_steps_lead(seed: int, kind: str) -> None:
    source, follower = random.Random(seed), StepFollower()
    for _ in range(15):
        n = source.randint(1, 8)
        gold = random_forest(source, n) if kind == "gold" else None
        analysis = random_prefix(source, n) if kind == "open" else finished(random_forest(source, n))
        steps = random_steps(source, n, source.randint(0, 2 * n))
        question = Question(bytes(steps), analysis, kind == "open", gold, wants_plan=True)
        answer, outlook = follower.answer(question), question.outlook
        stack, front, _ = astuple(configuration_after(steps, n))
        assert astuple(answer.configuration) == (stack, front, n)
        configuration = Configuration(stack, front, len(outlook.heads))
        single = gold is None and outlook.heads.count(0) <= 1
        assert answer.scores == optimal_steps(configuration, outlook.heads, single_root=single)
        assert answer.known == optimal_steps(configuration, outlook.known, single_root=single)
        assert answer.waits == (kind == "open" and front > n)
        made = sum(outlook.heads[child - 1] == head for head, child in edges_of(steps))
        left = sum(head is not None for head in outlook.heads) - made
        assert answer.share == (answer.scores.attainable / left if left else 1)
        assert answer.advised == answer.best == [name for name in STEP_NAMES if name in answer.scores.best]
        assert answer.scores.shift is not None or kind != "open"


@each_seed(cases(30))
def test_what_is_expected_is_that_from_scratch_and_waiting_comes_first(seed: int) -> None:
    source, follower, advised = random.Random(seed), StepFollower(), set[str]()
    for _ in range(10):
        n = source.randint(1, 6)
        chances = np.array([[source.choice([0, 0.25, 0.5]) for _ in range(n + 2)] for _ in range(n + 2)])
        steps = random_steps(source, n, source.randint(0, 2 * n))
        analysis = random_prefix(source, n)
        answer = follower.answer(Question(bytes(steps), analysis, True, chances=Chances(lambda m=chances: m)))
        stack, front, _ = astuple(configuration_after(steps, n))
        configuration = Configuration(stack, front, n + 1)
        assert answer.expected == optimal_steps(configuration, chances, single_root=True)
        best = answer.expected.best
        assert answer.advised == (["shift"] if "shift" in best else list(best))
        advised |= {*answer.advised}
    assert "shift" in advised


def test_long_sentences_are_not_counted_from_scratch() -> None:
    follower = StepFollower()

    def counted(n: int) -> int | None:
        return follower.answer(Question(b"", finished((0,) * n), False)).entries_in_all

    assert counted(LONGEST_COUNTED) is not None
    assert counted(LONGEST_COUNTED + 1) is None


def test_chances_are_made_once_and_only_if_asked_for() -> None:
    made = list[int]()

    def make() -> Array:
        made.append(1)
        return np.zeros((2, 2))

    chances = Chances(make)
    assert made == []
    assert chances() is chances()
    assert made == [1]


CHAIN = finished((2, 3, 0))  # three words, each under the next one
SURE = np.zeros((5, 5))
SURE[2, 1] = SURE[3, 2] = SURE[0, 3] = 1


@each(
    "steps, drift, has_drifted",
    [
        ("ss", 1, False),
        ("ssr", 1, False),
        ("ssl", 0, False),
        ("ssl", 0.3, False),  # of three edges one can still be
        ("ssl", 0.4, True),
        ("sls", 1, False),  # word 1 is attached anew as well
        ("slsl", 0.5, False),  # of two words one can still be right
        ("slsl", 0.6, True),
        ("slsls", 1, False),
    ],
)
def test_steps_have_drifted_once_too_little_can_be_expected(
    steps: str, drift: float, has_drifted: bool
) -> None:
    made = bytes("slr".index(step) for step in steps)
    question = Question(made, CHAIN, True, chances=Chances(lambda: SURE), drift=drift)
    assert StepFollower().answer(question).has_drifted == has_drifted


@pytest.mark.reaches(0.5)
@each_seed(cases(40))
def test_no_drift_is_overlooked_by_the_bound_that_spares_building_steps_anew(
    seed: int, reached: Reached
) -> None:
    source, found = random.Random(seed), set[bool]()
    for _ in range(20):
        n = source.randint(2, 7)
        chances = np.array([[source.random() ** 3 for _ in range(n + 2)] for _ in range(n + 2)])
        chances /= np.maximum(1, chances.sum(0))
        steps, drift = bytes(random_steps(source, n, source.randint(1, 2 * n))), source.random()
        configuration = configuration_after(steps, n)
        expected, analysis = expectation(configuration, chances), random_prefix(source, n)
        anew = rebuilt_steps(analysis, configuration.front, is_closed=False)
        own, others = ({child: head for head, child in edges_of(one)} for one in (steps, anew))
        kept = expected.attainable + sum(chances[own[word], word] for word in own.keys() - others)
        could_be = expectation(configuration_after(anew, n), chances).attainable
        could_be += sum(chances[others[word], word] for word in others.keys() - own)
        answer = StepFollower().answer(
            Question(steps, analysis, True, chances=Chances(lambda m=chances: m), drift=drift)
        )
        assert answer.has_drifted == (answer.share < 1 and kept < drift * could_be - 1e-9)
        found.add(answer.has_drifted)
    reached(found == {False, True})


def random_heads(source: random.Random, n: int) -> list[Head]:
    shuffled = [source.choice([*range(word), *range(word + 1, n + 1)]) for word in range(1, n + 1)]
    try:
        tree = projectivize(shuffled, single_root=True)
    except InputError:  # the heads go round in a circle
        return random_heads(source, n)
    return [head if head is not None else 0 for head in tree]


def random_prefix_heads(source: random.Random, n: int) -> list[Head]:
    """The heads of the first words of a longer sentence: whatever is still to come hangs on LATER."""
    whole = random_heads(source, n + 2)
    return [head if isinstance(head, int) and head <= n else LATER for head in whole[:n]]


@each_seed(cases(40))
@pytest.mark.parametrize("is_closed", [False, True])
def test_all_edges_are_attainable_once_the_steps_are_built_again(seed: int, is_closed: bool) -> None:
    source = random.Random(seed)
    n = source.randint(1, 10)
    heads = random_heads(source, n) if is_closed else random_prefix_heads(source, n)
    labels = tuple("root" if head == 0 else "dep" for head in heads)
    best = Analysis(("w",) * n, ("X",) * n, ("_",) * n, tuple(heads), labels)
    front = n + 1 if is_closed else source.randint(1, n + 1)
    classes = rebuilt_classes(best, front, is_closed, LABELS)
    steps = [0 if step == 0 else 1 + (step - 1) // len(LABELS) for step in classes]
    configuration = configuration_after(steps, n)
    assert configuration.front == front
    assert configuration.is_final or not is_closed
    made = {child: head for head, child in edges_of(steps)}
    assert all(heads[child - 1] == head for child, head in made.items()), "no edge that is not in the tree"
    outlook = outlook_of(best, not is_closed)
    configuration = Configuration(configuration.stack, configuration.front, len(outlook.heads))
    tracker = OptimalStepTracker(outlook.heads, configuration=configuration)
    known = sum(head is not None for head in outlook.heads)
    assert tracker.scores().attainable == known - len(made)
