"""Figures of MH4 and 1-endpoint-crossing trees, for `bench_trees`."""

from __future__ import annotations

from functools import partial

import numpy as np
from definitions.mh4_arc_decoding import decode_mh4_prefix
from measuring import Section
from tree_problems import Bench, each

from treewhile.incremental import decode_prefix
from treewhile.oracles import best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads, one_endpoint_crossing_decoding

MILLI = 1e-3
TO_REACH = {30: 0.5, 60: 8.0}  # milliseconds
STOCK = 3  # virtual nodes of a prefix


def mh4(bench: Bench) -> Section:
    section = Section(
        "MH4 trees, unpruned, one root",
        "`decode` takes checked scores. Nobody else decodes MH4 in public but for a program of 2018.",
    )
    for n in (10, 20) if bench.is_quick else (20, 30, 60, 100):
        sentences = bench.sentences_of(n)
        narrow = [scores.astype(np.float32) for scores in sentences]
        double, single, public = bench.measure(
            each(four_heads.decode, sentences, True, Interrupt()),
            each(four_heads.decode, narrow, True, Interrupt()),
            each(partial(best_tree, trees="mh4"), sentences),
        )
        target = bench.target(TO_REACH[n] * MILLI) if n in TO_REACH else None
        section.add(f"n = {n}", double, target=target)
        section.add(f"n = {n}, single precision", single, target=target)
        section.add(f"n = {n}, best_tree", public)
    return section


def mh4_prefixes(bench: Bench) -> Section:
    section = Section(
        f"MH4 trees of prefixes, {STOCK} virtual nodes, single precision",
        "What L1 does at every word where trees cross; beside it what it does where they do not.",
    )
    for t in (5, 10) if bench.is_quick else (15, 30, 60):
        shape = (t + STOCK + 3, t + STOCK + 1)
        prefixes = [bench.generator.normal(size=shape).astype(np.float32) for _ in range(bench.sentences)]
        crossing, projective = bench.measure(
            each(decode_mh4_prefix, prefixes, STOCK), each(decode_prefix, prefixes, STOCK)
        )
        section.add(f"t = {t}", crossing, ("projective", projective))
    return section


def one_endpoint_crossing(bench: Bench) -> Section:
    section = Section(
        "1-endpoint-crossing trees, one root", "Items are joined along rows, two by two. Beside it: MH4."
    )
    for n in (5, 8) if bench.is_quick else (10, 20, 30):
        sentences = bench.sentences_of(n)
        found, beside = bench.measure(
            each(one_endpoint_crossing_decoding.decode, sentences, True, Interrupt()),
            each(four_heads.decode, sentences, True, Interrupt()),
        )
        section.add(f"n = {n}", found, ("mh4", beside))
    return section
