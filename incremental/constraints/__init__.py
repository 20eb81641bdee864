"""Weighted constraints on dependency analyses, and the search for analyses with few conflicts.

    language   the contents of a grammar file: read into tokens and written items, checked into terms
    machine    the meaning of a grammar, as a slow definition and as arrays of code that kernels run
    search     changes of a tree and attacks on conflicts; the searcher of a session
    workbench  statistics, comparisons, explanations and tuning for people who write grammars

Each imports only from those above. A grammar is compiled for the labels of a model (`compile_grammar`), and
judges analyses of a prefix (`Situation`). Costs are integers, so the definition and the kernels agree
exactly, and many threads find the same trees as one. Only `searcher_for(model)` chooses a grammar for a
model. `docs/constraints.md` explains the language.
"""

from treewhile.incremental.constraints.language.grammars import (
    Grammar,
    installed_grammars,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.mistakes import Mistake, find_mistakes, mistakes_in
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Situation
from treewhile.incremental.constraints.search.attackers import Margins
from treewhile.incremental.constraints.search.conflicts import BrokenConstraint, find_conflicts
from treewhile.incremental.constraints.search.searcher import (
    ConstraintSearcher,
    known_names,
    searcher_for,
)

__all__ = [
    "BrokenConstraint",
    "ConstraintSearcher",
    "Grammar",
    "KnownNames",
    "Margins",
    "Mistake",
    "Prediction",
    "Program",
    "Situation",
    "compile_grammar",
    "find_conflicts",
    "find_mistakes",
    "installed_grammars",
    "known_names",
    "load_grammar",
    "mistakes_in",
    "parse_grammar",
    "searcher_for",
]
