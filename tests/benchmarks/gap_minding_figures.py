"""Sections of the benchmark of trees: gap-minding by edges, grandparents and siblings, and 1-Inherit.

Each takes what the benchmark measures with, and gives its section.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter, sleep
from typing import Any

import numpy as np
from measuring import Section, Spread, Work, calls
from tree_problems import Bench, Scores

from treewhile.incremental.parsers.arc_decoding import prefix_weights
from treewhile.incremental.parsers.tree_decoding import decode_until
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import gap_minding_decoding, one_inherit_decoding
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.gap_minding_decoding import GapMindingDecoder
from treewhile.oracles.trees.gap_minding_siblings import GapMindingSiblingDecoder, sibling_heads
from treewhile.oracles.trees.grandparents import GrandparentDecoder
from treewhile.oracles.trees.one_inherit_decoding import OneInheritDecoder

MILLI = 1e-3
HEADS = 10  # a word
Grower = GapMindingDecoder | OneInheritDecoder


def gap_minding(bench: Bench) -> Section:
    """Gap-minding trees by edges: pruned, unpruned, and with one more word."""
    section = Section(
        "gap-minding trees, one root, with the tree",
        f"Scores like a parser's; pruned ones leave each word its {HEADS} best heads. Lists of heads are "
        "made each time. One more word: the decoder has seen the sentence without its last word.",
    )
    for n, target in _lengths(bench, (30, 5 * MILLI), (60, 80 * MILLI)):
        pruned = [_pruned(scores) for scores in bench.sentences_of(n)]
        one_more = _one_more(pruned, partial(_grown, GapMindingDecoder), _decode_one_more)
        scratch, more = bench.measure(_each(_decoded, pruned), one_more)
        section.add(f"n = {n}, {HEADS} heads a word", scratch, target=bench.target(target))
        section.add(f"n = {n}, {HEADS} heads a word, one more word", more, ("from scratch", scratch))
    for n, _ in _lengths(bench, (30, 0), (60, 0)):
        whole = bench.sentences_of(n)
        section.add(f"n = {n}, unpruned", *bench.measure(_each(_decoded, whole)))
    return section


def grandparents(bench: Bench) -> Section:
    """Gap-minding trees by edges and grandparents."""
    section = Section(
        "gap-minding trees with grandparents, one root, with the tree",
        f"As before, {HEADS} heads a word; scores of grandparents are random, at the places of these heads. "
        "States and links are made each time.",
    )
    for n, target in _lengths(bench, (30, 50 * MILLI), (60, 0)):
        sentences = [_with_grandparents(bench, _pruned(scores)) for scores in bench.sentences_of(n)[:3]]
        scratch, more = bench.measure(
            _each(_decoded_with_grandparents, sentences),
            _one_more(sentences, _grown_with_grandparents, _decode_grandparents_one_more),
        )
        section.add(f"n = {n}", scratch, target=bench.target(target) if target else None)
        section.add(f"n = {n}, one more word", more, ("from scratch", scratch))
    return section


def gap_minding_siblings(bench: Bench) -> Section:
    """Gap-minding trees by edges and siblings."""
    section = Section(
        "gap-minding trees with siblings, one root, with the tree",
        f"As before, {HEADS} heads a word; scores of siblings are random. The chart is new each time.",
    )
    for n, _ in _lengths(bench, (20, 0), (30, 0)):
        siblings = bench.generator.normal(size=(n + 1,) * 3)
        sentences = [_pruned(scores) for scores in bench.sentences_of(n)[:3]]
        work = calls(sibling_heads, [(scores, siblings, True, Interrupt()) for scores in sentences])
        section.add(f"n = {n}", *bench.measure(work))
    return section


def one_inherit(bench: Bench) -> Section:
    """1-Inherit trees."""
    section = Section(
        "1-Inherit trees, unpruned, one root, with the tree",
        "Scores like a parser's. All heads of a pair of spans are computed together: pruning saves nothing.",
    )
    for n, target in _lengths(bench, (20, 1.0), (30, 0), (40, 0)):
        sentences = bench.sentences_of(n)[:3]
        scratch, more = bench.measure(
            calls(one_inherit_decoding.decode, [(scores, True, Interrupt()) for scores in sentences]),
            _one_more(sentences, partial(_grown, OneInheritDecoder), _decode_one_more),
        )
        section.add(f"n = {n}", scratch, target=bench.target(target) if target else None)
        section.add(f"n = {n}, one more word", more, ("from scratch", scratch))
    return section


def interruptions(bench: Bench) -> Section:
    """How soon what runs stops."""
    n = 12 if bench.is_quick else 60
    section = Section(
        "from the interruption until a decoder that runs in another thread has stopped",
        f"Sentences of {n} words, unpruned, or with 8 heads a word for grandparents and siblings, and a "
        f"prefix of {2 * n - 6}, told to stop after 20 ms. Both threads need a core and the GIL. Memory is "
        "not given back meanwhile, but what is used for the first time the system has to find.",
    )
    whole = bench.sentences_of(n)[0]
    pruned, siblings = _pruned(whole, 8), np.zeros((n + 1,) * 3)
    grandparents = bench.generator.normal(size=(n + 1, 8, 8))
    prefix = prefix_weights(bench.generator.normal(size=(2 * n, 2 * n - 2)).astype(np.float32), 3)
    makers: dict[str, Callable[[], Callable[[Interrupt], object]]] = {
        "gap-minding": lambda: partial(GapMindingDecoder(True).decode, whole),
        "grandparents": lambda: partial(GrandparentDecoder(True).decode, pruned, grandparents),
        "siblings": lambda: partial(GapMindingSiblingDecoder(True).decode, pruned, siblings),
        "1-Inherit": lambda: partial(OneInheritDecoder(True).decode, whole),
        "MH4, an open prefix": lambda: partial(decode_until, "mh4", prefix),
    }
    for name, make in makers.items():
        make()(Interrupt())
        section.add(name, Spread(tuple(seconds_to_stop(make(), 0.02) for _ in range(15))))
    return section


def seconds_to_stop(decode: Callable[[Interrupt], object], after: float) -> float:
    """From an interruption after some seconds; what is decoded is not given back before it was timed."""
    interrupt, ended = Interrupt(), []

    def run() -> None:
        decode(interrupt)
        ended.append(perf_counter())

    thread = threading.Thread(target=run)
    thread.start()
    sleep(after)
    begin = perf_counter()
    interrupt.set()
    thread.join()
    return max(0.0, ended[0] - begin)


def _lengths(bench: Bench, *lengths: tuple[int, float]) -> list[tuple[int, float]]:
    return [(min(n, 12), target) for n, target in lengths[:1]] if bench.is_quick else list(lengths)


def _pruned(scores: Scores, heads: int = HEADS) -> Scores:
    """The best heads of each word; what may not be is minus infinity."""
    kept = np.sort(scores, axis=0)[-min(heads, len(scores) - 1)]
    return edge_array(np.where(scores >= kept, scores, -np.inf))


def _with_grandparents(bench: Bench, scores: Scores) -> tuple[Scores, Scores]:
    return scores, bench.generator.normal(size=(len(scores), HEADS, HEADS))


def _each(function: Callable[[Any], object], problems: list[Any]) -> Work:
    return calls(function, [(problem,) for problem in problems])


def _decoded(scores: Scores) -> object:
    return gap_minding_decoding.decode(scores, True, Interrupt())


def _decoded_with_grandparents(problem: tuple[Scores, Scores]) -> object:
    return GrandparentDecoder(True).decode(*problem, Interrupt())


def _one_more(problems: list[Any], prepare: Callable[[Any], Any], decode: Callable[[Any], object]) -> Work:
    """What is prepared has all words but the last one; only the last one is measured."""

    def run(prepared: list[Any]) -> int:
        for one in prepared:
            decode(one)
        return len(prepared)

    return Work(run, lambda: [prepare(problem) for problem in problems])


def _grown(make: Callable[[bool], Grower], scores: Scores) -> tuple[Grower, Scores]:
    decoder = make(True)
    for size in (len(scores) - 2, len(scores) - 1):
        decoder.decode(scores[:size, :size], Interrupt())
    return decoder, scores


def _decode_one_more(prepared: tuple[Grower, Scores]) -> object:
    decoder, scores = prepared
    return decoder.decode(scores, Interrupt())


def _grown_with_grandparents(problem: tuple[Scores, Scores]) -> tuple[GrandparentDecoder, Scores, Scores]:
    decoder, (scores, grandparents) = GrandparentDecoder(True), problem
    for size in (len(scores) - 2, len(scores) - 1):
        decoder.decode(scores[:size, :size], grandparents[:size], Interrupt())
    return decoder, scores, grandparents


def _decode_grandparents_one_more(prepared: tuple[GrandparentDecoder, Scores, Scores]) -> object:
    decoder, scores, grandparents = prepared
    return decoder.decode(scores, grandparents, Interrupt())
