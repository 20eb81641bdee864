"""Models that workers share: their supervisor loads them, and what is compiled for them, before it forks."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import perf_counter
from typing import Final

from treewhile.server.process.compiling_process import Say
from treewhile.server.process.warming import is_warm, warm
from treewhile.server.work.engines import Engine, load_engines
from treewhile.server.work.served_models import ServedModels

SHARED_LEVELS: Final = ("L0", "L1")  # which workers have from the supervisor, when it has them


class SharedEngines:
    """The engines of some models, with the levels that are loaded."""

    def __init__(self, models: ServedModels) -> None:
        self.models = models
        self.engines: Mapping[str, Engine] = {}
        self.levels: list[str] = []

    def load(self, say: Say) -> None:
        """Loads the models, and what is compiled for them."""
        start = perf_counter()
        self.engines = load_engines(*self.models)
        self.share_levels()
        say(f"{self.models}: loaded in {perf_counter() - start:.1f} s")
        gc.collect()
        gc.freeze()  # so that looking for garbage does not copy what is shared

    def share_levels(self) -> None:
        """Loads what workers share, as far as it is compiled."""
        for level in SHARED_LEVELS:
            if level not in self.levels:
                if not is_warm(self.engines.values(), level):
                    return
                self.levels.append(level)

    def load_again(self) -> None:
        """Loads the models anew; an InputError leaves all as it was."""
        engines = load_engines(*self.models)
        for level in self.levels:
            warm(engines.values(), level)
        self.engines = engines
