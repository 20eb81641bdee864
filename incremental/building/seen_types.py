"""Kernels that sessions call, with the types of their arguments, as lines of `kernel_types.txt`.

    NUMBA_CACHE_DIR=FOLDER python -m treewhile.incremental.building.seen_types

It takes a folder for compiled kernels in which none were built ahead of time. All is run twice, in two
processes: one that compiles sees kernels that only others call, too.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from treewhile.incremental.building.argument_types import text_of
from treewhile.incremental.building.warming import LEVELS, run_level
from treewhile.incremental.parsers.arc_decoding import sentence_weights
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles import Configuration, OptimalStepTracker, optimal_steps, tree_classes
from treewhile.oracles.compilation import Deferred, compile_when_called
from treewhile.oracles.kernel_sources import PACKAGE

AGAIN: Final = "--again"
MODELS: Final = ("en", "nl")  # of each class of trees that models parse in
REFERENCES: Final = ([2, 0, 2], [3, 4, 0, 3])  # the second one with crossing edges
LONG_TEXT: Final = " ".join(["A letter came."] * 5)  # long enough to be processed as arrays
WORDS: Final = ("Peter", "drives", "a", "car")


def lines() -> Iterator[str]:
    """Yield a line for each kernel and types that a level calls."""
    compile_when_called()
    for name in MODELS:
        model = load_model(name)
        for level in LEVELS:
            run_level(model, level)
        model.parse(WORDS)
        _run_rarer_kernels(model)
    for heads in REFERENCES:
        optimal_steps(Configuration.initial(len(heads)), heads)
        OptimalStepTracker(heads)
    for kernel in _kernels():
        function = kernel.py_func
        for types in kernel.signatures:
            inside = "".join(map(text_of, types))
            yield f"{function.__module__.removeprefix(PACKAGE + '.')} {function.__name__} ({inside})"


def _run_rarer_kernels(model: Model) -> None:
    """Run what sessions do only now and then: long texts, words without tags, margins, crossing edges."""
    assert model.segmenter
    model.segmenter.segment(LONG_TEXT)
    words, causal, surroundings, *_ = model.network
    gates = np.zeros((1, words.width), np.float32)
    states, *_ = causal.next_tagged(gates, None)
    causal.next_states(gates, states)
    tops = np.zeros((1, causal.width), np.float32)
    surroundings.tags(surroundings.around(tops, gates, [1], [False]))
    model.margins(WORDS)
    best_mh4_tree(sentence_weights(np.zeros((2, 2), np.float32)))
    tree_classes(REFERENCES[1])


def _kernels() -> Iterator[Any]:
    """Yield the dispatchers of kernels that Python has called."""
    modules = [module for name, module in sys.modules.items() if name.startswith(PACKAGE)]
    values = [getattr(value, "deferred", value) for module in modules for value in vars(module).values()]
    yield from {value.dispatcher: None for value in values if _is_called(value)}


def _is_called(value: object) -> bool:
    if not isinstance(value, Deferred) or "dispatcher" not in vars(value):
        return False
    options = value.dispatcher.targetoptions
    return not options.get("no_cpython_wrapper") and options.get("inline") != "always"


def main(arguments: Sequence[str]) -> int:
    found = sorted({*lines()})
    if arguments == [AGAIN]:
        print(*found, sep="\n")
        return 0
    return subprocess.run([sys.executable, "-m", f"{__package__}.seen_types", AGAIN]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
