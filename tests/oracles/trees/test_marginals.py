from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log
from random import Random

import numpy as np
import pytest
from cases import cases, each, each_seed
from definitions.marginals import marginals_by_definition
from edge_scores import exact_or_float, random_floats
from every_tree import all_trees
from judges import scaled
from reach import Reached
from tree_decoders import either_number_of_roots

from treewhile.oracles import InputError, edge_marginals
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.marginals import marginals_of_edges


def marginals_by_listing(scores: np.ndarray, single_root: bool) -> np.ndarray | None:
    """Each edge's share of the weight of all trees, or None where there is no tree."""
    n = len(scores) - 1
    trees = np.array([tree for tree in all_trees(n) if not single_root or tree.count(0) == 1])
    sums = scores[trees, np.arange(1, n + 1)].sum(axis=1)
    if sums.max() == -inf:
        return None
    weights = np.exp(sums - sums.max())
    found = np.zeros(scores.shape)
    for head in range(n + 1):
        found[head, 1:] = weights @ (trees == head)
    return found / weights.sum()


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each("spread", [1, 40, 600, 1e6])
@each_seed(cases(scaled(60, 10)))
def test_marginals_are_shares_of_all_trees(
    seed: int, spread: float, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    scores = spread * edge_array(exact_or_float(rng, rng.randrange(1, scaled(6, 5))))
    scores[0, 1:] -= rng.choice([0, spread, 5 * spread])
    expected = marginals_by_listing(scores, single_root)
    reached(expected is not None)
    if expected is None:
        with pytest.raises(InputError, match="allow more"):
            edge_marginals(scores, single_root)
        return
    found = edge_marginals(scores, single_root)
    np.testing.assert_allclose(
        found, expected, rtol=1e-9 * max(1, spread / 1e3), atol=1e-250, err_msg=str(seed)
    )
    assert found.sum(axis=0) == pytest.approx([0] + [1] * (len(scores) - 1))


@pytest.mark.slow
@either_number_of_roots
@each_seed(cases(scaled(15, 3)))
def test_marginals_of_more_words_are_those_of_exact_fractions(seed: int, single_root: bool) -> None:
    """Where words are nearly sure to head each other, too: chances span up to 120 digits."""
    rng = Random(seed)
    n, digits = rng.randrange(4, scaled(9, 6)), rng.choice([1, 10, 40, 120])
    powers = [[rng.randrange(-digits, 1) for _ in range(n + 1)] for _ in range(n + 1)]
    weight = [
        [Fraction(10) ** power if h != d else Fraction(0) for d, power in enumerate(row)]
        for h, row in enumerate(powers)
    ]
    expected = np.array(
        [[float(share) for share in row] for row in marginals_by_definition(weight, single_root)]
    )
    found = edge_marginals(log(10) * np.array(powers), single_root)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300), seed


@each("gap", [1, 50, 300, 800, 5000, 1e8])
def test_words_that_nearly_always_head_each_other_keep_their_chances(gap: float) -> None:
    """Two words of a circle, of which just one can be left: by the root, or by the other way round."""
    scores = np.array([[0, -gap, -gap - 1], [0, 0, gap], [0, gap, 0]])
    one = 1 / (1 + exp(-1))
    assert edge_marginals(scores) == pytest.approx(
        np.array([[0, one, 1 - one], [0, 0, one], [0, 1 - one, 0]])
    )


@either_number_of_roots
def test_logarithms_and_weights_agree_where_both_serve(single_root: bool) -> None:
    scores = edge_array(random_floats(Random(2), scaled(30, 8)))
    usual = edge_marginals(scores, single_root)
    scores[0, 1:] -= 0 if single_root else 1e-9
    scores[3, 1] = -700  # too small a number for weights
    assert edge_marginals(scores, single_root) == pytest.approx(usual, abs=0.2)
    scores[3, 1] = -300
    near = edge_marginals(scores, single_root)
    scores[3, 1] = -400
    assert edge_marginals(scores, single_root) == pytest.approx(near, rel=1e-9, abs=1e-100)


def test_words_that_cannot_be_under_the_root_hang_on_the_others() -> None:
    scores = np.full((5, 5), -inf)
    for edge in ((0, 1), (0, 2), (0, 4), (1, 2), (2, 1), (1, 3), (2, 3), (3, 4), (4, 3)):
        scores[edge] = log(2)
    found = edge_marginals(scores)
    expected = marginals_by_listing(scores, single_root=True)
    assert found == pytest.approx(expected)
    assert found[0, 4] == 0


def test_a_uniform_distribution_is_that_of_all_trees() -> None:
    for n in range(1, scaled(40, 8)):
        scores = np.zeros((n + 1, n + 1))
        assert edge_marginals(scores)[0, 1:] == pytest.approx(np.full(n, 1 / n))
        assert edge_marginals(scores, single_root=False)[0, 1:] == pytest.approx(np.full(n, 2 / (n + 1)))


def test_a_forced_edge_is_certain_and_a_barred_one_impossible() -> None:
    found = edge_marginals(np.zeros((4, 4)), forced=[(3, 1)], barred=[(0, 3)])
    assert found[3, 1] == 1
    assert found[0, 3] == 0


def test_what_is_interrupted_gives_no_marginals() -> None:
    stop = Interrupt()
    stop.set()
    for single_root in (True, False):
        assert marginals_of_edges(np.zeros((4, 4)), single_root, stop) is None


@pytest.mark.parametrize(
    ("scores", "single_root", "complaint"),
    [
        ([[0, 0], [0, 0], [0, 0]], True, "shape"),
        ([[0, float("nan")], [0, 0]], False, "row 0, column 1"),
        ([[0, 0, 0], [0, 0, -inf], [0, -inf, 0]], True, "one word under the root"),
        ([[0, -inf, -inf], [0, 0, 0], [0, 0, 0]], True, "one word under the root"),
        ([[0, -inf, -inf], [0, 0, 0], [0, 0, 0]], False, "to word 1"),
    ],
)
def test_what_has_no_marginals_is_refused_in_one_sentence(
    scores: object, single_root: bool, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        edge_marginals(scores, single_root)  # type: ignore[arg-type]


def test_what_would_take_gigabytes_is_refused_with_the_number() -> None:
    with pytest.raises(InputError, match=r"8999 words need [\d.]+ GiB for weighing all trees"):
        marginals_of_edges(np.broadcast_to(0.0, (9000, 9000)), True, Interrupt())


def test_no_words_have_no_edges() -> None:
    assert edge_marginals([[0]]).tolist() == [[0]]
