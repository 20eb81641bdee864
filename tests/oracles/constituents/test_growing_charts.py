"""Charts that follow a sentence while it changes: the same as from the start, and most of it kept."""

from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each_seed
from random_phrase_grammars import random_grammar, random_lexical, random_openings

from treewhile.oracles.constituents.grammar_charts import GrammarChart
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

SIDES: list[Side] = ["left", "right"]
ROWS = 6  # kinds of words


def edited(rng: np.random.Generator, words: np.ndarray) -> np.ndarray:
    """The columns of (row, begins, ends, unaries), with a word added, cut or changed."""
    fresh = np.array([[rng.integers(ROWS), *(rng.random(3) < 0.7)]])
    kind, place = rng.integers(4), int(rng.integers(len(words) + 1))
    if kind == 0 and len(words) > 2:
        return words[: max(2, len(words) - 2)]
    if kind == 1 and place < len(words):
        return np.concatenate([words[:place], fresh, words[place + 1 :]])
    return np.concatenate([words, fresh]) if len(words) < 9 else words[:-3]


@pytest.mark.parametrize("side", SIDES)
@each_seed(cases(8))
def test_any_edits_give_what_starting_afresh_gives(seed: int, side: Side) -> None:
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng, side)
    rows = [*random_lexical(rng, grammar, ROWS)]
    kept, words = GrammarChart(grammar), np.zeros((0, 4), np.int64)
    for _ in range(25):
        words = edited(rng, words)
        openings = Openings(*(words[:, 1:4].astype(np.bool_).T))
        lexical = [rows[row] for row in words[:, 0]]
        fresh = GrammarChart(grammar)
        for chart in (kept, fresh):
            assert chart.follow(lexical, openings)
        assert kept.best() == fresh.best()


@pytest.mark.parametrize("side", SIDES)
def test_most_of_a_growing_sentence_is_kept(side: Side) -> None:
    rng = np.random.default_rng(3)
    grammar = random_grammar(rng, side)
    words = 20
    lexical, (begins, ends, unaries) = [*random_lexical(rng, grammar, words)], random_openings(rng, words)
    ends[:], unaries[0] = True, True  # whatever the last word of a sentence may do, it may do anyway
    kept, afresh = GrammarChart(grammar), 0
    for count in range(1, words + 1):
        part = Openings(begins[:count], ends[:count], unaries[:count])
        kept.follow(lexical[:count], part)
        fresh = GrammarChart(grammar)
        fresh.follow(lexical[:count], part)
        afresh += fresh.counts.sum()
    # Each cell is filled once, as if there had been but the whole sentence.
    assert kept.counts.tolist() == fresh.counts.tolist()
    assert kept.counts.sum() < 0.3 * afresh


def test_an_interrupt_leaves_what_is_filled() -> None:
    rng = np.random.default_rng(2)
    grammar = random_grammar(rng, "left")
    lexical, interrupt = [*random_lexical(rng, grammar, 8)], Interrupt()
    chart = GrammarChart(grammar)
    chart.follow(lexical[:5])
    interrupt.set()
    assert not chart.follow(lexical, interrupt=interrupt)
    assert chart.words == 5
    assert chart.follow(lexical)
    fresh = GrammarChart(grammar)
    fresh.follow(lexical)
    assert chart.best() == fresh.best()


def test_a_sentence_that_would_take_minutes_is_refused() -> None:
    rng = np.random.default_rng(2)
    grammar = random_grammar(rng, "left")
    with pytest.raises(InputError, match="close more cells, or cut it"):
        GrammarChart(grammar).follow([*random_lexical(rng, grammar, 400)])
