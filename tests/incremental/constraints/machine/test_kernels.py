"""The definition judges the compiled machine, on random grammars, situations and analyses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from random import Random
from time import process_time
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest
import single_costs
from definitions.conflicts import judge
from random_grammars import LABELS, parsed, random_analysis, random_grammar, random_situation

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.language.terms import OPERATIONS, Relation
from treewhile.incremental.constraints.machine import judging, label_lists
from treewhile.incremental.constraints.machine.attributes import Learnt
from treewhile.incremental.constraints.machine.definition import Violation
from treewhile.incremental.constraints.machine.kernels.analyses import cost_of_all
from treewhile.incremental.constraints.machine.kernels.records import Edge, TreeArrays, WatchedColumn
from treewhile.incremental.constraints.machine.programs import compile_grammar
from treewhile.incremental.constraints.machine.situations import Situation

CASES = 40 if numba.config.DISABLE_JIT else 150  # type: ignore[attr-defined]
INTERRUPT = np.zeros(1, np.uint8)


class Case(NamedTuple):
    """A grammar, a situation and an analysis, with all conflicts as defined and the constraints at fault."""

    situation: Situation
    heads: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    conflicts: list[Violation]
    faulty: set[str]

    @property
    def tree(self) -> TreeArrays:
        return TreeArrays(self.heads, self.labels)

    def cost_of(self, *dependents: int, is_contextual: bool = False) -> int:
        """The cost of the conflicts of exactly these dependents."""
        constraints = self.situation.program.grammar.constraints
        return sum(
            cost
            for number, x, y, cost in self.conflicts
            if {x, y} - {0} == {*dependents} and constraints[number].is_contextual == is_contextual
        )


def cases(seeds: range, size: int = 6) -> Iterator[Case]:
    for seed in seeds:
        rng = Random(seed)
        program = compile_grammar(parsed(random_grammar(rng, size), f"seed {seed}"), LABELS)
        situation = random_situation(rng, program, rng.randrange(7), rng.randrange(4))
        heads, labels = random_analysis(rng, situation)
        named = [LABELS[label] for label in labels]
        yield Case(situation, heads, labels, *judge(situation, heads.tolist(), named))


@pytest.fixture(scope="module")
def all_cases() -> list[Case]:
    return [*cases(range(CASES))]


def test_the_machine_finds_the_conflicts_of_the_definition(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        rows = judging.conflicts_in(case.situation, case.tree)
        assert sorted(Violation(*row) for row in rows.tolist()) == sorted(case.conflicts), seed


def test_formulas_that_are_not_shortened_for_each_label_are_judged_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(label_lists, "MOST_LEFT", 0)
    monkeypatch.setattr(label_lists, "LARGEST_KEPT", 0)  # nothing is kept for other tests
    for seed, case in enumerate(cases(range(40))):
        rows = judging.conflicts_in(case.situation, case.tree)
        assert sorted(Violation(*row) for row in rows.tolist()) == sorted(case.conflicts), seed


def test_a_formula_about_all_pairs_of_labels_is_compiled_in_no_time() -> None:
    labels = [f"l{number}" for number in range(50)]
    parts = [
        f"(X.label = l{one % 50} or Y.label = l{(7 * one + 3) % 50}) and X.tag != Y.tag" for one in range(300)
    ]
    text = f"constraint c penalty 0.5, X and Y of any kind: {' or '.join(f'({one})' for one in parts)}"
    grammar, start = parse_grammar(text), process_time()
    compile_grammar(grammar, labels)
    assert process_time() - start < 3  # about 10 seconds if it is shortened for each pair


AGREEING = """
constraint "features" penalty 0.5, X and Y of any kind: agree(X.Case, Y.Case)
constraint "others" penalty 0.5, X and Y of any kind: agree(X.Number, Y.Case) or X.label in {nsubj, obj}
"""


def test_sets_of_many_values_meet_as_defined() -> None:
    rng, program = Random(40), compile_grammar(parse_grammar(AGREEING), LABELS)
    for most in (3, 31, 40, 40, 40, 90):
        words, values = 60, [f"V{number}" for number in range(most)]
        features = [
            "|".join(f"{name}={','.join(rng.sample(values, rng.randrange(1, 4)))}" for name in chosen) or "_"
            for chosen in rng.choices([(), ("Case",), ("Case", "Number")], k=words)
        ]
        situation = Situation.of(program, ["w"] * words, ["NOUN"] * words, features)
        heads, labels = random_analysis(rng, situation)
        conflicts, _ = judge(situation, heads.tolist(), [LABELS[label] for label in labels])
        rows = judging.conflicts_in(situation, TreeArrays(heads, labels))
        assert sorted(Violation(*row) for row in rows.tolist()) == sorted(conflicts), most


LEARNING = """
constraint "lemma" penalty 0.5, X: X.lemma in {be, go} -> X.head.xpos = VB or X.xpos != VBD
constraint "both" penalty 0.5, X and Y under one head: X.lemma != Y.lemma or not exists(Y.xpos)
"""


def test_lemmas_and_xpos_are_known_as_defined() -> None:
    rng, program = Random(41), compile_grammar(parse_grammar(LEARNING), LABELS)
    for _ in range(10):
        learnt = [
            Learnt(rng.choice(["be", "go", "see", "hear"]), rng.choice(["VB", "VBD", None]))
            for _ in "wordwords"
        ]
        given = learnt if rng.random() < 0.8 else []
        situation = Situation.of(program, [*"wordwords"], ["VERB"] * 9, ["_"] * 9, learnt=given)
        heads, labels = random_analysis(rng, situation)
        conflicts, _ = judge(situation, heads.tolist(), [LABELS[label] for label in labels])
        rows = judging.conflicts_in(situation, TreeArrays(heads, labels))
        assert sorted(Violation(*row) for row in rows.tolist()) == sorted(conflicts)
        assert given or not conflicts


def test_the_hardest_conflicts_come_first(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        rows = judging.conflicts_in(case.situation, case.tree).tolist()
        order = [(-cost, constraint, x, y) for constraint, x, y, cost in rows]
        assert order == sorted(order), seed


@pytest.mark.parametrize("room", [judging.ROWS, 3])
def test_judging_again_what_has_changed_finds_what_judging_all_finds(
    all_cases: list[Case], room: int
) -> None:
    rng = Random(room)
    for seed, case in enumerate(all_cases):
        conflicts = judging.conflicts_in(case.situation, case.tree)
        known = single_costs.watched(case.situation, case.tree)
        for kept in (0.5, 0.7, 0.9, 0.95):
            tree = changed(rng, case, kept)
            plain, found = single_costs.judged_again(case.situation, tree, known, conflicts, room)
            desk = judging.new_desk(case.situation, room)
            assert plain == cost_of_all(desk, tree)[0], seed
            assert found.tolist() == desk.rows[: int(desk.found[0])].tolist(), seed
            again = single_costs.context_cost_again(case.situation, tree, known)
            assert again == single_costs.context_cost(case.situation, tree), seed


def changed(rng: Random, case: Case, kept: float) -> TreeArrays:
    """The analysis of a case, in which so large a share of edges is kept."""
    keeps = np.array([rng.random() < kept for _ in case.heads])
    heads, labels = random_analysis(rng, case.situation)
    return TreeArrays(np.where(keeps, case.heads, heads), np.where(keeps, case.labels, labels))


LOOKING = [
    "X.head.head.tag = VERB",
    "X.head.label = obj",
    "X.head.relation = obj",
    "X.head.direction = left",
    "X.head.distance > 1",
    "dominates(X.head.head, X)",
    "has(X, {obj})",
    "count(X.head) > 1",
    "under(X, {obj})",
    "covers_outsider(X)",
    *(f"some Z {extent}: (Z.tag = VERB or Z.label = obj)" for extent in ("below X", "above X", "beside X")),
    *(f"number of Z {extent} X: (true) > 1" for extent in ("below", "above", "beside", "left of", "between")),
    "number of Z right of X.head: (true) = 1",
    "number of Z between X.head: (true) = 1",
    "number of Z anywhere: (true) = 3",
]


def looking(edges: str, words: int) -> Situation:
    lines = [
        f'constraint "{number}" penalty 0.{5 + number % 5}, {edges}: not ({one})'
        for number, one in enumerate(LOOKING)
    ]
    program = compile_grammar(parse_grammar("\n".join(lines)), LABELS)
    tags = (["VERB", "NOUN", "VERB"] * words)[:words]
    return Situation.of(program, ["a"] * words, tags, ["_"] * words, ["VERB", "NOUN"])


@pytest.mark.parametrize("edges", ["X", "X and Y of any kind"])
def test_each_look_at_an_analysis_is_judged_again_when_what_it_sees_changes(edges: str) -> None:
    rng, situation = Random(7), looking(edges, words=3)
    for _ in range(4 if numba.config.DISABLE_JIT else 100):  # type: ignore[attr-defined]
        heads, labels = random_analysis(rng, situation)
        known = single_costs.watched(situation, TreeArrays(heads, labels))
        for node, head, label in product(range(1, situation.later), range(situation.unused + 1), (0, 4)):
            other = TreeArrays(heads.copy(), labels.copy())
            other.heads[node], other.labels[node] = head, label
            again = single_costs.context_cost_again(situation, other, known)
            assert again == single_costs.context_cost(situation, other), (heads, labels, node, head, label)


def test_long_sentences_whose_words_share_bits_are_judged_again_alike() -> None:
    rng, situation = Random(7), looking("X", words=90)
    for _ in range(1 if numba.config.DISABLE_JIT else 20):  # type: ignore[attr-defined]
        case = Case(situation, *random_analysis(rng, situation), [], set())
        known = single_costs.watched(situation, case.tree)
        for kept in (0.9, 0.95, 0.99):
            tree = changed(rng, case, kept)
            again = single_costs.context_cost_again(situation, tree, known)
            assert again == single_costs.context_cost(situation, tree)


FORMULAS = """
constraint "a" penalty 0.5, X: no Z below X: (Z.relation = obj)
constraint "b" penalty 0.5, X: X.head.relation != det
constraint "c" penalty 0.5, X: some Z above X: (Z.relation = nsubj)
"""


@pytest.mark.parametrize(
    ("formula", "word", "kept"), [(0, 10, 18), (1, 10, 19), (2, 10, 19), (0, 1, 19), (1, 1, 0), (2, 1, 0)]
)
def test_only_constraints_whose_nodes_have_changed_are_judged_again(
    formula: int, word: int, kept: int
) -> None:
    """One of 20 words gets another label, of which all but the first hang on the first one.

    What is kept of the other edges has costs by which it can be told.
    """
    program = compile_grammar(parse_grammar(FORMULAS.strip().splitlines()[formula]), LABELS)
    situation = Situation.of(program, ["w"] * 20, ["NOUN"] * 20, ["_"] * 20)
    heads, labels = np.array([0, 0, *[1] * 19]), np.zeros(21, np.int64)
    known = single_costs.watched(situation, TreeArrays(heads, labels))
    assert len(known.watched) == 20
    known.watched[:, WatchedColumn.COST] = 1 << 40
    others = labels.copy()
    others[word] = 1
    cost = single_costs.context_cost_again(situation, TreeArrays(heads, others), known)
    assert cost >> 40 == kept


def test_the_random_grammars_try_everything(all_cases: list[Case]) -> None:
    constraints = [
        constraint for case in all_cases for constraint in case.situation.program.grammar.constraints
    ]
    found = [
        case.situation.program.grammar.constraints[row.constraint]
        for case in all_cases
        for row in case.conflicts
    ]
    assert {constraint.relation for constraint in found} == {*Relation}
    assert {constraint.is_contextual for constraint in found} == {True, False}
    assert any(case.faulty for case in all_cases)
    operations = {part.operation for constraint in constraints for part in constraint.parts}
    if len(all_cases) > 100:
        assert operations == {*OPERATIONS}


def test_the_cost_of_an_analysis_is_the_sum_of_its_conflicts(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        cost = single_costs.analysis_cost(case.situation, case.tree)
        assert cost == sum(row.cost for row in case.conflicts), seed


def test_the_cost_of_the_context_is_that_of_contextual_constraints(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        constraints = case.situation.program.grammar.constraints
        expected = sum(row.cost for row in case.conflicts if constraints[row.constraint].is_contextual)
        assert single_costs.context_cost(case.situation, case.tree) == expected, seed


def test_edges_and_pairs_have_the_costs_of_their_conflicts(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        edges = [Edge(d, case.heads[d], case.labels[d]) for d in range(1, case.situation.later)]
        for edge in edges:
            assert single_costs.edge_cost(case.situation, edge) == case.cost_of(edge[0]), (seed, edge)
        for x, y in combinations(edges, 2):
            expected = case.cost_of(x[0], y[0])
            assert single_costs.pair_cost(case.situation, x, y) == expected, (seed, x, y)
            assert single_costs.pair_cost(case.situation, y, x) == expected, (seed, x, y)


def test_edges_of_one_dependent_are_no_pair(all_cases: list[Case]) -> None:
    for case in all_cases[:20]:
        if case.situation.t > 0:
            assert (
                single_costs.pair_cost(case.situation, Edge(1, 0, 0), Edge(1, case.situation.later, 1)) == 0
            )


LABELLED = """
constraint named penalty 0.9, X:
    prediction_exists(other, X) and exists(predicted_label(other, X)) -> X.label = predicted_label(other, X)
constraint "named or short" penalty 0.7, X: predicted_label(other, X) = X.label or X.distance < 2
constraint "named above" penalty 0.8, X: X.label = predicted_label(other, X.head)
constraint "named twice" penalty 0.6, X:
    X.label = predicted_label(other, X) or X.label = predicted_label(committed, X)
constraint scored penalty label_probability(X), X: is_unused(X.head)
constraint "scored everywhere" penalty label_probability(X), X: false
constraint "scored at times" penalty label_probability(X), X: X.distance < 2
constraint both penalty label_probability(X) * 0.5, X: X.label = predicted_label(committed, X)
"""


def test_judging_all_labels_at_once_gives_what_judging_one_gives(all_cases: list[Case]) -> None:
    program = compile_grammar(parse_grammar(LABELLED), LABELS)
    labelled = [random_situation(Random(seed), program, 4, 2) for seed in range(40)]
    for seed, situation in enumerate([case.situation for case in all_cases[:60]] + labelled):
        later, unused = situation.later, situation.unused
        arcs = [(d, h) for d in range(1, later) for h in range(unused + 1) if d != h]
        cost = np.full((later, unused + 1, len(LABELS)), -1, np.int64)
        pairs = np.array(arcs, np.int64).reshape(-1, 2)
        done = single_costs.judge_edges(situation, pairs, cost, INTERRUPT)
        assert done == len(arcs)
        for d, h in arcs:
            singly = [single_costs.edge_cost(situation, Edge(d, h, label)) for label in range(len(LABELS))]
            assert cost[d, h].tolist() == singly, (seed, d, h)


def test_an_interrupt_stops_judging_before_the_next_arc(all_cases: list[Case]) -> None:
    case = next(case for case in all_cases if case.situation.t > 2)
    cost = np.full((case.situation.later, case.situation.unused + 1, len(LABELS)), -1, np.int64)
    arcs = np.array([(1, 0), (2, 0)], np.int64)
    assert single_costs.judge_edges(case.situation, arcs, cost, np.ones(1, np.uint8)) == 0
    assert (cost == -1).all()


def test_a_constraint_is_violated_where_it_has_a_conflict(all_cases: list[Case]) -> None:
    for seed, case in enumerate(all_cases):
        costs = {row[:3]: row.cost for row in case.conflicts}
        dependents = range(case.situation.later)
        for number in range(len(case.situation.program.grammar.constraints)):
            for pair in [(x, y) for x in dependents[1:] for y in dependents if x != y]:
                arguments = (case.situation, case.tree, number, *pair)
                if is_first_way(case, number, *pair):
                    expected = costs.get((number, *pair), 0)
                    assert single_costs.conflict_cost(*arguments) == expected, (seed, number, pair)


def is_first_way(case: Case, number: int, x: int, y: int) -> bool:
    """Whether edges come in the order in which conflicts name them."""
    relation = case.situation.program.grammar.constraints[number].relation
    return y == 0 or x < y or relation == Relation.IN_A_CHAIN


def test_where_room_is_short_conflicts_are_counted_all_the_same(all_cases: list[Case]) -> None:
    case = max(all_cases, key=lambda case: len(case.conflicts))
    desk = judging.new_desk(case.situation, room=2)
    cost_of_all(desk, case.tree)
    assert desk.found[0] == len(case.conflicts) > 2
    assert {Violation(*row) for row in desk.rows.tolist()} <= {*case.conflicts}


@pytest.mark.slow
def test_faults_are_reported_by_name(all_cases: list[Case]) -> None:
    """The machine may see fewer: what labels decide is not computed."""
    reported: set[tuple[int, str]] = set()
    for seed, case in enumerate(cases(range(CASES))):
        single_costs.analysis_cost(case.situation, case.tree)
        assert {*case.situation.faulty()} <= case.faulty, seed
        reported |= {(seed, name) for name in case.situation.faulty()}
    assert reported


RATIOS = """
constraint "ratio" penalty 0, X:
    1 / X.distance <= 1
constraint "near" penalty 1 / X.distance, X:
    false
"""


def test_a_constraint_that_divides_by_zero_holds() -> None:
    program = compile_grammar(parse_grammar(RATIOS), LABELS)
    situation = Situation.of(program, ["dogs", "bark"], ["NOUN", "VERB"], ["_", "_"])
    heads, labels = np.array([0, 2, 0], np.int64), np.array([0, 1, 0], np.int64)
    assert single_costs.analysis_cost(situation, TreeArrays(heads, labels)) == 0
    assert situation.faulty() == ["ratio", "near"]
