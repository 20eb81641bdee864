"""What judges the oracles: seeded generators, and searches that try every possibility, by definition.

Nothing here knows how the oracles work. Heads are as callers write them; a tree is one whose heads are all
known, a forest may have unknown ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import inf
from random import Random
from typing import TypeVar

import numba
import pytest

from treewhile.oracles import Configuration

T = TypeVar("T")
Forest = list[int | None]
Stack = tuple[int, ...]
Edge = tuple[int, int]  # head, child
Scores = tuple[float | None, float | None, float | None]
EdgeScores = list[list[float]]  # [head][dependent]

STRATEGY_NAMES = ("left-before-right", "strict-left-before-right", "right-before-left")
STEPS = ("shift", "reduce_left", "reduce_right")

every_strategy = pytest.mark.parametrize("strategy", STRATEGY_NAMES)
every_root = pytest.mark.parametrize("single_root", [False, True], ids=["roots", "single root"])


def scaled(compiled: T, interpreted: T) -> T:
    """A size of a test: kernels that run as plain Python take smaller ones."""
    return interpreted if numba.config.DISABLE_JIT else compiled  # type: ignore[attr-defined]


# --- seeded generators --------------------------------------------------------------------------------------


def with_unknown(rng: Random, heads: Sequence[int | None], share: float) -> Forest:
    return [None if rng.random() < share else head for head in heads]


def random_forest(rng: Random, n: int) -> Forest:
    """Any tree over n words: each word hangs on 0 or on one drawn before it; some heads may be unknown."""
    order = rng.sample(range(1, n + 1), n)
    heads = {word: rng.choice([0, *order[:at]]) for at, word in enumerate(order)}
    return with_unknown(rng, [heads[word] for word in range(1, n + 1)], rng.choice([0, 0, 0.3]))


def random_projective_forest(rng: Random, n: int) -> Forest:
    """What a parser makes that takes random legal steps; some heads may be unknown."""
    heads: Forest = [None] * n
    configuration = Configuration.initial(n)
    while steps := configuration.legal_steps():
        step = rng.choice(steps)
        if edge := configuration.edge(step):
            heads[edge[1] - 1] = edge[0]
        configuration = configuration.apply(step)
    return with_unknown(rng, heads, rng.choice([0, 0, 0.3]))


def crossed(rng: Random, heads: Forest, moves: int) -> Forest:
    """The heads after some words got another one, none below itself: most often no longer projective."""
    heads = list(heads)
    for _ in range(moves):
        word = rng.randrange(1, len(heads) + 1)
        head = rng.randrange(len(heads) + 1)
        if not is_above(heads, word, head):
            heads[word - 1] = head
    return heads


def random_scores(rng: Random, n: int) -> EdgeScores:
    """Quarters, whose sums are exact and often the same; many are 0, and some edges may not be."""
    never, zero = rng.choice([0, 0.1, 0.3]), rng.choice([0.2, 0.7])

    def score() -> float:
        if rng.random() < never:
            return -inf
        return 0 if rng.random() < zero else rng.randrange(-8, 13) / 4

    return [[score() for _ in range(n + 1)] for _ in range(n + 1)]


def as_scores(heads: Sequence[int | None]) -> EdgeScores:
    """1 for the edges of a forest, 0 for the others."""
    return [[float(head == node) for head in (None, *heads)] for node in range(len(heads) + 1)]


def is_above(heads: Sequence[int | None], upper: int, lower: int | None) -> bool:
    """Whether the way up from `lower` comes to `upper`, or starts there."""
    while lower and lower != upper:
        lower = heads[lower - 1]
    return lower == upper


def random_configuration(rng: Random, n: int) -> Configuration:
    front = rng.randrange(1, n + 2)
    share = rng.choice([0.2, 0.5, 0.9])
    return Configuration((0, *(word for word in range(1, front) if rng.random() < share)), front, n)


def all_configurations(n: int) -> Iterator[Configuration]:
    for front in range(1, n + 2):
        for kept in product((False, True), repeat=front - 1):
            yield Configuration((0, *(word for word in range(1, front) if kept[word - 1])), front, n)


# --- every tree ---------------------------------------------------------------------------------------------


def has_cycle(heads: Sequence[int | None]) -> bool:
    for start in range(1, len(heads) + 1):
        word: int | None = start
        for _ in heads:
            word = heads[word - 1] if word else None
        if word:
            return True
    return False


@cache
def all_forests(n: int) -> tuple[tuple[int | None, ...], ...]:
    """All head vectors without cycles, unknown heads included."""
    return tuple(heads for heads in product((None, *range(n + 1)), repeat=n) if not has_cycle(heads))


@cache
def all_projective_trees(n: int) -> tuple[tuple[int, ...], ...]:
    """All trees in which the descendants of every word, itself included, stand side by side."""
    return tuple(
        heads
        for heads in product(range(n + 1), repeat=n)
        if all(word != head for word, head in enumerate(heads, 1))
        and not has_cycle(heads)
        and all(_stand_side_by_side(heads, word) for word in range(1, n + 1))
    )


def _stand_side_by_side(heads: tuple[int, ...], word: int) -> bool:
    below = [lower for lower in range(1, len(heads) + 1) if is_above(heads, word, lower)]
    return below[-1] - below[0] == len(below) - 1


# --- every computation --------------------------------------------------------------------------------------


def steps_from(stack: Stack, front: int, n: int) -> Iterator[tuple[str, Edge | None, Stack, int]]:
    """Table 1 again: step, edge, and the stack and front after it."""
    if front <= n:
        yield "shift", None, (*stack, front), front + 1
    if len(stack) >= 2:
        yield "reduce_left", (stack[-2], stack[-1]), stack[:-1], front
    if len(stack) >= 3:
        yield "reduce_right", (stack[-1], stack[-2]), (*stack[:-2], stack[-1]), front


def reachable_trees(stack: Stack, front: int, n: int) -> set[frozenset[Edge]]:
    """The edges that each computation makes, whatever the strategy."""

    @cache
    def after(stack: Stack, front: int) -> set[frozenset[Edge]]:
        if stack == (0,) and front > n:
            return {frozenset()}
        return {
            tree | ({edge} if edge else set())
            for _, edge, *rest in steps_from(stack, front, n)
            for tree in after(*rest)
        }

    return after(stack, front)


def attainable_by_search(
    configuration: Configuration,
    reference: Sequence[int | None] | EdgeScores,
    strategy: str,
    single_root: bool = False,
) -> Scores:
    """What each step attains at best, over all computations that the strategy allows.

    Restricted are the top of the stack and all words that remain. Once such a node has taken a child on the
    side that comes second, it takes none on the side that comes first. A single child of the root comes last.
    """
    n = configuration.n
    scores = reference if reference and isinstance(reference[0], list) else as_scores(reference)  # type: ignore[arg-type]
    restricted = {configuration.stack[-1], *range(configuration.front, n + 1)}
    below_top = set(configuration.stack[:-1])
    left_comes_second = strategy == "right-before-left"

    def is_allowed(head: int, child: int, late: frozenset[int], remain: bool) -> bool:
        is_left = child < head
        if single_root and head == 0 and remain:
            return False
        if strategy == "strict-left-before-right" and is_left and head in below_top:
            return False
        return is_left == left_comes_second or head not in late

    @cache
    def by_step(stack: Stack, front: int, late: frozenset[int]) -> dict[str, float]:
        """The best of every step, given which restricted nodes have taken a child on their second side."""
        found = {}
        for step, edge, stack_after, front_after in steps_from(stack, front, n):
            gained, late_after = 0.0, late
            if edge:
                head, child = edge
                if not is_allowed(head, child, late, front <= n):
                    continue
                gained = scores[head][child]  # type: ignore[index]
                if (child < head) == left_comes_second and head in restricted:
                    late_after |= {head}
                late_after -= {child}
            found[step] = gained + max(by_step(stack_after, front_after, late_after).values(), default=0)
        return found

    found = by_step(configuration.stack, configuration.front, frozenset())
    return found.get("shift"), found.get("reduce_left"), found.get("reduce_right")


# --- random computations ------------------------------------------------------------------------------------


def gold_or_random(rng: Random, best: Sequence[str], legal: Sequence[str], share: float = 0.1) -> str:
    """The next step as training takes it: a random legal one now and then, else an optimal one."""
    return rng.choice(legal if rng.random() < share else best)


Draw = Callable[[Random, int], Forest]


every_kind = pytest.mark.parametrize(
    "draw", [random_projective_forest, random_forest], ids=["projective", "any"]
)
every_reference = pytest.mark.parametrize(
    "draw", [random_projective_forest, random_forest, random_scores], ids=["projective", "any", "scores"]
)
