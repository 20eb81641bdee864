"""Readiness of a server: its models, and the levels of work that are compiled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from treewhile.incremental.compiling import share_of
from treewhile.incremental.sessions.ranks import RANKS_OF
from treewhile.server.protocol.frames import Readiness
from treewhile.server.work.engines import Engine

LEVELS: Final = ("L0", "L1", "L2")  # of analyses
FIRST, SEARCH = LEVELS[0], LEVELS[-1]
WAITS_FOR: Final = {  # sentence for the first level that is missing
    "L0": "First analyses come as soon as the parser is compiled, which takes some seconds, once.",
    "L1": "First analyses are there; better ones come as soon as more is compiled.",
    "L2": "The search for better analyses is being compiled, which takes half a minute, once.",
    "steps": "Next steps come as soon as they are compiled.",
}
READY: Final = tuple(RANKS_OF)  # levels of a server that is ready


class Preparations:
    """Engines by the names of their models, the default first, and levels whose jobs may run."""

    def __init__(self, engines: Mapping[str, Engine], levels: Sequence[str] = READY) -> None:
        self.engines, self.levels = engines, levels
        self._share = 0.0  # of the compiling, as reported by its processes
        self._loaded = asyncio.Event()
        if engines:
            self._loaded.set()
        self._joined = {level: asyncio.Event() for level in READY}
        for level in levels:
            self._joined[level].set()

    def use(self, engines: Mapping[str, Engine]) -> None:
        """Use these engines for new sessions."""
        self.engines = engines
        self._loaded.set()

    def note(self, share: float) -> None:
        """Note the share of the compiling that is done."""
        self._share = max(self._share, share)

    def allow(self, level: str) -> None:
        """Allow jobs of a level."""
        if level not in self.levels:
            self.levels = [*self.levels, level]
            self._joined[level].set()

    async def joined(self, level: str) -> None:
        """Wait until jobs of a level may run."""
        await self._joined[level].wait()

    async def loaded(self) -> None:
        """Wait until there are engines or `give_up` was called."""
        await self._loaded.wait()

    def give_up(self) -> None:
        """Wake all that wait for engines, although none will come."""
        self._loaded.set()

    @property
    def missing(self) -> list[str]:
        """Levels whose jobs have to wait."""
        return [level for level in READY if level not in self.levels]

    @property
    def readiness(self) -> Readiness:
        """Readiness message for clients."""
        levels = [level for level in LEVELS if level in self.levels]
        share = round(max(self._share, share_of(self.levels)), 3) if self.missing else 1.0
        return Readiness(levels, share, self.waits_for)

    @property
    def waits_for(self) -> str:
        """Sentence that tells people what is missing; empty if nothing is."""
        if not self.engines:
            return "The models are being loaded."
        if self.missing and not self._share:
            return "What was compiled before is being loaded."
        return next((why for level, why in WAITS_FOR.items() if level not in self.levels), "")
