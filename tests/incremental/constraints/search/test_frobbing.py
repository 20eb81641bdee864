"""Changes and attacks by definition judge the kernels; searches keep to trees, never get worse, can stop."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from random import Random

import numba
import pytest
from bounded_trees import least_cost
from definitions.changes import Changes
from every_tree import CLASSES, all_trees
from random_grammars import LABELS, parsed, random_grammar, random_situation
from reach import Reached
from searchers import first_tree

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.machine.programs import compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.incremental.constraints.search.attackers import USUAL, Attacker, costs_of_edges
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.trees import Removed, Tree
from treewhile.oracles.interrupts import Interrupt

SCORES = """
constraint "unlikely head" penalty head_probability(X), X: is_unused(X.head)
constraint "unlikely label" penalty label_probability(X), X: is_unused(X.head)
"""

CASES = 5 if numba.config.DISABLE_JIT else 60  # type: ignore[attr-defined]
NEVER = Interrupt()


def situations(cases: int, most_words: int = 5) -> Iterator[tuple[Random, Situation]]:
    for seed in range(cases):
        rng = Random(seed)
        grammar = random_grammar(rng, 6) + rng.choice(["", SCORES])
        program = compile_grammar(parsed(grammar, f"seed {seed}"), LABELS)
        t, k = rng.randrange(1, most_words + 1), rng.randrange(3)
        yield rng, random_situation(rng, program, t, k)


def random_tree(rng: Random, changes: Changes) -> Tree:
    """Any tree that changes can lead to."""
    t, k, unused = changes.situation.t, changes.situation.k, changes.situation.unused
    tree = Tree((0,) * (1 + t) + (unused,) * k, (0,) * (1 + t + k))
    for _ in range(2 * t):
        d = rng.randrange(1, t + 1)
        head = rng.choice(changes.heads_of(d))
        changed = changes.changed(tree, Edge(d, head, rng.randrange(len(LABELS))))
        if all(head in changes.heads_of(node) for node, head in enumerate(changed.heads) if node):
            tree = changed
    return tree


def is_tree(situation: Situation, tree: Tree) -> bool:
    def ends(node: int) -> bool:
        for _ in range(situation.later):
            if not 1 <= node < situation.later:
                return True
            node = tree.heads[node]
        return False

    return all(map(ends, range(1, situation.later)))


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [True, False])
def test_changes_keep_a_tree(is_open: bool) -> None:
    for rng, situation in situations(CASES):
        assert is_tree(situation, random_tree(rng, Changes(situation, is_open)))


def test_short_sentences_are_hardly_ever_settled_below_the_best_tree() -> None:
    searches, below, below_without, proven = 0, 0, 0, 0
    for _, situation in situations(CASES, most_words=3):
        if situation.k:
            continue
        searches += 1
        costs = []
        for margins in (USUAL, USUAL._replace(restarted=0)):
            search = TreeSearch(situation, is_open=False, margins=margins)
            search.begin(Tree((0,) * (1 + situation.t), (0,) * (1 + situation.t)))
            assert search.run(NEVER)
            costs.append(search.cost)
            proven += search.is_proven
        trees = product(all_trees(situation.t), product(range(len(LABELS)), repeat=situation.t))
        best = min(search.judged(Tree((0, *heads), (0, *labels))).cost for heads, labels in trees)
        assert not search.is_proven or search.cost == best
        assert least_cost(situation, search.cost) == best
        below += costs[0] > best
        below_without += costs[1] > best
    print(f"of {searches} searches {below} ended below the best tree, {below_without} without restarts")
    assert proven > 0
    assert below <= max(1, searches // 20)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_word_is_hung_elsewhere_by_its_best_edge_from_another_head(is_open: bool) -> None:
    for seed, (rng, situation) in enumerate(situations(CASES)):
        changes = Changes(situation, is_open)
        tree, word = random_tree(rng, changes), rng.randrange(1, situation.t + 1)
        others = [head for head in changes.heads_of(word) if head != tree.heads[word]]
        edges = [changes.best_label(word, head) for head in others]
        expected = changes.changed(tree, min(edges, key=changes.edge_cost)) if edges else tree
        attacker = Attacker(situation, costs_of_edges(situation, is_open, ()))
        assert attacker.hung_elsewhere(tree, word) == expected, seed


@pytest.mark.slow
def test_an_attack_finds_what_its_definition_finds() -> None:
    found_some = 0
    for seed, (rng, situation) in enumerate(situations(CASES)):
        changes = Changes(situation)
        tree = random_tree(rng, changes)
        conflicts = changes.conflicts(tree)
        if not conflicts:
            continue
        removed = [Removed.of(conflict, tree) for conflict in rng.choices(conflicts, k=2)]
        expected = changes.attacked(tree, removed)
        attacker = Attacker(situation, costs_of_edges(situation, True, ()))
        cost, found = attacker.attacked(tree, removed, NEVER)
        if expected is None:
            assert cost == IMPOSSIBLE, seed
        else:
            found_some += 1
            assert (cost, found) == (changes.cost(expected), expected), seed
    assert found_some > CASES / 2


def searches(
    cases: int, threads: int = 1, executor: ThreadPoolExecutor | None = None
) -> Iterator[TreeSearch]:
    for _, situation in situations(cases):
        search = TreeSearch(situation, threads=threads, executor=executor)
        search.begin(first_tree(search))
        yield search


@pytest.mark.slow
def test_a_search_settles_at_a_tree_that_is_not_worse() -> None:
    improved = 0
    for (_, situation), search in zip(situations(CASES), searches(CASES), strict=True):
        before, changes = search.cost, Changes(situation)
        assert search.run(NEVER)
        assert is_tree(situation, search.best)
        assert search.cost == changes.cost(search.best) <= before
        improved += search.cost < before
    assert improved


@pytest.mark.slow
def test_threads_find_what_one_finds() -> None:
    with ThreadPoolExecutor(3) as executor:
        for one, three in zip(searches(CASES), searches(CASES, 3, executor), strict=True):
            assert one.run(NEVER)
            assert three.run(NEVER)
            assert (one.cost, one.best) == (three.cost, three.best)


@pytest.mark.slow
def test_an_interrupted_search_keeps_its_tree_and_goes_on_later() -> None:
    interrupted = Interrupt()
    interrupted.set()
    for whole, parted in zip(searches(CASES), searches(CASES), strict=True):
        before = parted.best
        is_settled = parted.run(interrupted)
        assert is_settled == (len(parted.conflicts) == 0)
        assert parted.best == before
        assert parted.run(NEVER)
        assert whole.run(NEVER)
        assert parted.best == whole.best


def test_words_that_are_kept_stay() -> None:
    for rng, situation in situations(CASES):
        tree = random_tree(rng, Changes(situation))
        word = rng.randrange(1, situation.t + 1)
        search = TreeSearch(situation, kept=[tree.edge(word)])
        search.begin(tree)
        assert search.run(NEVER)
        assert search.best.edge(word) == tree.edge(word)


def test_a_better_tree_is_a_new_beginning_and_a_worse_one_is_none() -> None:
    for rng, situation in situations(CASES):
        changes = Changes(situation)
        trees = [random_tree(rng, changes) for _ in range(3)]
        search = TreeSearch(situation)
        for tree in trees:
            search.begin(tree)
        assert search.best == min(trees, key=changes.cost)


@pytest.mark.slow
@pytest.mark.reaches(0.1)
@pytest.mark.parametrize("trees", ["gap-minding", "1-endpoint-crossing", "mh4"])
def test_a_search_keeps_to_trees_of_its_class(trees: str, reached: Reached) -> None:
    with ThreadPoolExecutor(2) as executor:
        for rng, situation in situations(CASES, most_words=7):
            changes = Changes(situation)
            starts = [random_tree(rng, changes) for _ in range(9)]
            anywhere, within = TreeSearch(situation), TreeSearch(situation, trees=trees)
            shared = TreeSearch(situation, threads=3, executor=executor, trees=trees)
            for search in (anywhere, within, shared):
                search.begin(*starts)
                assert search.run(NEVER)
            assert (shared.cost, shared.best) == (within.cost, within.best)
            of_class = [tree for tree in starts if is_of(trees, situation, tree)]
            if of_class:
                assert is_of(trees, situation, within.best)
                assert within.cost <= min(map(changes.cost, of_class))
            reached(of_class and not is_of(trees, situation, anywhere.best))


def is_of(trees: str, situation: Situation, tree: Tree) -> bool:
    """Whether the words are in a class by definition, what is to come being one more word under the root."""
    behind = situation.t + 1
    return CLASSES[trees]((*(min(head, behind) for head in tree.heads[1:behind]), 0))


@pytest.mark.slow
def test_a_search_among_all_trees_is_one_that_knows_no_class() -> None:
    for seed, search in enumerate(searches(CASES)):
        among_all = TreeSearch(search.situation, trees="any")
        among_all.begin(search.best)
        assert search.run(NEVER)
        assert among_all.run(NEVER)
        assert (search.cost, search.best) == (among_all.cost, among_all.best), seed


PREDICTED = """
constraint "head" penalty 0.9, X: prediction_exists(other, X) -> X.head = predicted_head(other, X)
constraint "label" penalty 0.9, X: prediction_exists(other, X) -> X.label = predicted_label(other, X)
"""


@pytest.mark.parametrize("goes_on", [False, True])
def test_with_only_a_predictor_its_tree_is_found(goes_on: bool) -> None:
    program = compile_grammar(parse_grammar(PREDICTED), LABELS)
    for seed in range(CASES):
        rng = Random(seed)
        plain = Situation.of(program, ["dog"] * 5, ["NOUN"] * 5, ["_"] * 5)
        predicted, start = (random_tree(rng, Changes(plain, is_open=False)) for _ in range(2))
        predictions = [
            Prediction(predicted.heads[word], LABELS[predicted.labels[word]]) for word in range(1, 6)
        ]
        situation = replace(plain, predictions={"other": predictions})
        search = TreeSearch(situation, is_open=False)
        search.begin(start if goes_on else first_tree(search))
        assert search.run(NEVER)
        assert search.best == predicted, seed
