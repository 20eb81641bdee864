"""What judges the oracles of arc-eager: its transitions once more, and a search of all that they lead to.

Nothing here knows which steps the oracles call legal: a step counts where some computation that begins with
it ends with a head for each word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random

from judges import Edge, EdgeScores, Stack, as_scores

from treewhile.oracles import EagerConfiguration

EAGER_STEPS = ("shift", "left_arc", "right_arc", "reduce")

Words = tuple[int, ...]
Trees = frozenset[frozenset[Edge]]


def eager_steps_from(
    stack: Stack, headed: Words, front: int, n: int
) -> Iterator[tuple[str, Edge | None, Stack, Words, int]]:
    """Nivre 2008: step, edge, and the stack, the words on it that have heads, and the front after it."""
    top = stack[-1]
    if front <= n:
        yield "shift", None, (*stack, front), headed, front + 1
        yield "right_arc", (top, front), (*stack, front), (*headed, front), front + 1
    if front <= n and top and top not in headed:
        yield "left_arc", (front, top), stack[:-1], headed, front
    if top in headed:
        yield "reduce", None, stack[:-1], tuple(word for word in headed if word != top), front


@cache
def eager_trees(stack: Stack, headed: Words, front: int, n: int) -> dict[str, Trees]:
    """For each step the edges of every computation that begins with it and ends with a head for each word."""
    found = {}
    for step, edge, *after in eager_steps_from(stack, headed, front, n):
        made = frozenset({edge} if edge else ())
        trees = frozenset(made | tree for tree in _trees_after(*after, n))  # type: ignore[call-arg, arg-type]
        if trees:
            found[step] = trees
    return found


def _trees_after(stack: Stack, headed: Words, front: int, n: int) -> Trees:
    if stack == (0,) and front > n:
        return frozenset({frozenset()})
    return frozenset().union(*eager_trees(stack, headed, front, n).values())


def attainable_by_eager_search(
    configuration: EagerConfiguration, reference: Sequence[int | None] | EdgeScores, single_root: bool = False
) -> tuple[float | None, ...]:
    """What each step attains at best, over all computations that begin with it."""
    stack, headed = configuration.stack, configuration.headed
    scores = reference if reference and isinstance(reference[0], list) else as_scores(reference)  # type: ignore[arg-type]
    roots, remain = sum(word in headed for word in stack[1:2]), configuration.front <= configuration.n
    found = {}
    for step, trees in eager_trees(stack, headed, configuration.front, configuration.n).items():
        single = [tree for tree in trees if roots + sum(head == 0 for head, _ in tree) == 1]
        counted = single if single_root and (remain or len(stack) > 1) else trees
        values = [sum(scores[head][word] for head, word in tree) for tree in counted]  # type: ignore[index]
        if values:
            found[step] = max(values)
    return tuple(map(found.get, EAGER_STEPS))


def all_eager_configurations(n: int) -> Iterator[EagerConfiguration]:
    """Each word before the front is gone, on the stack, or on the stack with a head."""
    for front in range(1, n + 2):
        for kinds in product(range(3), repeat=front - 1):
            stack = (0, *(word for word, kind in enumerate(kinds, 1) if kind))
            headed = tuple(word for word, kind in enumerate(kinds, 1) if kind == 2)
            if front <= n or len(headed) == len(stack) - 1:
                yield EagerConfiguration(stack, front, n, headed)


def random_eager_configuration(rng: Random, n: int) -> EagerConfiguration:
    """Any configuration that a computation comes through, most with a few words on the stack."""
    front, share = rng.randrange(1, n + 2), rng.choice([0.2, 0.5, 0.9])
    stack = [word for word in range(1, front) if rng.random() < share]
    headed = [word for word in stack if front > n or rng.random() < 0.5]
    return EagerConfiguration((0, *stack), front, n, tuple(headed))
