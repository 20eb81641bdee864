from __future__ import annotations

import random

import pytest

from treewhile.incremental.parsers.analyses import LATER, Analysis, Head
from treewhile.incremental.sessions.next_steps import (
    LONGEST_COUNTED,
    StepFollower,
    configuration_after,
    edges_of,
    rebuilt_classes,
)
from treewhile.incremental.sessions.words_to_come import forest_of
from treewhile.oracles import Configuration, InputError, OptimalStepTracker, optimal_steps, projectivize
from treewhile.oracles.transitions import TRANSITIONS

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


def test_names_of_steps_are_in_the_order_of_the_table() -> None:
    assert tuple(TRANSITIONS) == STEP_NAMES


@pytest.mark.parametrize("seed", range(30))
def test_answers_are_those_from_scratch_wherever_the_steps_lead(seed: int) -> None:
    source, follower = random.Random(seed), StepFollower()
    for _ in range(15):
        n = source.randint(1, 8)
        heads = random_forest(source, n)
        steps = random_steps(source, n, source.randint(0, 2 * n))
        answer = follower.answer(bytes(steps), heads)
        configuration = configuration_after(steps, n)
        assert answer.configuration == configuration
        assert answer.scores == optimal_steps(configuration, heads)
        made = sum(heads[child - 1] == head for head, child in edges_of(steps))
        left = sum(head is not None for head in heads) - made
        assert answer.share == (answer.scores.attainable / left if left else 1)


def test_long_sentences_are_not_counted_from_scratch() -> None:
    follower = StepFollower()
    assert follower.answer(b"", (0,) * LONGEST_COUNTED).entries_in_all is not None
    assert follower.answer(b"", (0,) * (LONGEST_COUNTED + 1)).entries_in_all is None


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


@pytest.mark.parametrize("seed", range(40))
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
    tracker = OptimalStepTracker(forest_of(best), configuration=configuration)
    known = sum(isinstance(head, int) for head in heads)
    assert tracker.scores().attainable == known - len(made)
