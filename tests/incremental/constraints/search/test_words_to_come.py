"""Words that may come are taken into use wherever it pays: none is given up for lack of moves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from cases import cases, each_seed
from growing_parses import grown
from reach import Reached

from treewhile.incremental.constraints.language.grammars import load_grammar
from treewhile.incremental.constraints.search.attackers import Attacker, costs_of_edges
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.trees import Tree, analysis_of
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.treebanks.treebank import read_sentences
from treewhile.oracles.interrupts import Interrupt

GOLD = Path(__file__).parents[3] / "vectors" / "gold" / "en.conllu"
LONGEST = 8  # words


def with_one_more(search: TreeSearch) -> Iterator[Tree]:
    """The trees in which a virtual node that was not in use has a head, and a word below it."""
    situation, best = search.situation, search.best
    edges = costs_of_edges(situation, True, ())
    nodes = range(1, situation.later)
    for node in nodes:
        Attacker(situation, edges).hung_elsewhere(best, node)  # labels its edges
    idle = [node for node in nodes if best.heads[node] == situation.unused]
    used = [0, situation.later, *(node for node in nodes if node not in idle)]
    for node, head, word in product(idle, used, range(1, situation.t + 1)):
        heads, labels = [*best.heads], [*best.labels]
        for dependent, above in ((node, head), (word, node)):
            heads[dependent], labels[dependent] = above, int(edges.label[dependent, above])
        if not stands_below(heads, head, node):
            yield Tree(tuple(heads), tuple(labels))


def stands_below(heads: list[int], node: int, above: int) -> bool:
    while 1 <= node < len(heads) and node != above:
        node = heads[node]
    return node == above


@pytest.mark.slow
@pytest.mark.reaches(0.2)
@each_seed(cases(120))
def test_no_word_to_come_would_make_a_settled_tree_better(seed: int, reached: Reached) -> None:
    model, before = load_model("en"), None
    searcher = ConstraintSearcher(model, load_grammar("alone"))
    sentences = [*read_sentences(GOLD)]
    words = [word.form for word in sentences[seed % len(sentences)].words]
    for count in range(1, min(LONGEST, len(words) - 1) + 1):
        parse = grown(model, words[:count])
        asked = SearchRequest(
            model.rescore(parse.snapshot()), parse.committed(), is_open=True, previous=before
        )
        search = searcher.begun(searcher.situation(asked), asked)
        assert isinstance(search, TreeSearch)
        assert search.run(Interrupt())
        before = analysis_of(search.situation, search.best)
        reached(any(search.situation.t < head < search.situation.later for head in search.best.heads))
        for tree in with_one_more(search):
            assert search.judged(tree).cost >= search.cost, (words[:count], tree)
