"""What the optimal steps of arc-eager cost, beside those of arc-standard.

    python tests/benchmarks/bench_arc_eager.py [--quick]

Both parse the same random trees from the beginning to the end, 2n steps each, as the tracker is used by a
program: scores, then an optimal step. Bias: Python is most of a step where the sentence is short.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import computations as walks
from measuring import Section, Work, machine, measure, table

from treewhile.oracles import OptimalStepTracker, optimal_steps
from treewhile.oracles.references import Reference, as_edge_scores, as_reference

SEED = 16

Draw = Callable[[int, Random], Any]
WorkOf = Callable[[Any, list[Any]], Work]  # system, references


class Sizes(NamedTuple):
    repeats: int
    words: int  # of all sentences of one length
    lengths: tuple[int, ...]


FULL = Sizes(7, 1000, (10, 20, 50, 100))
QUICK = Sizes(2, 40, (10, 20))


def crossing_tree(n: int, rng: Random) -> Reference:
    """A projective tree of which a tenth of the words moved elsewhere."""
    moved = max(1, n // 10)
    return as_reference(walks.with_moved_heads(walks.random_projective_tree(n, rng), moved, rng))


def projective_tree(n: int, rng: Random) -> Reference:
    return as_reference(walks.random_projective_tree(n, rng))


def random_scores(n: int, rng: Random) -> Any:
    return as_edge_scores([[rng.random() for _ in range(n + 1)] for _ in range(n + 1)])


REFERENCES: dict[str, Draw] = {
    "projective heads": projective_tree,
    "heads, some crossing": crossing_tree,
    "scores": random_scores,
}


def followed(system: Any, references: list[Any]) -> Work:
    """All steps of each sentence."""

    def follow(reference: Any) -> int:
        tracker: OptimalStepTracker[Any] = OptimalStepTracker(reference, system=system)
        steps = 0
        while not tracker.configuration.is_final:
            tracker.apply(tracker.scores().best[0])
            steps += 1
        return steps

    return Work(lambda _: sum(map(follow, references)))


def first_answers(system: Any, algorithm: str, references: list[Any]) -> Work:
    """The first configuration of each sentence."""

    def run(cases: list[Any]) -> int:
        for configuration, reference in cases:
            optimal_steps(configuration, reference, algorithm=algorithm, system=system)
        return len(cases)

    begin = [OptimalStepTracker(reference, system=system).configuration for reference in references]
    return Work(run, lambda: list(zip(begin, references, strict=True)))


def tracked(sizes: Sizes) -> Section:
    section = Section("A step with the tracker, from Python", "Finding and applying an optimal step.")
    _fill(section, sizes, [("arc-eager", followed), ("arc-standard", followed)], ["", "arc-standard"])
    return section


def from_scratch(sizes: Sizes) -> Section:
    section = Section("The first answer from scratch", "All words remain: no configuration takes longer.")
    works = [
        ("arc-eager", _with_algorithm("forward")),
        ("arc-eager", _with_algorithm("cubic")),
        ("arc-standard", _with_algorithm("cubic")),
    ]
    _fill(section, sizes, works, ["", "arc-eager, cubic", "arc-standard, cubic"])
    return section


def _with_algorithm(algorithm: str) -> WorkOf:
    return lambda system, references: first_answers(system, algorithm, references)


def _fill(section: Section, sizes: Sizes, works: list[tuple[str, WorkOf]], names: list[str]) -> None:
    """A row for each kind of reference and length: the first work, and the others beside it."""
    rng = Random(SEED)
    for kind, draw in REFERENCES.items():
        for n in sizes.lengths:
            references = [draw(n, rng) for _ in range(max(1, sizes.words // n))]
            first, *others = measure(sizes.repeats, *(work(system, references) for system, work in works))
            section.add(f"{kind}, n = {n}", first, *zip(names[1:], others, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all of it still works")
    sizes = QUICK if parser.parse_args().quick else FULL
    print(f"machine {machine()}\nsizes {sizes._asdict()}; seed {SEED}")
    for section in (tracked(sizes), from_scratch(sizes)):
        print(f"\n\n{table(section)}", flush=True)


if __name__ == "__main__":
    main()
