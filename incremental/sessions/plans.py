"""Plans: the steps of an optimal computation, from a configuration or anew, and the losses of other steps.

Of several optimal steps a plan takes the one that makes an arc of the reference, else the shift. The plan
ends once all attainable arcs are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.sessions.messages import ChoiceView, PlannedView, StepName
from treewhile.incremental.sessions.words_to_come import ForestHeads, Wording, outlook_of
from treewhile.oracles.steps_from_scratch import optimal_steps
from treewhile.oracles.systems import OptimalSteps
from treewhile.oracles.tracker import STEP_NUMBERS, OptimalStepTracker
from treewhile.oracles.transitions import TRANSITIONS, Configuration

STEP_NAMES: Final[tuple[StepName, ...]] = ("shift", "reduce_left", "reduce_right")  # as in TRANSITIONS
SHIFT, REDUCE_LEFT, REDUCE_RIGHT = range(3)

LONGEST_PLAN: Final = 20  # steps

# If more nodes wait than this, only arcs that a step bars directly count as lost: others take too long.
MOST_WAITING: Final = 60

Edge = tuple[int, int]  # (head, child)
Array = npt.NDArray[np.float64]


class Move(NamedTuple):
    """Step with its effect."""

    step: StepName
    edge: Edge | None  # made edge
    word: int | None  # shifted word


def edges_of(steps: Sequence[int]) -> list[Edge]:
    """Return the (head, child) made by the steps."""
    edges, stack, front = [], [0], 1
    for step in steps:
        if step == SHIFT:
            stack.append(front)
            front += 1
        else:
            child = stack.pop(-step)
            edges.append((stack[-1], child))
    return edges


def plan_from(tracker: OptimalStepTracker, heads: ForestHeads, most: float = float("inf")) -> list[Move]:
    """Return the first steps of an optimal computation; the tracker is restored."""
    with _return(tracker):
        moves: list[Move] = []
        while len(moves) < most and tracker.scores().attainable > 0:
            moves.append(_best_move(tracker, heads))
            tracker.apply(moves[-1].step)
    return moves


def best_of(scores: OptimalSteps) -> list[StepName]:
    """Return the names of the best steps."""
    best = scores.best
    return [name for name in STEP_NAMES if name in best]


def lost_by(tracker: OptimalStepTracker, heads: ForestHeads) -> dict[StepName, list[Edge]]:
    """Return, for each legal step, the arcs of the plan from here that are not in the plan after the step."""
    scores = tracker.scores()
    drops = {
        step: int(scores.attainable - score)
        for step, score in zip(STEP_NAMES, scores, strict=True)
        if score is not None
    }
    kept = _arcs_to_make(tracker, heads) if any(drops.values()) else set()
    return {
        step: sorted(_lost(tracker, heads, step, drop, kept)) if drop else [] for step, drop in drops.items()
    }


def _arcs_to_make(tracker: OptimalStepTracker, heads: ForestHeads) -> set[Edge]:
    """Return the arcs of the plan from here: mostly all remaining ones."""
    waiting = {*_waiting(tracker.configuration)}
    left = {
        (head, child)
        for child in waiting
        if child and (head := heads[child - 1]) is not None and head in waiting
    }
    if len(left) == tracker.scores().attainable:
        return left
    return _arcs(plan_from(tracker, heads), heads)


def _waiting(configuration: Configuration) -> list[int]:
    """Return the stack and the remaining input."""
    return [*configuration.stack, *range(configuration.front, configuration.n + 1)]


def _lost(
    tracker: OptimalStepTracker, heads: ForestHeads, step: StepName, drop: int, kept: set[Edge]
) -> set[Edge]:
    """Return the arcs that a step loses: those that it bars directly, if their number is the loss."""
    barred = {edge for edge in kept if _bars(tracker.configuration.stack, step, edge)}
    is_told = len(barred) == drop or len(_waiting(tracker.configuration)) > MOST_WAITING
    return barred if is_told else kept - _arcs_after(tracker, step, heads)


def _bars(stack: Sequence[int], step: StepName, edge: Edge) -> bool:
    """Return whether a step attaches a child that an arc needs, or makes left children come too late."""
    made = TRANSITIONS[step].edge(tuple(stack))
    if made is None:
        return edge[0] == stack[-1] and edge[1] in stack
    return made[1] in edge and edge != made


def _arcs_after(tracker: OptimalStepTracker, step: StepName, heads: ForestHeads) -> set[Edge]:
    """Return the arcs made if all steps after this one are optimal, under the tracker's strategy.

    Edges barred by a shift stay barred, although the configuration after the shift does not tell.
    """
    nodes = _waiting(tracker.configuration)
    before = Configuration(
        tuple(range(len(tracker.configuration.stack))), len(tracker.configuration.stack), len(nodes) - 1
    )
    numbers: dict[int | None, int] = {node: number for number, node in enumerate(nodes)}
    weights = np.zeros((len(nodes), len(nodes)))
    for child, node in enumerate(nodes[1:], 1):
        head = numbers.get(heads[node - 1])
        if head is not None:
            weights[head, child] = 1
    made = _arcs_by_weights(before, step, weights, tracker.single_root)
    return {(nodes[head], nodes[child]) for head, child in made}


def _arcs_by_weights(before: Configuration, step: StepName, weights: Array, single_root: bool) -> set[Edge]:
    """Return the arcs of weight 1 that a step and the best ones after it make."""
    arcs: set[Edge] = set()
    configuration, chosen = before, step
    if step == "shift":
        weights[before.stack[-1], before.stack[:-1]] = -np.inf
    while True:
        edge = configuration.edge(chosen)
        if edge and weights[edge] == 1:
            arcs.add(edge)
        configuration = configuration.apply(chosen)
        scores = optimal_steps(configuration, weights, single_root=single_root)
        if scores.attainable <= 0:
            return arcs
        chosen = best_of(scores)[0]


@contextmanager
def _return(tracker: OptimalStepTracker) -> Iterator[None]:
    """Undo all steps that are taken inside the block."""
    before = tracker.configuration
    yield
    while tracker.configuration != before:
        tracker.undo()


def _best_move(tracker: OptimalStepTracker, heads: ForestHeads) -> Move:
    moves = [_move(tracker, step) for step in best_of(tracker.scores())]
    return next((move for move in moves if _arcs([move], heads)), moves[0])


def _move(tracker: OptimalStepTracker, step: StepName) -> Move:
    configuration = tracker.configuration
    edge = TRANSITIONS[step].edge(configuration.stack)
    return Move(step, edge, configuration.front if edge is None else None)


def _arcs(moves: Sequence[Move], heads: ForestHeads) -> set[Edge]:
    """Return the arcs of the reference that steps make."""
    return {move.edge for move in moves if move.edge and heads[move.edge[1] - 1] == move.edge[0]}


# --- steps anew -------------------------------------------------------------------------------------------


def rebuilt_classes(best: Analysis, front: int, is_closed: bool, labels: Mapping[str, int]) -> list[int]:
    """Return classes of step to a configuration with this front that keeps all of an analysis attainable."""
    steps = rebuilt_steps(best, front, is_closed)
    arcs = iter(edges_of(steps))
    return [
        SHIFT
        if step == SHIFT
        else 1 + (step - 1) * len(labels) + labels.get(best.labels[next(arcs)[1] - 1], 0)
        for step in steps
    ]


def rebuilt_steps(best: Analysis, front: int, is_closed: bool) -> list[int]:
    """Return the numbers of steps.

    Left children are attached at once, right ones as late as possible: more may follow them. A closed
    sentence is parsed to its end.
    """
    heads = outlook_of(best, not is_closed).heads
    tracker, steps = OptimalStepTracker(heads, single_root=heads.count(0) <= 1), list[int]()
    while (step := _unhurried(tracker, heads, front, is_closed)) is not None:
        steps.append(step)
        tracker.apply(STEP_NAMES[step])
    return steps


def _unhurried(tracker: OptimalStepTracker, heads: ForestHeads, front: int, is_closed: bool) -> int | None:
    """Return the next step to a configuration with this front; None once it is reached."""
    best = [STEP_NUMBERS[name] for name in tracker.scores().best]
    configuration = tracker.configuration
    edges = {step: configuration.edge(STEP_NAMES[step]) for step in best}
    wanted = [step for step, edge in edges.items() if edge and heads[edge[1] - 1] == edge[0]]
    goes_on = configuration.front < front
    if REDUCE_RIGHT in wanted:
        return REDUCE_RIGHT
    if SHIFT in best and goes_on:
        return SHIFT
    return next(iter(wanted + best), None) if goes_on or is_closed else None


# --- as messages say it -----------------------------------------------------------------------------------


def choice_views(tracker: OptimalStepTracker, heads: ForestHeads, wording: Wording) -> list[ChoiceView]:
    """Return the legal steps, with the loss of each."""
    return [
        _choice_view(_move(tracker, step), lost, wording) for step, lost in lost_by(tracker, heads).items()
    ]


def _choice_view(move: Move, lost: Sequence[Edge], wording: Wording) -> ChoiceView:
    head, child = move.edge or (None, None)
    label = wording.label(*move.edge) if move.edge else None
    loses = [(wording.view(head), wording.view(child)) for head, child in lost]
    return ChoiceView(move.step, head, child, label, loses, wording.says(move.edge, move.word))


def plan_views(tracker: OptimalStepTracker, heads: ForestHeads, wording: Wording) -> list[PlannedView]:
    """Return the plan from here; a word to come in the last sentence is called "it" in the next one."""
    views: list[PlannedView] = []
    it: int | None = None
    for move in plan_from(tracker, heads, LONGEST_PLAN):
        views.append(_planned_view(move, wording, it))
        it = _spoken_of(move, it, wording)
    return views


def _planned_view(move: Move, wording: Wording, it: int | None) -> PlannedView:
    says = wording.says(move.edge, move.word, it)
    if move.edge is None:
        assert move.word is not None
        return PlannedView(move.step, None, None, None, wording.view(move.word), wording.tag(move.word), says)
    head, child = move.edge
    return PlannedView(
        move.step, wording.view(head), wording.view(child), wording.label(head, child), None, None, says
    )


def _spoken_of(move: Move, it: int | None, wording: Wording) -> int | None:
    """Return the word to come that the next sentence may call "it"."""
    if move.word is not None:
        return move.word if wording.is_to_come(move.word) else None
    return it if move.edge and move.edge[0] == it else None
