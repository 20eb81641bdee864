"""Charts that follow a sentence while it changes: the same as from the start, and most of it kept."""

from __future__ import annotations

import numpy as np
import pytest
from random_phrase_grammars import random_grammar, random_lexical, random_openings

from treewhile.oracles.constituents.chart_cells import MIDPOINTS, OPEN, PARTLY_OPEN
from treewhile.oracles.constituents.closed_cells import NEVER_CLOSED
from treewhile.oracles.constituents.grammar_charts import GrammarChart
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.open_derivations import open_derivation
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.sliding_begins import sliding_last_ends
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

SIDES: list[Side] = ["left", "right"]
ROWS = 6  # kinds of words


def edited(rng: np.random.Generator, words: np.ndarray) -> np.ndarray:
    """The columns of (row, begins, ends, unaries, last end), with a word added, cut or changed."""
    fresh = np.array([[rng.integers(ROWS), *(rng.random(3) < 0.7), rng.choice([NEVER_CLOSED, 2, 4])]])
    kind, place = rng.integers(4), int(rng.integers(len(words) + 1))
    if kind == 0 and len(words) > 2:
        return words[: max(2, len(words) - 2)]
    if kind == 1 and place < len(words):
        return np.concatenate([words[:place], fresh, words[place + 1 :]])
    return np.concatenate([words, fresh]) if len(words) < 9 else words[:-3]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(8))
def test_any_edits_give_what_starting_afresh_gives(seed: int, side: Side) -> None:
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng, side)
    rows = [*random_lexical(rng, grammar, ROWS)]
    kept, words = GrammarChart(grammar), np.zeros((0, 5), np.int64)
    for step in range(25):
        words = edited(rng, words)
        openings = Openings(*(words[:, 1:4].astype(np.bool_).T))
        last_ends = words[:, 4].astype(np.int32) if side == "left" else None
        lexical, is_over = [rows[row] for row in words[:, 0]], bool(step % 2)
        fresh = GrammarChart(grammar)
        for chart in (kept, fresh):
            assert chart.follow(lexical, openings, last_ends, is_over)
        assert kept.best() == fresh.best()
        if not is_over:
            assert open_derivation(kept) == open_derivation(fresh)


@pytest.mark.parametrize("side", SIDES)
def test_most_of_a_growing_sentence_is_kept(side: Side) -> None:
    rng = np.random.default_rng(3)
    grammar = random_grammar(rng, side)
    words = 20
    lexical, openings = [*random_lexical(rng, grammar, words)], random_openings(rng, words)
    kept, afresh = GrammarChart(grammar), 0
    for count in range(1, words + 1):
        part = Openings(*(flags[:count] for flags in openings))
        kept.follow(lexical[:count], part, is_over=False)
        fresh = GrammarChart(grammar)
        fresh.follow(lexical[:count], part, is_over=False)
        afresh += fresh.counts.sum()
    # Each cell is filled once, as if there had been but the whole sentence.
    assert kept.counts.tolist() == fresh.counts.tolist()
    assert kept.counts.sum() < 0.3 * afresh


def test_with_few_begins_a_word_does_the_same_wherever_it_comes() -> None:
    rng, most = np.random.default_rng(5), 5
    grammar = random_grammar(rng, "left")
    words = 200
    lexical, scores = [*random_lexical(rng, grammar, words)], rng.random(words)
    chart, cells, midpoints = GrammarChart(grammar), [], []
    openings = Openings.all_open(words)
    for count in range(1, words + 1):
        before = chart.counts.copy()
        part = Openings(*(flags[:count] for flags in openings))
        last_ends = sliding_last_ends(part.begins, scores[:count], most)
        chart.follow(lexical[:count], part, last_ends, is_over=False)
        more = chart.counts - before
        cells.append(more[OPEN] + more[PARTLY_OPEN])
        midpoints.append(more[MIDPOINTS])
    assert max(cells) == cells[20] == cells[-1] == most
    assert max(midpoints) == midpoints[20] == midpoints[-1] == most * (most + 1) // 2


@pytest.mark.parametrize("seed", range(10))
def test_begins_give_way_to_better_ones_and_stay_gone(seed: int) -> None:
    rng, most = np.random.default_rng(seed), 3
    words = 30
    begins, scores = rng.random(words) < 0.7, rng.integers(0, 9, words).astype(np.float64)
    whole = sliding_last_ends(begins, scores, most)
    for count in range(1, words):
        part = sliding_last_ends(begins[:count], scores[:count], most)
        assert (np.where(whole[:count] < count, whole[:count], NEVER_CLOSED) == part).all()
        at_work = np.flatnonzero((begins[:count] & (part >= count))[1:]) + 1
        assert len(at_work) <= most - 1
        best = sorted(scores[1:count][begins[1:count]])[-(most - 1) :]
        assert sorted(scores[at_work]) == best


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
