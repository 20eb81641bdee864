"""Engines that workers share: the supervisor loads models and compiled kernels before it forks."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import perf_counter
from typing import Final

from treewhile.server.process.compiling_process import Say
from treewhile.server.process.warming import is_warm, warm
from treewhile.server.work.engines import Engine, load_engines
from treewhile.server.work.served_models import ServedModels

SHARED_LEVELS: Final = ("L0", "L1")  # levels that workers inherit if the supervisor has loaded them


class SharedEngines:
    """Engines of some models, with the loaded levels."""

    def __init__(self, models: ServedModels) -> None:
        self.models = models
        self.engines: Mapping[str, Engine] = {}
        self.levels: list[str] = []

    def load(self, say: Say) -> None:
        """Load the models, and their compiled kernels."""
        start = perf_counter()
        self.engines = load_engines(*self.models)
        self.share_levels()
        say(f"{self.models}: loaded in {perf_counter() - start:.1f} s")
        gc.collect()
        gc.freeze()  # so that garbage collection does not copy shared pages

    def share_levels(self) -> None:
        """Load the shared levels that are compiled."""
        for level in SHARED_LEVELS:
            if level not in self.levels:
                if not is_warm(self.engines.values(), level):
                    return
                self.levels.append(level)

    def load_again(self) -> None:
        """Load the models again; an InputError leaves everything unchanged."""
        engines = load_engines(*self.models)
        for level in self.levels:
            warm(engines.values(), level)
        self.engines = engines
