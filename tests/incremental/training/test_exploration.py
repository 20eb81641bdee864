"""A search through all computations judges the walks, and so do gold computations and the growing parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from random import Random

import numpy as np
import pytest
from judges import attainable_by_search

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_contents import array_shapes
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.network_shapes import MISSING, ROLES, Shape, step_classes
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import AHEAD, LabelledComputation
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.incremental.training.exploration import (
    Codes,
    Explorable,
    Explorer,
    Scorer,
    Scores,
    Visited,
    gold_computation,
)
from treewhile.oracles import (
    Configuration,
    OptimalStepTracker,
    is_projective,
    projectivize,
)

Forest = list[int | None]

KINDS, ROOT_LABEL = 4, 1
NO_ROOT = [f"label{number}" for number in range(KINDS)]
LABELS = ["root" if number == ROOT_LABEL else label for number, label in enumerate(NO_ROOT)]
CLASSES = 1 + 2 * KINDS
STEPS = ("shift", "reduce_left", "reduce_right")


def random_tree(rng: Random, n: int) -> Forest:
    """A tree with one root; its edges may cross."""
    order = rng.sample(range(1, n + 1), n)
    heads = {word: rng.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
    return [heads[word] for word in range(1, n + 1)]


def random_tree_with_roots(rng: Random, n: int) -> Forest:
    """A tree of which some words more hang on the root."""
    return [0 if rng.random() < 0.3 else head for head in random_tree(rng, n)]


def random_projective_tree(rng: Random, n: int) -> Forest:
    return [*projectivize(random_tree(rng, n))]


def partly_unknown(rng: Random, heads: Forest) -> Forest:
    share = rng.choice([0, 0, 0.3])
    return [None if rng.random() < share else head for head in heads]


def random_labels(rng: Random, n: int) -> list[int]:
    return [rng.randrange(-1, KINDS) for _ in range(n)]


def explorable(heads: Forest, labels: Sequence[int] | None = None) -> Explorable:
    return Explorable.of(heads, [0] * len(heads) if labels is None else labels, "original")


def random_scorer(seed: int) -> Scorer:
    """Scores that depend on the roles alone: small integers, so that sums are exact."""
    roles, classes = len(ROLES), step_classes(KINDS)
    weights = np.random.default_rng(seed).integers(-9, 10, (roles, 16, classes)).astype(np.float32)
    return lambda rows, sentence: weights[np.arange(roles), rows % 16].sum(1)


def steps_in_turn(classes: Sequence[int]) -> Scorer:
    """Scores for the walk over one sentence that takes these steps, then any."""
    remaining = iter(classes)
    return lambda roles, sentence: np.eye(CLASSES, dtype=np.float32)[[next(remaining, 0)]]


def random_walk(rng: Random, example: Explorable) -> Visited:
    explorer = Explorer(LABELS)
    return explorer.walk([example], [rng.randrange(3)], random_scorer(rng.randrange(1000)))


def before_each_step(visited: Visited, sentence: int, n: int) -> Iterator[tuple[LabelledComputation, int]]:
    """The computation of one walk before each of its steps, and the row of the configuration."""
    computation = LabelledComputation(KINDS, n)
    for row in np.flatnonzero(visited.sentence == sentence).tolist():
        yield computation, row
        computation.take(int(visited.taken[row]))


def last_computation(visited: Visited, sentence: int, n: int) -> LabelledComputation:
    computation = LabelledComputation(KINDS, n)
    for computation, _ in before_each_step(visited, sentence, n):  # noqa: B007
        pass
    return computation


def heads_found(visited: Visited, sentence: int, n: int) -> list[int]:
    edges = last_computation(visited, sentence, n).attachments
    return [edges[word].head for word in range(1, n + 1)]


# --- every computation --------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [random_tree, random_projective_tree, random_tree_with_roots])
def test_the_optimal_steps_are_those_that_a_search_finds(draw: Callable[[Random, int], Forest]) -> None:
    for seed in range(150):
        rng = Random(seed)
        n = rng.randrange(1, 6)
        heads = partly_unknown(rng, draw(rng, n))
        visited = random_walk(rng, explorable(heads, random_labels(rng, n)))
        for computation, row in before_each_step(visited, 0, n):
            configuration = Configuration(tuple(computation.stack), computation.front, n)
            scores = attainable_by_search(configuration, heads, "left-before-right", single_root=True)
            found = {step: score for step, score in enumerate(scores) if score is not None}
            expected = {step for step, score in found.items() if score == max(found.values())}
            classes = np.flatnonzero(visited.optimal[row]).tolist()
            assert {computation.step_of(number) for number in classes} == expected, (seed, row, heads)
            losses = {step: max(found.values()) - score for step, score in found.items()}
            known = np.flatnonzero(~np.isnan(visited.losses[row]))
            assert dict(zip(known.tolist(), visited.losses[row, known], strict=True)) == losses, (seed, row)


# --- walks of a parser that makes no mistake ----------------------------------------------------------------


class PerfectScorer:
    """Prefers an optimal step with any label, on one walk, which it follows."""

    def __init__(self, heads: Forest) -> None:
        self._tracker = OptimalStepTracker(heads)

    def __call__(self, roles: Codes, sentence: Codes) -> Scores:
        configuration = self._tracker.configuration
        step = min({*self._tracker.scores().best} - self._barred(configuration), key=STEPS.index)
        self._tracker.apply(step)
        number = STEPS.index(step)
        scores = np.zeros((1, CLASSES), np.float32)
        scores[0, slice(1) if number == 0 else slice(1 + (number - 1) * KINDS, 1 + number * KINDS)] = 1
        return scores

    def _barred(self, configuration: Configuration) -> set[str]:
        waits = configuration.front <= configuration.n and len(configuration.stack) < 3
        return {"reduce_left"} if waits else set()


@pytest.mark.parametrize("n", [1, 4, 9, 25])
@pytest.mark.parametrize("reference", ["original", "projectivized"])
def test_a_parser_that_takes_optimal_steps_attains_as_much_as_any_tree(n: int, reference: str) -> None:
    for seed in range(25):
        heads = random_tree(Random(seed), n)
        best = projectivize(heads)
        followed: Forest = heads if reference == "original" else [*best]
        visited = Explorer(LABELS).walk([explorable(followed)], [2], PerfectScorer(followed))
        assert visited.optimal[np.arange(2 * n), visited.taken].all() or n == 1, seed
        found = heads_found(visited, 0, n)
        attained = sum(a == b for a, b in zip(found, heads, strict=True))
        assert attained == sum(a == b for a, b in zip(best, heads, strict=True)), seed
        assert reference == "original" or found == best, seed


def test_gold_computations_take_optimal_steps_as_far_as_they_go() -> None:
    for seed in range(200):
        rng = Random(seed)
        n = rng.randrange(1, 12)
        heads = partly_unknown(rng, random_projective_tree(rng, n))
        labels = [1 if head == 0 else rng.choice([0, 2, 3]) for head in heads]
        roles, steps = gold_computation(heads, labels, KINDS)
        visited = Explorer(LABELS).walk(
            [explorable(heads, labels)], [len(AHEAD)], steps_in_turn(steps.tolist())
        )
        assert np.array_equal(visited.taken[: len(steps)], steps), (seed, heads)
        assert np.array_equal(visited.roles[: len(steps)], roles), seed
        assert visited.optimal[np.arange(len(steps)), steps].all(), (seed, heads)


# --- walks of any parser ------------------------------------------------------------------------------------


@pytest.mark.parametrize("root_label", [ROOT_LABEL, None])
def test_each_walk_ends_in_a_tree_whose_root_has_one_child(root_label: int | None) -> None:
    for seed in range(40):
        rng = Random(seed)
        lengths = [rng.randrange(1, 30) for _ in range(4)]
        examples = [explorable(partly_unknown(rng, random_tree(rng, n))) for n in lengths]
        explorer = Explorer(LABELS if root_label == ROOT_LABEL else NO_ROOT)
        visited = explorer.walk(examples, [0, 1, 2, 2], random_scorer(seed))
        assert len(visited.taken) == 2 * sum(lengths)
        for sentence, n in enumerate(lengths):
            edges = last_computation(visited, sentence, n).attachments
            assert sorted(edges) == [*range(1, n + 1)], seed
            assert sum(edge.head == 0 for edge in edges.values()) == 1, seed
            if root_label is not None:
                assert all((edge.head == 0) == (edge.label == root_label) for edge in edges.values()), seed


def test_the_roles_are_those_of_a_parser_that_looks_so_far_ahead() -> None:
    for seed in range(20):
        rng = Random(seed)
        farthest = len(AHEAD)
        examples = [explorable(random_tree(rng, 7)) for _ in range(farthest + 1)]
        explorer, score = Explorer(LABELS), random_scorer(seed)
        visited = explorer.walk(examples, range(farthest + 1), score)
        for sentence in range(farthest + 1):
            for computation, row in before_each_step(visited, sentence, 7):
                assert visited.roles[row].tolist() == computation.roles(sentence, is_closed=True), seed
                assert visited.far_roles[row].tolist() == computation.roles(farthest, is_closed=True), seed


def test_walks_are_the_same_alone_and_with_others() -> None:
    for seed in range(20):
        rng = Random(seed)
        lengths = [rng.randrange(1, 12) for _ in range(5)]
        examples = [explorable(random_tree(rng, n), random_labels(rng, n)) for n in lengths]
        ahead, score = [rng.randrange(len(AHEAD) + 1) for _ in lengths], random_scorer(seed)
        together = Explorer(LABELS).walk(examples, ahead, score)
        for sentence, example in enumerate(examples):
            alone = Explorer(LABELS).walk([example], [ahead[sentence]], score)
            own = together.sentence == sentence
            for name in ("roles", "optimal", "taken"):
                assert np.array_equal(getattr(together, name)[own], getattr(alone, name)), (seed, name)


def test_the_scorer_is_asked_of_the_unfinished_walks_alone() -> None:
    asked: list[list[int]] = []

    def score(roles: Codes, sentence: Codes) -> Scores:
        asked.append(sentence.tolist())
        return np.zeros((len(roles), CLASSES), np.float32)

    Explorer(LABELS).walk([explorable([0, 1]), explorable([]), explorable([0])], [0, 0, 0], score)
    assert asked == [[0, 2], [0, 2], [0], [0]]


@pytest.mark.parametrize("examples", [[], [explorable([])]])
def test_where_there_are_no_words_nothing_is_visited(examples: list[Explorable]) -> None:
    visited = Explorer(LABELS).walk(examples, [0] * len(examples), random_scorer(0))
    shapes = [(0, len(ROLES)), (0,), (0, CLASSES), (0,), (0, len(ROLES)), (0,), (0, len(STEPS))]
    assert [part.shape for part in visited] == shapes


def test_the_oracle_is_asked_only_where_there_is_a_choice() -> None:
    explorer = Explorer(LABELS)
    explorer.walk([explorable([0])], [0], random_scorer(0))
    assert explorer.oracle_calls == 0
    visited = explorer.walk([explorable([2, 0, 2])], [0], steps_in_turn([0, 0, 1 + KINDS, 0, 1, 1]))
    assert visited.taken.tolist() == [0, 0, 1 + KINDS, 0, 1, 1 + ROOT_LABEL]
    assert explorer.oracle_calls == 2
    assert explorer.seconds_in_oracle > 0


# --- what steps give up -------------------------------------------------------------------------------------


def test_the_best_legal_step_gives_up_what_the_oracle_says_whatever_its_label() -> None:
    explorer = Explorer(LABELS)
    visited = explorer.walk([explorable([2, 0, 2])], [0], steps_in_turn([0, 0, 1 + KINDS, 0, 1, 1]))
    for label in (0, 3):
        best = {
            step: np.eye(CLASSES, dtype=np.float32)[np.full(6, number)]
            for step, number in (("left", 1 + label), ("right", 1 + KINDS + label))
        }
        # shifts, and the child of the root, are all that is legal but at the third and fifth configuration
        assert explorer.losses_of_best(visited, best["left"]).tolist() == [0, 0, 3, 0, 0, 0]
        assert explorer.losses_of_best(visited, best["right"]).tolist() == [0, 0, 0, 0, 2, 0]


# --- which classes are optimal ------------------------------------------------------------------------------


def optimal_classes(heads: Forest, labels: Sequence[int], classes: Sequence[int]) -> list[list[int]]:
    """The optimal classes on the walk that takes the given steps."""
    explorer = Explorer(LABELS)
    visited = explorer.walk([explorable(heads, labels)], [2], steps_in_turn(classes))
    return [np.flatnonzero(row).tolist() for row in visited.optimal]


LEFT, RIGHT = 1, 1 + KINDS  # the first classes


def test_a_reduction_is_optimal_with_the_gold_label_of_its_child() -> None:
    found = optimal_classes([2, 0, 2], [3, ROOT_LABEL, 2], [0, 0, RIGHT, 0, LEFT, LEFT])
    assert found == [[0], [0], [RIGHT + 3], [0], [LEFT + 2], [LEFT + ROOT_LABEL]]


@pytest.mark.parametrize("label", [-1, -100, ROOT_LABEL])
def test_where_a_label_is_unknown_or_cannot_be_each_other_one_is_optimal(label: int) -> None:
    found = optimal_classes([2, 0], [label, ROOT_LABEL], [0, 0, RIGHT, LEFT])
    assert found[2] == [RIGHT, RIGHT + 2, RIGHT + 3]


def test_the_child_of_the_root_gets_the_label_of_the_root_whatever_it_has() -> None:
    found = optimal_classes([2, 0], [ROOT_LABEL, 2], [0, 0, RIGHT, LEFT])
    assert found[-1] == [LEFT + ROOT_LABEL]


def test_where_nothing_can_be_gained_all_legal_steps_are_optimal() -> None:
    found = optimal_classes([None, None, None], [0, 0, 0], [0, 0, 0, LEFT, LEFT, LEFT])
    assert found[2:5] == [[0, LEFT, RIGHT], [LEFT, RIGHT], [LEFT, RIGHT]]


def test_without_a_label_of_the_root_its_child_has_any() -> None:
    explorer = Explorer(NO_ROOT)
    for label, expected in ((2, [LEFT + 2]), (-1, [LEFT, LEFT + 1, LEFT + 2, LEFT + 3])):
        visited = explorer.walk([explorable([0], [label])], [0], random_scorer(0))
        assert np.flatnonzero(visited.optimal[-1]).tolist() == expected


def test_a_reference_is_projectivized_only_where_that_is_asked_for_and_edges_cross() -> None:
    crossing, with_unknown = [3, 4, 0, 3], [None, 0, None]
    assert not is_projective(crossing)
    for heads in (crossing, with_unknown):
        kept = Explorable.of(heads, [0] * len(heads), "original").reference
        assert kept == Explorable.of(kept, [0] * len(heads), "original").reference
        assert [None if head < 0 else head for head in kept.heads[1:].tolist()] == heads
    projectivized = Explorable.of(crossing, [0] * 4, "projectivized").reference
    assert projectivized.heads[1:].tolist() == projectivize(crossing)
    kept = Explorable.of(with_unknown, [0] * 3, "projectivized").reference
    assert kept.unknown == 2


# --- the growing parse --------------------------------------------------------------------------------------


def random_model(seed: int) -> Model:
    labels = ("nsubj", "root", "obj", "det")
    inventory = Inventory((), ("a", "b"), ("NOUN",), ("_",), labels, ("NOUN",), ())
    shape = Shape(**dict.fromkeys(asdict(Shape()), 8))
    generator = np.random.default_rng(seed)
    arrays = {
        name: generator.standard_normal(size).astype(np.float32)
        for name, size in array_shapes(inventory, shape).items()
    }
    information = {"inventory": inventory.to_json(), "shape": asdict(shape)}
    return Model(ModelFile(arrays, information))


def network_scores(model: Model, words: Sequence[str], roles: Codes, sentence: Codes) -> Scores:
    steps = model.network.steps
    tops = model.network.causal.states(model.gates(words, FROM_LEFT), [len(words)]).top
    projected = np.concatenate([steps.missing_roles, steps.roles(tops)])  # [row, role, hidden]
    rows = np.where(roles > 0, len(MISSING) + roles - 1, -roles)
    chosen = projected[rows, np.arange(roles.shape[1])]
    return np.array([steps.scores(row)[:-1] for row in chosen])


@pytest.mark.parametrize("delay", [1, 2, 3])
def test_a_walk_is_what_the_growing_parse_does(delay: int) -> None:
    """With no delay it has to decide before it knows that no words remain, which no walk does."""
    for seed in range(25):
        rng, model = Random(seed), random_model(seed)
        words = ["".join(rng.choices("ab", k=3)) for _ in range(rng.randrange(1, 12))]
        growing = GrowingParse(model, delay)
        for word in words:
            growing.append(word)
        growing.close()
        example, score = explorable([0, *range(1, len(words))]), partial(network_scores, model, words)
        visited = Explorer(model.inventory.labels).walk([example], [delay], score)
        edges = last_computation(visited, 0, len(words)).attachments
        committed = growing.committed()
        found = [(edges[word].head, edges[word].label) for word in range(1, len(words) + 1)]
        labels = [model.inventory.labels.index(label) for label in committed.labels]
        assert found == [*zip(committed.heads, labels, strict=True)], seed
