"""How fast the oracles are, beside their peers.

    python tests/benchmarks/bench_oracles.py [--data DIR] [--json FILE] [--plot FILE] [--quick]

DIR holds treebanks as `ud/*/*train*.conllu`. spaCy as a peer, and the plot, need the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import computations as walks
import numpy as np
from measuring import Section, Spread, Target, Work, calls, machine, measure, table
from peers import numpy_eisner, plain_eisner, spacy_arc_eager, spacy_heads, spacy_lift
from plots import Point, draw

from treewhile.incremental.treebanks.treebank import read_sentences
from treewhile.oracles import (
    Configuration,
    OptimalStepTracker,
    is_projective,
    optimal_steps,
    projectivize,
)
from treewhile.oracles.kernels.heads import gold_weights
from treewhile.oracles.kernels.standings import FILLED
from treewhile.oracles.references import Reference, as_edge_scores, as_reference
from treewhile.oracles.split_grammars import PROJECTIVE
from treewhile.oracles.tabular_parsing import fill

SEED = 2019
MICRO, MILLI = 1e-6, 1e-3
NOT_INSTALLED = "not installed (extra bench)"

Tree = list[int]
Case = tuple[Configuration, Reference]
Peer = tuple[str, Spread | None]  # its name, and what it takes where it is measured here


class Sizes(NamedTuple):
    """How much is measured: for good figures, or just enough to see that all of it still works."""

    repeats: int
    trees: int  # of what takes microseconds
    few: int  # of what takes milliseconds
    words: int  # of all the sentences of one length that a tracker follows
    n: int  # the length, and the k + m, that targets are about
    projective: tuple[int, ...]  # the lengths of sentences for the tracker, from short to long
    non_projective: tuple[int, ...]


FULL = Sizes(7, 200, 20, 20_000, 100, (20, 50, 100, 200, 500, 1000), (20, 50, 100, 200, 300))
QUICK = Sizes(5, 10, 2, 200, 20, (10, 20), (10, 20))


class Bench(NamedTuple):
    sizes: Sizes
    random: Random
    treebanks: dict[str, list[Tree]]

    def measure(self, *works: Work) -> list[Spread]:
        return measure(self.sizes.repeats, *works)

    def projective_trees(self, n: int, count: int) -> list[Tree]:
        return [walks.random_projective_tree(n, self.random) for _ in range(count)]

    def non_projective_trees(self, n: int, count: int) -> list[Tree]:
        """Projective trees of which a tenth of the words moved elsewhere."""
        return [
            walks.with_moved_heads(heads, max(1, n // 10), self.random)
            for heads in self.projective_trees(n, count)
        ]

    def random_trees(self, n: int, count: int) -> list[Tree]:
        """Trees of which nothing is projective: all are equally likely."""
        return [walks.random_tree(n, self.random) for _ in range(count)]

    def detours(self, n: int, count: int) -> Any:
        return np.array([walks.random_detours(n, self.random) for _ in range(count)])

    def sample(self, cases: Iterable[Any], count: int) -> list[Any]:
        listed = list(cases)
        return self.random.sample(listed, min(count, len(listed)))


def require_equal(what: str, *answers: object) -> None:
    """Peers are compared in speed only if they give the same."""
    if any(answer != answers[0] for answer in answers):
        raise RuntimeError(f"{what} differ: {answers}")


def _target(bench: Bench, limit: float, times_less: bool = False) -> Target | None:
    """Targets are about full sizes."""
    return Target(limit, times_less) if bench.sizes is FULL else None


# --- 1. projectivization ------------------------------------------------------------------------------------


def projectivization(bench: Bench) -> Section:
    section = Section(
        "1. projectivize(heads), a tree",
        "In memory: the public function, called from Python for each tree with a list of heads; "
        "conversion and checks of the list and the list that comes back are included, reading files is "
        "not. spaCy's function gets its lists as it wants them; it lifts edges, which is not optimal, "
        "checks nothing, and marks the labels of what it lifted. The numpy Eisner is ours, written for "
        "this comparison: all spans of one length at once, weights made before, the tree included.",
    )
    trees = [heads for treebank in bench.treebanks.values() for heads in treebank]
    crossing = [heads for heads in trees if not is_projective(heads)]
    target = _target(bench, 5 * MICRO)
    section.add(
        "all trees", *_beside_lifting(bench, trees), ("paper 342 µs, Java (quoted)", None), target=target
    )
    section.add(f"non-projective trees alone: {_described(crossing)}", *_beside_lifting(bench, crossing))
    for name, treebank in bench.treebanks.items():
        section.add(f"{name}: {_described(treebank)}", *_beside_lifting(bench, treebank))
    for what, of in ("all", trees), ("non-projective", crossing):
        sample = bench.sample(of, bench.sizes.trees)
        weights = [_gold_weights(heads) for heads in sample]
        for heads, weight in zip(sample, weights, strict=True):
            require_equal(
                "edges kept",
                _in_common(projectivize(heads, False), heads),
                _in_common(numpy_eisner(weight), heads),
            )
        ours, eisner = bench.measure(_calls(projectivize, sample), _calls(numpy_eisner, weights))
        section.add(f"a random sample of {len(sample)} of {what} trees", ours, ("numpy Eisner", eisner))
    return section


def _beside_lifting(bench: Bench, trees: list[Tree]) -> tuple[Spread, Peer]:
    lift = spacy_lift()
    if lift is None:
        return bench.measure(_calls(projectivize, trees))[0], (f"spaCy lifting: {NOT_INSTALLED}", None)
    given = [(spacy_heads(heads), ["dep"] * len(heads)) for heads in trees]
    ours, spacy = bench.measure(_calls(projectivize, trees), calls(lift, given))
    return ours, ("spaCy lifting", spacy)


def _described(trees: list[Tree]) -> str:
    share = sum(not is_projective(heads) for heads in trees) / len(trees)
    return f"{len(trees)} trees, {sum(map(len, trees)) / len(trees):.1f} words, {share:.0%} non-projective"


def _calls(function: Callable[[Any], object], arguments: Iterable[object]) -> Work:
    return calls(function, [(argument,) for argument in arguments])


def _gold_weights(heads: Tree) -> Any:
    return gold_weights(as_reference(heads).heads, np.arange(len(heads) + 1))


def _in_common(heads: Tree, others: Tree) -> int:
    return sum(map(int.__eq__, heads, others))


# --- 2. the chart -------------------------------------------------------------------------------------------


def eisner_chart(bench: Bench) -> Section:
    n = bench.sizes.n
    section = Section(
        f"2. the chart of Eisner's algorithm, n = {n}, non-projective gold",
        "fill(PROJECTIVE, ...) called from Python with the matrix of 0/1 weights, which is made before; "
        "allocation of the chart included. The plain one, written for this comparison, gets the same "
        "matrix, allocates its tables too, and gives the value of the best tree.",
    )
    for what, make in (
        ("random trees", bench.random_trees),
        ("a tenth of the words moved", bench.non_projective_trees),
    ):
        weights = [_gold_weights(heads) for heads in make(n, bench.sizes.few)]
        for weight in weights:
            require_equal("values of the chart", _fill(weight), plain_eisner(weight))
        ours, plain = bench.measure(_calls(_fill, weights), _calls(plain_eisner, weights))
        section.add(what, ours, ("plain numba, three loops", plain), target=_target(bench, 250 * MICRO))
    return section


def _fill(weight: Any) -> int:
    return int(fill(PROJECTIVE, "a" * len(weight), weight).value)


# --- 3. and 4. optimal steps from scratch -------------------------------------------------------------------


def cubic_steps(bench: Bench) -> Section:
    n = bench.sizes.n
    section = Section(
        f"3. the cubic optimal step, k + m = {n}, non-projective gold, all three candidate steps",
        "optimal_steps(configuration, heads) called from Python; heads are a checked Reference to a "
        "random tree; weights, charts and their allocation included.",
    )
    for k in n // 20, n // 5, n // 2, 4 * n // 5:
        cases = _random_cases(bench, k, bench.random_trees, bench.sizes.few)
        (cubic,) = bench.measure(_steps("cubic", cases))
        what = f"k = {k} words on the stack, m = {n - k} remain"
        section.add(what, cubic, ("paper < 250 ms (quoted)", None), target=_target(bench, 3 * MILLI))
    return section


def linear_steps(bench: Bench) -> Section:
    n = bench.sizes.n
    section = Section(
        f"4. the linear optimal step, k + m = {n}, projective gold, all three candidate steps",
        "optimal_steps(configuration, heads) called from Python, tables built from nothing each time; "
        "heads are a checked Reference, or a list that is converted and checked each time, of sentences "
        "of up to 1.5 (k + m) words, since some are reduced already. Computations follow gold with 10% "
        "random steps. spaCy's oracle is that of another system, arc-eager, along gold computations "
        "without wrong steps: a loop in Cython that chooses and takes the step too, keeps its counts from "
        "step to step, and whose gold states are made before.",
    )
    cases = bench.sample(_cases_met(bench, n), bench.sizes.trees)
    peers = [_arc_eager(bench, length) for length in (4 * n // 5, n)]
    mean_k = sum(len(met.stack) - 1 for met, _ in cases) / len(cases)
    _add_linear_steps(bench, section, f"met on computations, k = {mean_k:.0f} on the mean", cases, peers)
    for k in n // 20, n // 5, n // 2:
        cases = _random_cases(bench, k, bench.projective_trees, bench.sizes.trees)
        _add_linear_steps(bench, section, f"random stacks, k = {k}, m = {n - k}", cases)
    return section


def _add_linear_steps(
    bench: Bench, section: Section, what: str, cases: list[Case], peers: Iterable[Peer] = ()
) -> None:
    few = cases[: bench.sizes.few]
    for configuration, reference in few:
        algorithms = "linear", "quadratic", "cubic"
        require_equal(
            "scores", *(optimal_steps(configuration, reference, algorithm=name) for name in algorithms)
        )
    lists = [(configuration, reference.heads[1:].tolist()) for configuration, reference in cases]
    works = _steps("linear", cases), _steps("linear", lists), _steps("quadratic", cases), _steps("cubic", few)
    linear, linear_of_lists, quadratic, cubic = bench.measure(*works)
    section.add(
        what, linear, ("quadratic", quadratic), ("cubic", cubic), *peers, target=_target(bench, 10 * MICRO)
    )
    section.add(f"{what}, heads as a list", linear_of_lists, target=_target(bench, 10 * MICRO))


def _steps(algorithm: str, cases: Iterable[tuple[Configuration, Any]]) -> Work:
    return calls(partial(optimal_steps, algorithm=algorithm), cases)


def _random_cases(bench: Bench, k: int, make: Callable[[int, int], list[Tree]], count: int) -> list[Case]:
    configurations = [walks.random_configuration(k, bench.sizes.n - k, bench.random) for _ in range(count)]
    return [(found, as_reference(make(found.n, 1)[0])) for found in configurations]


def _cases_met(bench: Bench, length: int) -> Iterable[Case]:
    """Configurations that parsers reach, with `length` words left, in which all steps are legal."""
    for heads in bench.projective_trees(3 * length // 2, bench.sizes.few):
        reference = as_reference(heads)
        for met in walks.configurations_met(reference, walks.random_detours(reference.n, bench.random)):
            if len(met.stack) - 1 + met.n + 1 - met.front == length and len(met.legal_steps()) == 3:
                yield met, reference


def _arc_eager(bench: Bench, n: int) -> Peer:
    work = spacy_arc_eager(bench.projective_trees(n, bench.sizes.few))
    if work is None:
        return f"spaCy arc-eager: {NOT_INSTALLED}; 27 µs at n = 80 (quoted)", None
    return f"spaCy arc-eager, n = {n}", bench.measure(work)[0]


# --- 5. and 6. the tracker ----------------------------------------------------------------------------------


class Computations(NamedTuple):
    """Sentences of one length, and where a computation strays from each."""

    trees: list[Tree]
    detours: Any

    @property
    def n(self) -> int:
        return len(self.trees[0])

    @property
    def references(self) -> list[Reference]:
        return [as_reference(heads) for heads in self.trees]

    def met(self, bench: Bench) -> list[Case]:
        """Some of the configurations that they meet."""
        pairs = list(zip(self.references, self.detours.tolist(), strict=True))[: bench.sizes.few]
        met = ((found, of) for of, detours in pairs for found in walks.configurations_met(of, detours))
        return bench.sample(met, bench.sizes.trees // 2)


def _computations(bench: Bench, make: Callable[[int, int], list[Tree]], n: int, words: int) -> Computations:
    count = max(2, words // n)
    return Computations(make(n, count), bench.detours(n, count))


def _entries_from_scratch(cases: list[Case]) -> float:
    """What an answer takes on the mean where nothing is known yet."""
    trackers = [OptimalStepTracker(reference, configuration=met) for met, reference in cases]
    return sum(tracker.entries_from_scratch() for tracker in trackers) / len(trackers)


def projective_points(bench: Bench, several: list[Computations]) -> list[Point]:
    """The tracker and the linear algorithm from scratch on the same computations, both in compiled loops."""
    works, entries = [], []
    for computations in several:
        heads = np.array([reference.heads for reference in computations.references])
        kept, scratch = walks.facts_state(computations.n), walks.scratch_state(computations.n)
        follow_kept = partial(walks.follow_all, *walks.KEPT_FACTS, kept, heads, computations.detours)
        follow_scratch = partial(walks.follow_all, *walks.FROM_SCRATCH, scratch, heads, computations.detours)
        steps, attainable = follow_kept()
        require_equal("computations", (steps, attainable), follow_scratch())
        entries.append((kept.standing[FILLED] / steps, _entries_from_scratch(computations.met(bench))))
        works += [_steps_of(follow_kept), _steps_of(follow_scratch)]
    times = bench.measure(*works)
    lengths = [computations.n for computations in several]
    return [
        Point(*each)
        for each in zip(lengths, times[::2], times[1::2], *zip(*entries, strict=True), strict=True)
    ]


def _steps_of(follow: Callable[[], tuple[int, int]]) -> Work:
    return Work(lambda _: follow()[0])


def projective_tracker(bench: Bench, points: list[Point]) -> Section:
    """The points are for computations of growing length."""
    section = Section(
        "5. the tracker for projective gold, a step",
        "Computations follow gold with 10% random steps. Driven in one compiled loop over many sentences: "
        "scores of all steps, the choice of a step, the step; and for each sentence its tables and the "
        "emptying of the memo. Allocation is not: the arrays of one sentence serve the next. Unpacking "
        "them at every call is 0.1 µs of each figure. From scratch: the same loop with the linear "
        "algorithm, which allocates as the public function does. From Python: the class, made for each "
        "sentence, then scores() and apply() at every step.",
    )
    target = _target(bench, 1 * MICRO)
    for point in points:
        peers = [_arc_eager(bench, point.n)] if point.n == bench.sizes.n else []
        section.add(
            f"n = {point.n}", point.kept, ("linear, from scratch", point.scratch), *peers, target=target
        )
    first, last = points[0], points[-1]
    growth = last.kept / first.kept
    from_scratch = "linear, from scratch", last.scratch / first.scratch
    section.add(f"n = {last.n} against n = {first.n}", growth, from_scratch, target=_target(bench, 1.5))
    shapes = walks.hard_shapes(points[-1].n)
    hard = [Computations([heads] * 10, bench.detours(len(heads), 10)) for heads in shapes.values()]
    for shape, point in zip(shapes, projective_points(bench, hard), strict=True):
        section.add(
            f"n = {point.n}, {shape}", point.kept, ("linear, from scratch", point.scratch), target=target
        )
    in_python = _from_python(bench, bench.projective_trees(bench.sizes.n, bench.sizes.few))
    section.add(f"n = {bench.sizes.n}, from Python", in_python)
    return section


def _from_python(bench: Bench, trees: list[Tree]) -> Spread:
    """Optimal steps only, through the public class."""

    def follow(reference: Reference) -> int:
        tracker = OptimalStepTracker(reference)
        steps = 0
        while not tracker.configuration.is_final:
            tracker.apply(walks.step_to_take(tracker))
            steps += 1
        return steps

    references = [as_reference(heads) for heads in trees]
    return bench.measure(Work(lambda _: sum(map(follow, references))))[0]


class ChartTimes(NamedTuple):
    entries: float  # a step
    entries_from_scratch: float  # a step
    whole: Spread  # a step, with its share of the first answer of a sentence
    first: Spread  # the first answer, a sentence
    later: Spread  # a step after that
    cubic: Spread  # a step


def _chart_times(bench: Bench, computations: Computations) -> ChartTimes:
    references, scores = computations.references, np.empty(3, dtype=np.int64)
    met = computations.met(bench)

    def fresh() -> list[Any]:
        return [walks.chart_state(reference) for reference in references]

    def answer(states: list[Any]) -> int:
        for state in states:
            walks.score_chart(state, scores)
        return len(states)

    def follow(states: list[Any]) -> int:
        pairs = zip(states, computations.detours, strict=True)
        return sum(walks.follow(*walks.KEPT_CHART, state, detours)[0] for state, detours in pairs)

    def answered() -> list[Any]:
        states = fresh()
        answer(states)
        return states

    for configuration, reference in met:
        tracked = OptimalStepTracker(reference, configuration=configuration).scores()
        require_equal("scores", tracked, optimal_steps(configuration, reference, algorithm="cubic"))
    states = fresh()
    steps = follow(states)
    entries = sum(state.standing[FILLED] for state in states) / steps
    works = Work(follow, fresh), Work(answer, fresh), Work(follow, answered), _steps("cubic", met)
    return ChartTimes(entries, _entries_from_scratch(met), *bench.measure(*works))


def non_projective_tracker(bench: Bench) -> tuple[Section, list[Point]]:
    sizes, n = bench.sizes, bench.sizes.n
    section = Section(
        "6. the tracker for non-projective gold, a step",
        "Computations follow gold with 10% random steps; where nothing else is said, gold is a projective "
        "tree with a tenth of the words moved. Driven by a compiled loop for each sentence, called from "
        "Python: scores of all steps, the choice of a step, the step. Arrays are allocated before, but "
        "touched here for the first time. From scratch: optimal_steps(configuration, heads, "
        "algorithm='cubic'), called from Python, on a sample of the configurations that the same "
        "computations meet, allocation included. The first answer of a sentence fills the chart of its "
        "whole input.",
    )
    times = {
        length: _chart_times(
            bench, _computations(bench, bench.non_projective_trees, length, sizes.words // 10)
        )
        for length in sizes.non_projective
    }
    random_trees = _chart_times(bench, _computations(bench, bench.random_trees, n, sizes.words // 10))
    target = _target(bench, 10, times_less=True)
    for kind, found in ("a tenth of the words moved", times[n]), ("random trees", random_trees):
        cubic = "cubic, from scratch", found.cubic
        section.add(f"n = {n}, {kind}: first answer included", found.whole, cubic, target=target)
        section.add(f"n = {n}, {kind}: after the first answer", found.later, cubic, target=target)
        section.add(f"n = {n}, {kind}: the first answer, a sentence", found.first)
    for length, found in times.items():
        section.add(f"n = {length}, first answer included", found.whole, ("cubic, from scratch", found.cubic))
    section.add(f"n = {n}, from Python", _from_python(bench, bench.non_projective_trees(n, sizes.few)))
    return section, [
        Point(length, found.whole, found.cubic, found.entries, found.entries_from_scratch)
        for length, found in times.items()
    ]


# --- 7. what is to come ------------------------------------------------------------------------------------

STACK, LEFT_OVER, TO_COME = 5, 2, 6
LENGTH = 40


def future(bench: Bench) -> Section:
    section = Section(
        "7. references with a future",
        f"Sentences of {LENGTH} words that come one by one; after each the tracker gets another reference "
        "in which up to three words to come stand behind those that are there, and takes steps, 10% of them "
        "random, until it waits, which counts as one more. A step: scores, choice and step, in a compiled "
        "loop that is called from Python for every word; calls that do nothing are measured beside it and "
        "taken off. set_heads: the public class, with a checked reference or a list of heads. Expectation: "
        f"scores[head, dependent] at random, {STACK} words on the stack, {LEFT_OVER} left and {TO_COME} to "
        "come, single root; compiled: the weights of these nodes are there; from Python: optimal_steps for a "
        f"sentence of {LENGTH + TO_COME} words, as a reference that was checked, or as an array that is.",
    )
    count = max(2, bench.sizes.words // 4000)
    crossing = bench.non_projective_trees(LENGTH, count)
    for what, trees in (
        ("projective", bench.projective_trees(LENGTH, 4 * count)),
        ("not projective", crossing),
    ):
        section.add(f"a step, {what}", _step_with_future(bench, trees), target=_target(bench, 1.5 * MICRO))
        listed, checked = bench.measure(_changes(trees, list), _changes(trees, as_reference))
        section.add(f"set_heads, {what}, a word", checked, ("heads as a list", listed))
    _add_expectations(bench, section)
    return section


def _step_with_future(bench: Bench, trees: list[Tree]) -> Spread:
    def fresh() -> list[walks.Wait]:
        random = Random(SEED)
        return [wait for heads in trees for wait in walks.waits(heads, random)]

    found = fresh()
    taken = [np.empty(len(wait.detours), np.int64) for wait in found]
    steps = sum(len(walks.steps_of(wait)) + 1 for wait in found)

    def prepared() -> list[Any]:
        return [
            (*walks.calls_of(wait), wait.known, wait.detours, places)
            for wait, places in zip(fresh(), taken, strict=True)
        ]

    def called(function: Callable[..., int]) -> Work:
        def run(given: list[Any]) -> int:
            for one in given:
                function(*one)
            return steps

        return Work(run, prepared)

    going, calling = bench.measure(called(walks.go_on), called(walks.only_called))
    return Spread(tuple(a - b for a, b in zip(going.values, calling.values, strict=True)))


def _changes(trees: list[Tree], given: Callable[[Any], Any]) -> Work:
    """The tracker of each word is told what is to come after the next one."""

    def prepare() -> list[tuple[OptimalStepTracker, Any]]:
        random, pairs = Random(SEED), []
        for heads in trees:
            for known in range(1, len(heads)):
                before, after = (walks.with_words_to_come(heads, known + more) for more in (0, 1))
                stack = 0, *sorted(random.sample(range(1, known + 1), min(known, STACK)))
                configuration = Configuration(stack, known + 1, len(before))
                tracker = OptimalStepTracker(before, configuration=configuration)
                tracker.scores()
                pairs.append((tracker, given(after)))
        return pairs

    def run(pairs: list[tuple[OptimalStepTracker, Any]]) -> int:
        for tracker, after in pairs:
            tracker.set_heads(after)
        return len(pairs)

    return Work(run, prepare)


def _add_expectations(bench: Bench, section: Section) -> None:
    generator, n = np.random.default_rng(SEED), LENGTH + TO_COME
    front = LENGTH - LEFT_OVER + 1
    configuration = Configuration((0, *range(front - STACK, front)), front, n)
    nodes = np.array([*configuration.stack, *range(front, n + 1)])
    arrays = [generator.normal(size=(n + 1, n + 1)) for _ in range(bench.sizes.trees)]
    weights = np.array([array[nodes][:, nodes] for array in arrays])
    checked = [(configuration, as_edge_scores(array)) for array in arrays]
    for case in checked[: bench.sizes.few]:
        forward, cubic = (
            optimal_steps(*case, algorithm=name, single_root=True) for name in ("forward", "cubic")
        )
        require_equal("expectations", forward.best, cubic.best)
    asked = partial(optimal_steps, single_root=True)
    compiled, of_checked, of_arrays, cubic = bench.measure(
        Work(lambda _: (walks.expect_all(weights, STACK), len(weights))[1]),
        calls(asked, checked),
        calls(asked, [(configuration, array) for array in arrays]),
        calls(partial(asked, algorithm="cubic"), checked),
    )
    section.add("expectation from scratch, compiled", compiled, target=_target(bench, 30 * MICRO))
    section.add(
        "expectation from scratch, from Python", of_checked, ("as an array", of_arrays), ("cubic", cubic)
    )


# --- all of it ----------------------------------------------------------------------------------------------


def main() -> None:
    options = _options()
    sizes = QUICK if options.quick else FULL
    random = Random(SEED)
    bench = Bench(sizes, random, _treebanks(options.data) if options.data else {})
    if not bench.treebanks:
        trees = bench.projective_trees(20, 5 * sizes.trees) + bench.non_projective_trees(20, sizes.trees)
        bench.treebanks["random trees, for want of --data"] = trees
    before = machine()
    print(_heading(sizes, before))
    sections = []
    for measured in projectivization, eisner_chart, cubic_steps, linear_steps:
        sections.append(_shown(measured(bench)))
    lengths = [_computations(bench, bench.projective_trees, n, sizes.words) for n in sizes.projective]
    projective = projective_points(bench, lengths)
    sections.append(_shown(projective_tracker(bench, projective)))
    section, non_projective = non_projective_tracker(bench)
    sections.append(_shown(section))
    sections.append(_shown(future(bench)))
    missed = [
        f"{part.title[:2]} {row.what}" for part in sections for row in part.rows if row.reached is False
    ]
    print(f"\n\nload at the end: {machine()['load']}")
    print("targets missed:", "".join(f"\n   {what}" for what in missed) or "none")
    if options.json:
        found = {"machine": before, "seed": SEED, "sizes": sizes._asdict(), "missed": missed}
        found["sections"] = [section.as_json() for section in sections]
        found["curves"] = {
            "projective": [point.as_json() for point in projective],
            "non-projective": [point.as_json() for point in non_projective],
        }
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.plot and not draw(projective, non_projective, options.plot):
        print(f"no plot: matplotlib is {NOT_INSTALLED}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How fast the oracles are, beside their peers.")
    parser.add_argument("--data", type=Path, help="treebanks, as ud/*/*train*.conllu in this directory")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--plot", type=Path, help="draw time and entries a step to this PNG")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, only to see that all of it still works"
    )
    return parser.parse_args()


def _treebanks(data: Path) -> dict[str, list[Tree]]:
    paths = sorted(data.glob("ud/*/*train*.conllu"))
    if not paths:
        sys.exit(f"there is no ud/*/*train*.conllu in {data}")
    return {
        path.stem: cast(list[Tree], [sentence.heads for sentence in read_sentences(path)]) for path in paths
    }


def _heading(sizes: Sizes, on: dict[str, str]) -> str:
    return f"""The oracles of treewhile, one thread
   machine  {_listed(on)}
   sizes    {_listed(sizes._asdict())}; seed {SEED}
   figures  medians of {sizes.repeats} repeats after one to warm up, kernels compiled before;
            what is compared takes turns and sees the same load; no garbage collection meanwhile;
            who solves the same problem gave the same answers; ratio: how many times as long the peer takes"""


def _listed(named: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in named.items())


def _shown(section: Section) -> Section:
    print(f"\n\n{table(section)}", flush=True)
    return section


if __name__ == "__main__":
    main()
