"""What is open after the first words, judged by all beginnings of trees and by all sentences that go on."""

from __future__ import annotations

from itertools import islice
from math import exp

import numpy as np
import numpy.typing as npt
import pytest
from random_phrase_grammars import random_grammar, random_lexical, random_openings
from reach import Reached

from treewhile.oracles.compilation import IS_COMPILED
from treewhile.oracles.constituents.constituent_chances import constituent_chances
from treewhile.oracles.constituents.derivations_by_definition import every_open_tree, is_allowed
from treewhile.oracles.constituents.grammars import Grammar, Side
from treewhile.oracles.constituents.open_derivations import best_open_derivation, prefix_log_sum
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

SIDES: list[Side] = ["left", "right"]


MOST_CORNERS = 4  # there are five symbols that have any, and none twice in the best chain
MOST_TREES = 3000

# Recursion, how long sentences are, and how near their sum is then; uncompiled, 40 words take seconds.
SUMS_BY_RECURSION = ((0.0, 12, 1e-12), (0.2, 40, 1e-3))[: 2 if IS_COMPILED else 1]


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("side", SIDES)
def test_the_best_beginning_is_the_best_of_all(side: Side, seed: int, reached: Reached) -> None:
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng, side, rules=3)
    words = int(rng.integers(1, 4))
    lexical = random_lexical(rng, grammar, words)
    openings = Openings.all_open(words) if seed % 2 else random_openings(rng, words)
    trees = [*islice(every_open_tree(grammar, lexical, MOST_CORNERS), MOST_TREES)]
    if len(trees) == MOST_TREES:
        reached(False)
        return
    allowed = [(tree, score) for tree, score in trees if is_allowed(tree, grammar, openings)]
    best = max((score for _, score in allowed), default=None)
    found = best_open_derivation(grammar, lexical, openings)
    reached(best is not None and words > 1)
    assert (found and found.score) == best
    if found:
        assert found.nodes in [
            [
                (node.symbol, node.first + 1, None if node.last == words else node.last + 1)
                for node in tree.nodes()
            ]
            for tree, score in allowed
            if score == best
        ]


# --- sums ---------------------------------------------------------------------------------------------------

SYMBOLS = ("S", "N", "V", "n", "v", "@S")


def proper_grammar(side: Side, recursion: float) -> Grammar:
    """S -> N V | N @S or @S V | V; V -> v N | v n; N -> n n | N V: rules of a symbol add up to one."""
    s, n, v, noun, verb, rest = range(6)
    spine = (rest, v) if side == "left" else (n, rest)
    binary = [
        ((s, n, v), 0.5),
        ((s, *spine), 0.25),
        ((rest, n, v), 1.0),
        ((v, verb, n), 0.6),
        ((v, verb, noun), 0.4),
        ((n, noun, noun), 1 - recursion),
        ((n, n, v), recursion),
    ]
    kept = [(rule, chance) for rule, chance in binary if chance > 0]
    return Grammar(
        SYMBOLS,
        s,
        np.array([symbol == "@S" for symbol in SYMBOLS]),
        np.array([rule for rule, _ in kept], np.int32),
        np.log([chance for _, chance in kept]),
        np.array([[s, v]], np.int32),
        np.log([0.25]),
        side,
    )


def words_of(tags: str) -> npt.NDArray[np.float64]:
    """Words that have any tag, like those that are to come, or one for certain."""
    rows = {"?": [-np.inf, -np.inf, -np.inf, 0.0, 0.0, -np.inf]}
    rows |= {"n": [-np.inf, -np.inf, -np.inf, -0.5, -np.inf, -np.inf], "v": [-np.inf] * 4 + [-1.0, -np.inf]}
    return np.array([rows[tag] for tag in tags])


def sum_of_sentences(grammar: Grammar, tags: str, longest: int, closed: int | None) -> float:
    """The sum over all trees of longer sentences that begin with these words."""
    total = 0.0
    for more in range(1, longest - len(tags) + 1):
        openings = Openings.all_open(len(tags) + more)
        if closed is not None:
            openings.begins[closed] = openings.ends[closed] = False
        found = constituent_chances(grammar, words_of(tags + "?" * more), openings)
        total += exp(found.log_sum) if found else 0
    return total


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("closed", [None, 0, 1])
@pytest.mark.parametrize("tags", ["n", "v", "nn", "nnv", "vn", "nv"])
def test_sums_are_those_of_all_sentences_that_go_on(tags: str, closed: int | None, side: Side) -> None:
    closed = None if closed is not None and closed >= len(tags) else closed
    openings = Openings.all_open(len(tags))
    if closed is not None:
        openings.begins[closed] = openings.ends[closed] = False
    for recursion, longest, tolerance in SUMS_BY_RECURSION:
        grammar = proper_grammar(side, recursion)
        found = exp(prefix_log_sum(grammar, words_of(tags), openings))
        judged = sum_of_sentences(grammar, tags, longest, closed)
        assert found == pytest.approx(judged, rel=tolerance)


def test_left_corners_add_up_as_the_inverse_of_their_matrix() -> None:
    """N -> N V again and again: 1 / (1 - recursion) times."""
    grammar = proper_grammar("right", 0.2)
    # n is N's first word: (1 - 0.2) / (1 - 0.2), under S by any rule but the unary one.
    assert exp(prefix_log_sum(grammar, words_of("n")) + 0.5) == pytest.approx(0.75)


def test_what_is_open_is_known_as_such() -> None:
    found = best_open_derivation(proper_grammar("left", 0.2), words_of("nnv"))
    assert found
    named = [(SYMBOLS[node.symbol], node.first, node.last) for node in found.nodes]
    assert named == [("S", 1, None), ("N", 1, 2), ("n", 1, 1), ("n", 2, 2), ("V", 3, None), ("v", 3, 3)]


def test_corners_that_do_not_add_up_are_told() -> None:
    grammar = Grammar(
        ("S", "t"),
        0,
        np.zeros(2, np.bool_),
        np.array([[0, 0, 1], [0, 1, 1]], np.int32),
        np.log([1.5, 0.5]),
        np.zeros((0, 2), np.int32),
        np.zeros(0),
        "left",
    )
    with pytest.raises(InputError, match="left corners go round in circles"):
        prefix_log_sum(grammar, np.array([[-np.inf, 0.0]]))


def test_an_interrupt_leaves_no_tree() -> None:
    interrupt = Interrupt()
    interrupt.set()
    found = best_open_derivation(proper_grammar("left", 0.2), words_of("nnv"), interrupt=interrupt)
    assert found is None


def test_nothing_is_open_without_words() -> None:
    assert best_open_derivation(proper_grammar("left", 0), np.zeros((0, 6))) is None
    assert prefix_log_sum(proper_grammar("left", 0), np.zeros((0, 6))) == -np.inf
