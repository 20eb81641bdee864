"""Weighted constraints on dependency analyses, and the search for analyses that break few of them.

    language   what stands in a grammar file: read into tokens and written items, checked into terms
    machine    what a grammar means, as a slow definition and as arrays of code that kernels run
    search     changes of a tree and attacks on conflicts; the searcher of a session; tuning of penalties

Each imports from those above it alone. A grammar is compiled for the labels of a model (`compile_grammar`),
and judges analyses of a prefix (`Situation`). Costs are whole numbers, so the definition and the kernels
agree to the last bit, and threads find what one thread finds. `searcher_for(model)` is the one place that
chooses a grammar for a model. `docs/constraints.md` explains the language.
"""

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
