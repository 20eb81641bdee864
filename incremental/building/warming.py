"""Kernels built at once, for programs that do not want to begin without them."""

from __future__ import annotations

from collections.abc import Collection

from treewhile.incremental.building.builder import build, compile_all
from treewhile.incremental.building.c_compiler import has_compiler
from treewhile.incremental.level_runs import LEVELS, run_level
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles.compilation import are_kernels_plain, replace_all
from treewhile.oracles.errors import InputError


def warm_up(model: Model | None = None, levels: Collection[str] = LEVELS) -> None:
    """Build all kernels of parsing, sessions and their search, unless they are there, and run some levels.

    It takes one to three minutes, once; without a C compiler, numba compiles instead. The default model is
    `en`.
    """
    if isinstance(levels, str) or not {*LEVELS}.issuperset(levels):
        raise InputError(f"the levels are {levels!r:.40}: give a list of some of {', '.join(LEVELS)}")
    chosen = load_model() if model is None else as_model(model)
    if are_kernels_plain():
        build() if has_compiler() else compile_all()
        replace_all()
    for level in [one for one in LEVELS if one in levels]:
        run_level(chosen, level)
