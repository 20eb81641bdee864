"""Readiness of a server: its models, and its kernels, without which all is slower at first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from treewhile.oracles.compilation import are_kernels_plain
from treewhile.server.protocol.frames import Readiness
from treewhile.server.work.engines import Engine

LEVELS: Final = ("L0", "L1", "L2")  # of analyses
LOADING: Final = "The models are being loaded."
BUILDING: Final = "Analyses take longer until the parser is compiled, once, in some minutes."


class Preparations:
    """Engines by the names of their models, the default first."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self.engines = engines
        self._loaded = asyncio.Event()
        if engines:
            self._loaded.set()

    def use(self, engines: Mapping[str, Engine]) -> None:
        """Use these engines for new sessions."""
        self.engines = engines
        self._loaded.set()

    async def loaded(self) -> None:
        """Wait until there are engines or `give_up` was called."""
        await self._loaded.wait()

    def give_up(self) -> None:
        """Wake all that wait for engines, although none will come."""
        self._loaded.set()

    @property
    def readiness(self) -> Readiness:
        """Readiness message for clients."""
        if not self.engines:
            return Readiness([], 0.0, LOADING)
        is_slow = are_kernels_plain()
        return Readiness([*LEVELS], 0.0 if is_slow else 1.0, BUILDING if is_slow else "")
