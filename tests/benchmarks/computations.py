"""Trees and computations to measure on, and the compiled loops that follow them as training will.

A computation takes an optimal step, of several the first of reduce_right, reduce_left and shift; but one in
ten is any legal step. Which one is drawn beforehand: detours[step] is a number, or -1 to follow gold.

The loops are compiled anew in every process: one from a cache would not notice that a kernel has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from treewhile.oracles import Configuration, OptimalStepTracker, is_projective
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.kept_facts import KeptFacts
from treewhile.oracles.kernels import followed_stacks, memos, prefix_values, prefixes, situations
from treewhile.oracles.kernels.standings import FRONT
from treewhile.oracles.references import Reference, as_reference
from treewhile.oracles.transitions import STRATEGIES, TRANSITIONS

SHARE_OF_DETOURS = 0.1
STEPS = tuple(TRANSITIONS)
STRATEGY = STRATEGIES["left-before-right"]
GONE = 30  # words of a random configuration that were reduced before

Function = TypeVar("Function", bound=Callable[..., Any])
Longs = npt.NDArray[np.int64]


def compiled(function: Function) -> Function:
    return cast(Function, njit(function))


# --- trees --------------------------------------------------------------------------------------------------


def random_projective_tree(n: int, random: Random) -> list[int]:
    """A word of a stretch becomes its head, and either side of it falls into stretches of random lengths."""
    heads, stretches = [0] * n, [(1, n, 0)]
    while stretches:
        first, last, head = stretches.pop()
        word = random.randint(first, last)
        heads[word - 1] = head
        for begin, end in ((first, word - 1), (word + 1, last)):
            while begin <= end:
                cut = random.randint(begin, end)
                stretches.append((begin, cut, word))
                begin = cut + 1
    return heads


def with_moved_heads(heads: list[int], moves: int, random: Random) -> list[int]:
    """The tree with some words moved to any other place, until it is not projective."""
    moved = list(heads)
    while is_projective(moved):
        for _ in range(moves):
            word, head = random.randint(1, len(heads)), random.randint(0, len(heads))
            if word not in _way_up(moved, head):
                moved[word - 1] = head
    return moved


def _way_up(heads: list[int], word: int) -> list[int]:
    way = [word]
    while way[-1] != 0:
        way.append(heads[way[-1] - 1])
    return way


def random_tree(n: int, random: Random) -> list[int]:
    """Any tree over n words, all equally likely (Wilson 1996): random walks that end upon the tree."""
    heads, is_in_tree = [0] * (n + 1), [True] + [False] * n
    for start in range(1, n + 1):
        word = start
        while not is_in_tree[word]:
            heads[word] = (word + random.randint(1, n)) % (n + 1)
            word = heads[word]
        word = start
        while not is_in_tree[word]:
            is_in_tree[word] = True
            word = heads[word]
    return heads[1:]


def hard_shapes(n: int) -> dict[str, list[int]]:
    return {
        "chain to the right": list(range(n)),
        "chain to the left": [*range(2, n + 1), 0],
        "flat, all under the first word": [0] + [1] * (n - 1),
        "flat, all under the last word": [n] * (n - 1) + [0],
    }


# --- configurations -----------------------------------------------------------------------------------------


def random_configuration(k: int, m: int, random: Random) -> Configuration:
    """Any k words on the stack above the root, and m remaining ones."""
    front = k + GONE + 1
    return Configuration((0, *sorted(random.sample(range(1, front), k))), front, front - 1 + m)


def random_detours(n: int, random: Random) -> list[int]:
    """For each of the 2n steps of a computation, and for its end."""
    return [random.randrange(6) if random.random() < SHARE_OF_DETOURS else -1 for _ in range(2 * n + 1)]


def configurations_met(reference: Reference, detours: list[int]) -> Iterator[Configuration]:
    """The configurations of a computation where a step can be taken, in order."""
    tracker = OptimalStepTracker(reference)
    for detour in detours[:-1]:
        yield tracker.configuration
        tracker.apply(step_to_take(tracker, detour))


def step_to_take(tracker: OptimalStepTracker, detour: int = -1) -> str:
    scores = [-1 if score is None else score for score in tracker.scores()]
    return STEPS[choose_step(np.array(scores), detour)]


# --- compiled loops -----------------------------------------------------------------------------------------


@compiled
def choose_step(scores: Longs, detour: int) -> int:
    """The number of the step to take; -1 where none is legal."""
    best, legal = max(scores[0], scores[1], scores[2]), 0
    if best < 0:
        return -1
    if detour < 0:
        return 2 if scores[2] == best else 1 if scores[1] == best else 0
    for step in range(3):
        legal += scores[step] >= 0
    skipped = detour % legal
    for step in range(3):
        skipped -= scores[step] >= 0
        if skipped < 0:
            return step
    return -1


@compiled
def follow(score: Any, take: Any, state: Any, detours: Longs) -> tuple[int, int]:
    """A computation to its end: how many steps it took, and the sum of all that could still be attained."""
    scores = np.empty(3, np.int64)
    attainable = 0
    for step in range(detours.size):
        score(state, scores)
        chosen = choose_step(scores, detours[step])
        if chosen < 0:
            return step, attainable
        attainable += max(scores[0], scores[1], scores[2])
        take(chosen, state)
    return -1, attainable


@compiled
def follow_all(begin: Any, score: Any, take: Any, state: Any, heads: Any, detours: Longs) -> tuple[int, int]:
    """`follow` over sentences of one length, heads[sentence, word]."""
    steps = attainable = 0
    for sentence in range(heads.shape[0]):
        begin(heads[sentence], state)
        more_steps, more_attainable = follow(score, take, state, detours[sentence])
        steps, attainable = steps + more_steps, attainable + more_attainable
    return steps, attainable


# The tracker for projective references.


class FactsState(NamedTuple):
    """The arrays of a tracker."""

    table: Any
    memo: Any
    standing: Any
    todo: Any
    options: Any


def facts_of(kept: KeptFacts) -> FactsState:
    return FactsState(kept.table, kept.memo, kept.standing, kept.todo, kept.options)


def facts_state(n: int) -> FactsState:
    """To be used for one sentence of n words after another."""
    return facts_of(KeptFacts(as_reference([0] * n), STRATEGY, Configuration.initial(n)))


@compiled
def begin_facts(heads: Any, state: Any) -> None:
    memos.empty_memo(state.memo, state.standing)
    followed_stacks.describe_reference(heads, state.table)
    followed_stacks.place_stack(np.zeros(1, np.int32), 1, state.table, state.memo, state.standing)


@compiled
def score_facts(state: Any, scores: Longs) -> None:
    table, memo, standing, todo, options = state
    if not situations.score_steps(table, memo, standing, todo, options, scores):
        raise MemoryError("the memo is too small for these sentences")


@compiled
def take_facts(step: int, state: Any) -> None:
    followed_stacks.take_step(step, state.table, state.memo, state.standing)


# The linear algorithm from scratch, after every step.


class ScratchState(NamedTuple):
    """A configuration: place holds the level of the top and the front."""

    heads: Any
    stack: Any
    place: Any


def scratch_state(n: int) -> ScratchState:
    return ScratchState(np.empty(n + 1, np.int32), np.zeros(n + 1, np.int32), np.zeros(2, np.int64))


@compiled
def begin_scratch(heads: Any, state: Any) -> None:
    state.heads[:] = heads
    state.place[:] = 0, 1


@compiled
def score_scratch(state: Any, scores: Longs) -> None:
    """As `optimal_steps` does, which takes as many rows for the memo."""
    top, front = state.place
    room = 64
    while room <= 16 * (top + 1) + 64:
        room *= 2
    while not situations.score_steps_from_scratch(
        state.heads, state.stack[: top + 1], front, room, True, True, False, False, scores
    ):
        room *= 4


@compiled
def take_scratch(step: int, state: Any) -> None:
    if step == 0:
        state.place[0] += 1
        state.stack[state.place[0]] = state.place[1]
        state.place[1] += 1
    else:
        state.place[0] -= 1
        if step == 2:
            state.stack[state.place[0]] = state.stack[state.place[0] + 1]


# The tracker for any reference.


class ChartState(NamedTuple):
    """The arrays of a tracker."""

    words: Any
    weight: Any
    spans: Any
    nodes: Any
    values: Any
    done: Any
    standing: Any


def chart_of(kept: KeptChart) -> ChartState:
    return ChartState(kept.words, kept.weight, kept.spans, kept.nodes, kept.values, kept.done, kept.standing)


def chart_state(reference: Reference) -> ChartState:
    """A new tracker for a sentence."""
    return chart_of(KeptChart(reference, STRATEGY, Configuration.initial(reference.n)))


@compiled
def score_chart(state: Any, scores: Longs) -> None:
    words, weight, spans, nodes, values, done, standing = state
    while not prefix_values.score_any_steps(words, weight, spans, nodes, values, done, standing, scores):
        prefixes.forget_nodes(words, nodes, standing)


@compiled
def take_chart(step: int, state: Any) -> None:
    prefixes.take_any_step(step, state.words, state.nodes, state.standing)


KEPT_FACTS = begin_facts, score_facts, take_facts
FROM_SCRATCH = begin_scratch, score_scratch, take_scratch
KEPT_CHART = score_chart, take_chart


# What is to come: references that change with every word, and expectations from scratch.


def with_words_to_come(heads: list[int], known: int) -> list[int | None]:
    """Heads of the first words: the next two heads that must still come stand behind them, then one for all
    that hangs on later words."""
    awaited = sorted({head for head in heads[:known] if head > known})
    numbers = {head: known + 1 + min(place, 2) for place, head in enumerate(awaited)}
    later = known + 3

    def number(head: int) -> int | None:
        if head <= known:
            return head
        return numbers.get(head, later if len(awaited) > 2 else None)

    found = [number(head) for head in heads[:known]]
    found += [number(heads[head - 1]) for head in awaited[:2]]
    return [*found, None] if len(awaited) > 2 or not awaited else found


@compiled
def go_on(score: Any, take: Any, state: Any, known: int, detours: Longs, taken: Longs) -> int:
    """Steps until the parser waits for a word that is not there; taken[step] says which."""
    scores, standing = np.empty(3, np.int64), state.standing
    for step in range(taken.size):
        score(state, scores)
        chosen = choose_step(scores, detours[step])
        if chosen < 0 or (chosen == 0 and standing[FRONT] > known):
            return step
        take(chosen, state)
        taken[step] = chosen
    return taken.size


@compiled
def only_called(score: Any, take: Any, state: Any, known: int, detours: Longs, taken: Longs) -> int:
    """What it costs to call `go_on`."""
    return int(state.standing[0]) * 0


class Wait(NamedTuple):
    """A tracker that has just been told what is to come, and the steps that follow."""

    kept: KeptFacts | KeptChart
    known: int
    detours: Longs


def waits(heads: list[int], random: Random) -> Iterator[Wait]:
    """One for each word of a sentence that comes word by word."""
    references = [as_reference(with_words_to_come(heads, known)) for known in range(1, len(heads) + 1)]
    kind = KeptFacts if all(reference.is_projective for reference in references) else KeptChart
    configuration = Configuration.initial(references[0].n)
    kept = kind(references[0], STRATEGY, configuration)
    for known, reference in enumerate(references, 1):
        configuration = Configuration(configuration.stack, configuration.front, reference.n)
        if not kept.refer_to(reference, configuration):
            raise RuntimeError("a tracker declines a reference of its own kind")
        wait = Wait(kept.copy(), known, np.array(random_detours(known, random)))
        yield wait
        for step in steps_of(wait._replace(kept=kept)):
            configuration = configuration.apply(STEPS[step])


def steps_of(wait: Wait) -> list[int]:
    """Takes the steps, and says which."""
    taken = np.empty(len(wait.detours), np.int64)
    count = go_on(*calls_of(wait), wait.known, wait.detours, taken)
    return cast(list[int], taken[:count].tolist())


def calls_of(wait: Wait) -> tuple[Any, Any, Any]:
    if isinstance(wait.kept, KeptFacts):
        return score_facts, take_facts, facts_of(wait.kept)
    return score_chart, take_chart, chart_of(wait.kept)


@compiled
def expect_all(weights: Any, top: int) -> float:
    """Expectations from scratch for weights[case, head, dependent] over stacks of one height and the rest."""
    scores, total = np.empty(3), 0.0
    for case in range(weights.shape[0]):
        prefix_values.score_any_steps_from_scratch(weights[case], top, True, False, False, True, scores)
        total += scores[0]
    return total
