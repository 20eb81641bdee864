from __future__ import annotations

from random import Random

import numpy as np
import pytest

from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.shift_reduce import (
    AHEAD,
    END,
    HIDDEN,
    NONE,
    ROOT,
    SHIFT,
    LabelledComputation,
)
from treewhile.incremental.training.exploration import (
    UNKNOWN,
    Codes,
    gold_computation,
    hidden_beyond,
)
from treewhile.oracles import projectivize

KINDS = 4


def random_tree(rng: Random, n: int) -> list[int]:
    """A projective tree with one root."""
    order = rng.sample(range(1, n + 1), n)
    heads = {word: rng.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
    return projectivize([heads[word] for word in range(1, n + 1)])


def random_labels(rng: Random, n: int) -> list[int]:
    return [rng.randrange(KINDS) for _ in range(n)]


def followed(steps: Codes, n: int) -> LabelledComputation:
    computation = LabelledComputation(KINDS, n)
    for step in steps.tolist():
        computation.take(step)
    return computation


def test_left_children_are_taken_first_and_the_root_takes_its_child_last() -> None:
    roles, steps = gold_computation([2, 0, 2], [1, 0, 2], KINDS)
    assert steps.tolist() == [SHIFT, SHIFT, 1 + KINDS + 1, SHIFT, 1 + 2, 1 + 0]
    assert roles.tolist() == [
        [ROOT, NONE, NONE, NONE, NONE, NONE, NONE, 1, 2, 3],
        [1, ROOT, NONE, NONE, NONE, NONE, NONE, 2, 3, END],
        [2, 1, ROOT, NONE, NONE, NONE, NONE, 3, END, END],
        [2, ROOT, NONE, 1, NONE, NONE, NONE, 3, END, END],
        [3, 2, ROOT, NONE, NONE, 1, NONE, END, END, END],
        [2, ROOT, NONE, 1, 3, NONE, NONE, END, END, END],
    ]


def test_the_steps_lead_to_the_tree() -> None:
    for seed in range(100):
        rng = Random(seed)
        n = rng.randrange(1, 15)
        heads, labels = random_tree(rng, n), random_labels(rng, n)
        edges = followed(gold_computation(heads, labels, KINDS)[1], n).attachments
        assert [edges[word].head for word in range(1, n + 1)] == heads, seed
        assert [edges[word].label for word in range(1, n + 1)] == labels, seed


def test_no_words_take_no_steps() -> None:
    roles, steps = gold_computation([], [], KINDS)
    assert roles.shape == (0, len(ROLES))
    assert steps.shape == (0,)


def test_a_step_with_an_unknown_label_is_taken_but_is_no_target() -> None:
    for seed in range(50):
        rng = Random(seed)
        heads = random_tree(rng, 8)
        labels = random_labels(rng, 8)
        some = [label if rng.random() < 0.5 else UNKNOWN for label in labels]
        roles, steps = gold_computation(heads, labels, KINDS)
        same_roles, some_steps = gold_computation(heads, some, KINDS)
        assert np.array_equal(same_roles, roles), seed
        is_known = some_steps != UNKNOWN
        assert np.array_equal(some_steps[is_known], steps[is_known]), seed
        assert (~is_known).sum() == some.count(UNKNOWN), seed


@pytest.mark.parametrize(
    ("heads", "shifted", "attached"),
    [
        ([None], 1, []),
        ([0, None], 2, []),  # word 2 belongs under word 1, or is the root itself
        ([None, 0, 2], 2, []),  # word 2 may have to take word 1 before word 3
        ([2, None, 0, 3], 3, [1]),  # word 3 may have to take word 2 before word 4
        ([2, 3, None, 3, 4], 5, [1, 2, 4, 5]),
    ],
)
def test_a_computation_ends_where_a_word_of_unknown_head_stands_in_its_way(
    heads: list[int | None], shifted: int, attached: list[int]
) -> None:
    computation = followed(gold_computation(heads, [0] * len(heads), KINDS)[1], len(heads))
    assert computation.front - 1 == shifted
    assert sorted(computation.attachments) == attached


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_hiding_words_gives_the_roles_of_a_parser_that_looks_less_far_ahead(ahead: int) -> None:
    for seed in range(30):
        rng = Random(seed)
        n = rng.randrange(1, 9)
        roles, steps = gold_computation(random_tree(rng, n), random_labels(rng, n), KINDS)
        computation = LabelledComputation(KINDS, n)
        hidden = hidden_beyond(roles, ahead, to_the_end=False)
        for row, step in zip(hidden, steps.tolist(), strict=True):
            assert row.tolist() == computation.roles(ahead, is_closed=True), seed
            computation.take(step)


def test_hiding_to_the_end_hides_that_no_words_remain() -> None:
    roles, _ = gold_computation([2, 0, 2], [0, 0, 0], KINDS)
    hidden = hidden_beyond(roles, 0, to_the_end=True)
    assert (hidden[:, AHEAD] == HIDDEN).all()
    others = [role for role in range(len(ROLES)) if role not in AHEAD]
    assert np.array_equal(hidden[:, others], roles[:, others])
    assert (roles[-1, AHEAD] == END).all()
