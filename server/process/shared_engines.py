"""Engines that workers share: the supervisor loads models before it forks."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import perf_counter

from treewhile.server.logs import Say
from treewhile.server.work.engines import Engine, load_engines
from treewhile.server.work.served_models import ServedModels


class SharedEngines:
    """Engines of some models."""

    def __init__(self, models: ServedModels) -> None:
        self.models = models
        self.engines: Mapping[str, Engine] = {}

    def load(self, say: Say) -> None:
        """Load the models."""
        start = perf_counter()
        self.engines = load_engines(*self.models)
        say(f"{self.models}: loaded in {perf_counter() - start:.1f} s")
        gc.collect()
        gc.freeze()  # so that garbage collection does not copy shared pages

    def load_again(self) -> None:
        """Load the models again; an InputError leaves everything unchanged."""
        self.engines = load_engines(*self.models)
