"""Weighted constraints on dependency analyses: a small language, and what judges analyses by it."""

from treewhile.incremental.constraints.conflicts import Conflict, find_conflicts
from treewhile.incremental.constraints.grammars import (
    Grammar,
    installed_grammars,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.programs import Program, compile_grammar
from treewhile.incremental.constraints.searcher import ConstraintSearcher, searcher_for
from treewhile.incremental.constraints.situations import Prediction, Situation

__all__ = [
    "Conflict",
    "ConstraintSearcher",
    "Grammar",
    "Prediction",
    "Program",
    "Situation",
    "compile_grammar",
    "find_conflicts",
    "installed_grammars",
    "load_grammar",
    "parse_grammar",
    "searcher_for",
]
