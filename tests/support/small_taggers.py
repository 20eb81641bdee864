"""Taggers and models of grammars that are learnt from small trees in no time."""

from __future__ import annotations

from functools import cache

from small_phrases import small_trees

from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.chart_tagger_training import learnt_taggers
from treewhile.incremental.constituents.chart_taggers import ChartTaggers
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.oracles.constituents.grammars import Side


@cache
def small_taggers(order: int = 1) -> ChartTaggers:
    return learnt_taggers(small_trees(40, seed=1), small_trees(10, seed=2), order).taggers


@cache
def small_model(side: Side = "right", threshold: float = 2.0) -> GrammarModel:
    """A grammar of the small trees, with taggers that are not very sure of what they say."""
    grammar = read_grammar(small_trees(40, seed=1), Binarization(side))
    points = OperatingPoints(ghp=threshold, unary=threshold)
    return GrammarModel(grammar, small_taggers(), points, ("ghp", "unary", "quad"))
