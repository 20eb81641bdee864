"""State that the connections of a server share: its models, its sessions, and its readiness."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final

from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.incremental.sessions.messages import (
    LONGEST_GOLD,
    MOST_CHARACTERS,
    MOST_DOCUMENTS,
    MOST_REQUESTS,
    MOST_SENTENCES,
    MOST_WORDS,
)
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.oracles.compilation import are_kernels_plain
from treewhile.server.connections.admission import is_token
from treewhile.server.hosted.hosted_session import HostedSession, Surroundings
from treewhile.server.limits import Limits
from treewhile.server.logs import Log
from treewhile.server.protocol.frames import Readiness, Welcome, WireLimits
from treewhile.server.stores.session_store import MemoryStore
from treewhile.server.work.engines import Engine

VERSION = version("treewhile")


@dataclass(slots=True, kw_only=True)
class Host(Surroundings):
    """Shared state of all connections, made on the event loop.

    preparations  loaded models
    token         token that clients have to show
    sessions      place of the session store; memory if None
    """

    preparations: Preparations
    log: Log
    token: str | None
    sessions: Path | str | None
    store: MemoryStore = field(init=False)

    def __post_init__(self) -> None:
        seconds, most = self.limits.resume_seconds, self.limits.resumable
        if self.sessions is None:
            self.store = MemoryStore(seconds, most)
        else:
            from treewhile.server.stores.kept_store import KeptStore  # imported here: few servers have one
            from treewhile.server.stores.places import new_shelf

            self.store = KeptStore(new_shelf(self.sessions), seconds, most, self._session_like, self.log)

    def new_session(self, model: str | None) -> HostedSession:
        """Return a new session with a model, by default the first one of the server."""
        engines = self.preparations.engines
        session = HostedSession(engines[model] if model else next(iter(engines.values())), self)
        self.store.add(session)
        return session

    def _session_like(self, model: str, token: str) -> HostedSession | None:
        """Return a session for a stored token and model, or None if the model is gone."""
        engine = self.preparations.engines.get(model)
        return HostedSession(engine, self, token) if engine else None

    def knows(self, token: str | None) -> bool:
        """Return whether a token is the one that clients have to show."""
        return is_token(token, self.token)

    def welcome(self, session: HostedSession, is_resumed: bool, heartbeat: float | None) -> Welcome:
        """Return the welcome message for a session."""
        return Welcome(
            session=session.token,
            epoch=session.epoch,
            resumed=is_resumed,
            documents=session.held,
            heartbeat=heartbeat,
            model=session.engine.name,
            models=[*self.preparations.engines],
            limits=wire_limits(self.limits),
            resume_seconds=self.limits.resume_seconds,
            server=VERSION,
            trees=session.engine.model.trees,
            constituents=session.engine.model.has_constituents,
            completeness=session.engine.model.knows_completeness,
            language=session.engine.model.language,
        )


def wire_limits(limits: Limits) -> WireLimits:
    """Return the limits of clients: those of the server, and those of sessions."""
    return WireLimits(
        message_bytes=limits.message_bytes,
        messages_a_second=limits.messages_a_second,
        burst=limits.burst,
        documents=min(limits.documents, MOST_DOCUMENTS),
        characters=limits.characters,
        text_characters=MOST_CHARACTERS,
        words=MOST_WORDS,
        word_characters=LONGEST_WORD,
        sentence_words=LONGEST_SENTENCE,
        sentences=MOST_SENTENCES,
        gold_heads=LONGEST_GOLD,
        requests=MOST_REQUESTS,
    )


# --- readiness ----------------------------------------------------------------------------------------------

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
