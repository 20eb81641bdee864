"""What the kernels promise beyond what their owners' tests show; run compiled, and again as plain Python."""

from __future__ import annotations

import math
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest
from definitions.semirings import LOG, Value
from definitions.tabular_parsing import parse
from judges import all_projective_trees, random_forest, scaled

from treewhile.oracles.kernels.heads import preference_weights
from treewhile.oracles.kernels.values import ALMOST_NEVER, LAZY_PRODUCTS, NEVER, count_ties
from treewhile.oracles.references import as_reference
from treewhile.oracles.split_grammars import PROJECTIVE


def weights(heads: list[int | None], single_root: bool) -> Any:
    return preference_weights(as_reference(heads).heads, single_root)


@pytest.mark.parametrize("single_root", [True, False])
def test_one_integer_orders_trees_as_the_first_three_tie_rules_do(single_root: bool) -> None:
    for seed in range(scaled(20, 5)):
        heads = random_forest(Random(seed), 4)
        weight = weights(heads, single_root)
        ranks = {}
        for tree in all_projective_trees(4):
            gold = sum(a == b for a, b in zip(tree, heads, strict=True))
            roots, length = tree.count(0), sum(abs(word - head) for word, head in enumerate(tree, 1))
            demanded = -roots if single_root else 0
            ranks[tree] = (
                (demanded, gold, -roots, -length),
                sum(weight[head, word] for word, head in enumerate(tree, 1)),
            )
        for rank, total in ranks.values():
            for other_rank, other_total in ranks.values():
                assert (rank < other_rank) == (total < other_total), seed


def test_preferences_of_a_thousand_words_stay_far_from_the_end_of_integers() -> None:
    n = 1000
    weight = weights([0] * n, False)
    assert abs(weight[0, 1:].astype(object)).sum() < 2**53
    assert (weight[:, 0] == NEVER).all()


def test_two_minus_infinities_of_integers_do_not_overflow() -> None:
    assert NEVER + NEVER > -(2**63)
    assert NEVER + 2**59 < ALMOST_NEVER < -(2**59)


@pytest.mark.parametrize("n", [LAZY_PRODUCTS + 50])
def test_sums_of_residues_longer_than_a_lazy_stretch_are_exact(n: int) -> None:
    rng = np.random.default_rng(1)
    modulus = 2**26 - 5
    a, b = rng.integers(modulus - 3, modulus, size=(2, n))
    tie = np.zeros(n, dtype=np.int64)
    expected = sum(int(x) * int(y) for x, y in zip(a, b, strict=True)) % modulus
    assert count_ties(tie, tie, 0, a, b, modulus) == expected


def test_log_sums_do_not_overflow_and_know_minus_infinity() -> None:
    weight = np.full((3, 3), 800.0)
    assert parse(PROJECTIVE, "aaa", weight, LOG) == pytest.approx(1600 + math.log(3))
    weight[0] = -math.inf
    never: Value = parse(PROJECTIVE, "aaa", weight, LOG)
    assert never == -math.inf


@pytest.mark.slow
def test_kernels_run_where_there_is_no_folder_to_cache_them() -> None:
    code = (
        "from treewhile.oracles import kernel_sources\n"
        "kernel_sources.places = lambda: iter(())\n"
        "from treewhile.oracles import is_projective\n"
        "print(is_projective([2, 0]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")
