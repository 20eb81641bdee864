"""Weighted constraints on dependency analyses: a small language, and what judges analyses by it."""

from treewhile.incremental.constraints.language.doubts import doubts
from treewhile.incremental.constraints.language.grammars import (
    Grammar,
    installed_grammars,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.incremental.constraints.search.conflicts import BrokenConstraint, find_conflicts
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, searcher_for

__all__ = [
    "BrokenConstraint",
    "ConstraintSearcher",
    "Grammar",
    "Prediction",
    "Program",
    "Situation",
    "compile_grammar",
    "doubts",
    "find_conflicts",
    "installed_grammars",
    "load_grammar",
    "parse_grammar",
    "searcher_for",
]
