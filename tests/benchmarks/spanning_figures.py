"""Figures of spanning trees, projective trees, siblings and marginals, for `bench_trees`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import Section, Work
from tree_peers import chu_liu_edmonds, marginals_by_inverse, plain_chu_liu_edmonds, torch_struct_marginals
from tree_problems import Bench, Scores, each, require_close

from treewhile.oracles import best_tree, edge_marginals, pruned
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import projective_decoding, spanning_decoding
from treewhile.oracles.trees.projective_decoding import ProjectiveChart
from treewhile.oracles.trees.sibling_decoding import decode_rearranged, sibling_heads

MILLI = 1e-3
NOT_INSTALLED = "not installed"


def spanning(bench: Bench) -> Section:
    section = Section(
        "spanning trees, any edges crossing",
        "`decode` takes checked scores; best_tree checks and copies them, and makes a list of the heads. "
        "ufal.chu_liu_edmonds is C++, takes an array as it likes it, and knows no single root. SynJax is in "
        "no package registry. The plain one is ours, in Python, as in a textbook.",
    )
    for n in _lengths(bench, 30, 60, 100, 300):
        sentences = bench.sentences_of(n)
        target = bench.target(0.1 * MILLI) if n == 100 else None
        one, several, public, *peers = bench.measure(
            each(spanning_decoding.decode, sentences, True, Interrupt()),
            each(spanning_decoding.decode, sentences, False, Interrupt()),
            each(partial(best_tree, trees="any"), sentences),
            *_spanning_peers(bench, sentences),
        )
        ufal = ("ufal.chu_liu_edmonds", peers[1]) if len(peers) > 1 else (f"ufal: {NOT_INSTALLED}", None)
        section.add(f"n = {n}, one root", one, target=target)
        section.add(f"n = {n}, any roots", several, ufal, ("plain Python", peers[0]), target=target)
        section.add(f"n = {n}, one root, best_tree", public)
    return section


def _spanning_peers(bench: Bench, sentences: list[Scores]) -> list[Work]:
    lists = [scores.tolist() for scores in sentences[: 1 if bench.is_quick else 3]]
    works, ufal = [each(plain_chu_liu_edmonds, lists)], chu_liu_edmonds()
    if ufal is not None:
        turned = [np.ascontiguousarray(scores.T) for scores in sentences]
        for scores, given in zip(sentences, turned, strict=True):
            require_close("best trees", 1e-9, best_tree(scores, "any", False).score, ufal(given)[1])
        works.append(each(ufal, turned))
    for scores, given in zip(sentences, lists, strict=False):
        heads = plain_chu_liu_edmonds(given)
        found = scores[heads[1:], range(1, len(heads))].sum()
        require_close("best trees", 1e-9, best_tree(scores, "any", False).score, found)
    return works


def projective(bench: Bench) -> Section:
    section = Section(
        "projective trees, one root",
        "In double and in single precision; one more word: scores of all edges are given, and those of the "
        "words before it are as they were; they are compared, and kept. Beside it: all from the start.",
    )
    for n in _lengths(bench, 30, 60, 100, 300):
        sentences = bench.sentences_of(n)
        narrow = [scores.astype(np.float32) for scores in sentences]
        double, single, more = bench.measure(
            each(projective_decoding.decode, sentences, True, Interrupt()),
            each(projective_decoding.decode, narrow, True, Interrupt()),
            _one_more_word(sentences),
        )
        section.add(f"n = {n}", double)
        section.add(f"n = {n}, single precision", single)
        section.add(f"n = {n}, one more word", more, ("all from the start", double))
    return section


def _one_more_word(sentences: list[Scores]) -> Work:
    def prepare() -> Any:
        charts = [ProjectiveChart() for _ in sentences]
        for chart, scores in zip(charts, sentences, strict=True):
            for words in (len(scores) - 2, len(scores) - 1):
                chart.best_heads(np.ascontiguousarray(scores[:words, :words]), True, Interrupt())
        return list(zip(charts, sentences, strict=True))

    def run(prepared: Any) -> int:
        for chart, scores in prepared:
            chart.best_heads(scores, True, Interrupt())
        return len(prepared)

    return Work(run, prepare)


def siblings(bench: Bench) -> Section:
    section = Section(
        "projective trees with siblings, one root; rearranged",
        "Checked scores of edges and random ones of siblings, which no cache holds all of: each sentence has "
        "its own. What is rearranged begins with the best projective tree, which is included.",
    )
    for n in _lengths(bench, 30, 60, 100):
        problems = [
            (scores, bench.generator.normal(size=(n + 1,) * 3), True, Interrupt())
            for scores in bench.sentences_of(n)
        ]
        exact, changed, first_order = bench.measure(
            _called(sibling_heads, problems),
            _called(decode_rearranged, problems),
            each(projective_decoding.decode, [problem[0] for problem in problems], True, Interrupt()),
        )
        section.add(f"n = {n}", exact, ("without siblings", first_order))
        section.add(f"n = {n}, rearranged", changed)
    return section


def _called(function: Callable[..., Any], problems: list[tuple[Any, ...]]) -> Work:
    def run(_: object) -> int:
        for problem in problems:
            function(*problem)
        return len(problems)

    return Work(run)


def marginals(bench: Bench) -> Section:
    section = Section(
        "marginals, and pruning by them",
        "The public function. The inverse is numpy's, as in Koo et al. 2007, which checks nothing and needs "
        "well-conditioned scores; torch-struct has that with its gradient, on one thread. Far apart: scores "
        "times 200, for which only logarithms have enough room.",
    )
    for n in _lengths(bench, 30, 60, 100):
        sentences = bench.sentences_of(n)
        apart = [200 * scores for scores in sentences]
        target = bench.target(2 * MILLI) if n == 100 else None
        peers = _weighing_peers(sentences[0])
        works = [each(peer, sentences) for peer in peers.values()]
        one, several, far, few, *beside = bench.measure(
            each(edge_marginals, sentences),
            each(edge_marginals, sentences, False),
            each(edge_marginals, apart),
            each(pruned, sentences),
            *works,
        )
        section.add(f"n = {n}, one root", one, *zip(peers, beside, strict=True), target=target)
        section.add(f"n = {n}, any roots", several, target=target)
        section.add(f"n = {n}, far apart", far)
        section.add(f"n = {n}, pruned", few)
    return section


def _weighing_peers(scores: Scores) -> dict[str, Callable[[Any], Any]]:
    """The peers that there are; torch-struct rounds more than the others."""
    ours, by_inverse = edge_marginals(scores)[0, 1:], marginals_by_inverse(scores)[0, 1:]
    require_close("marginals of the root", 1e-9, ours, by_inverse)
    peers = {"numpy's inverse": marginals_by_inverse}
    torch_struct = torch_struct_marginals(multiroot=False)
    if torch_struct is not None:
        require_close("marginals of the root", 0.01, ours, np.diag(torch_struct(scores)))
        peers["torch-struct"] = torch_struct
    return peers


def keeping(bench: Bench) -> Section:
    """What could be gained by keeping something of spanning trees: at most what reading the scores leaves."""
    section = Section(
        "one more word: what a spanning tree could keep",
        "Whatever is kept, all scores have to be compared with those before to know what stands; beside it "
        "the whole tree from the start.",
    )
    for n in _lengths(bench, 60, 100):
        sentences = bench.sentences_of(n)
        pairs = [(scores, scores.copy()) for scores in sentences]
        compared, afresh = bench.measure(
            _called(lambda a, b: np.nonzero(a != b), pairs),
            each(spanning_decoding.decode, sentences, True, Interrupt()),
        )
        section.add(f"n = {n}, compared alone", compared, ("all from the start", afresh))
    return section


def _lengths(bench: Bench, *lengths: int) -> tuple[int, ...]:
    return (10,) if bench.is_quick else lengths
