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
    LONGEST_GRAMMAR,
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
from treewhile.server.protocol.frames import ABILITIES, Readiness, Welcome, WireLimits
from treewhile.server.stores.records import Record, grammars_in, models_in
from treewhile.server.stores.session_store import MemoryStore
from treewhile.server.work.engines import Engine, Engines, beside_loop

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
        self.others = self.preparations.engines.others
        seconds, most = self.limits.resume_seconds, self.limits.resumable
        if self.sessions is None:
            self.store = MemoryStore(seconds, most)
        else:
            from treewhile.server.stores.kept_store import KeptStore  # imported here: few servers have one
            from treewhile.server.stores.places import new_shelf

            self.store = KeptStore(new_shelf(self.sessions), seconds, most, self._session_of, self.log)

    def new_session(self, model: str | None) -> HostedSession:
        """Return a new session with a loaded model, by default the first one of the server."""
        engines = self.preparations.engines
        session = HostedSession(engines.loaded[model or engines.default], self)
        self.store.add(session)
        return session

    async def _session_of(self, record: Record, token: str) -> HostedSession | None:
        """Return an empty session for stored events, whose models are loaded; None if a model or a
        grammar is gone.

        Raise InputError if a model cannot be loaded.
        """
        engines, names = self.preparations.engines, {record.model, *models_in(record.events)}
        if not names.issubset(engines.names) or not self._offers(record):
            return None
        for name in names:
            await engines.get(name, self.log)
        return HostedSession(engines.loaded[record.model], self, token)

    def _offers(self, record: Record) -> bool:
        """Return whether documents can still have the grammars that stored events name or bring."""
        engines = self.preparations.engines
        named, has_texts = grammars_in(record.events)
        return (engines.edits_grammars or not has_texts) and all(
            grammar in engines.grammars_of(model or record.model) for model, grammar in named
        )

    def knows(self, token: str | None) -> bool:
        """Return whether a token is the one that clients have to show."""
        return is_token(token, self.token)

    def welcome(self, session: HostedSession, is_resumed: bool, heartbeat: float | None) -> Welcome:
        """Return the welcome message for a session."""
        engines = self.preparations.engines
        facts = {name: engines.facts[name] for name in engines.names}
        return Welcome(
            session=session.token,
            epoch=session.epoch,
            resumed=is_resumed,
            documents=session.held,
            heartbeat=heartbeat,
            model=session.engine.name,
            models=engines.names,
            limits=wire_limits(self.limits),
            resume_seconds=self.limits.resume_seconds,
            server=VERSION,
            trees=session.engine.model.trees,
            constituents=session.engine.model.has_constituents,
            completeness=session.engine.model.knows_completeness,
            language=session.engine.model.language,
            languages={name: one.language for name, one in facts.items()},
            abilities={
                name: [ability for ability in ABILITIES if ability in engines.abilities_of(name)]
                for name in facts
            },
            grammars={name: engines.grammars_of(name) for name in facts},
            edits_grammars=engines.edits_grammars,
            labels={name: [*one.labels] for name, one in facts.items()},
            tags={name: [*one.tags] for name, one in facts.items()},
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
        grammar_characters=LONGEST_GRAMMAR,
    )


# --- readiness ----------------------------------------------------------------------------------------------

LEVELS: Final = ("L0", "L1", "L2")  # of analyses
LOADING: Final = "The models are being loaded."
BUILDING: Final = "Analyses take longer until the parser is compiled, once, in some minutes."


class Preparations:
    """Engines of the models, of which that of the default one comes first."""

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self._loaded = asyncio.Event()
        if engines.is_ready:
            self._loaded.set()

    async def load(self) -> None:
        """Load the default model, for all that wait for it."""
        self.use(await beside_loop(lambda: self.engines.load(self.engines.default)))

    def use(self, engines: Mapping[str, Engine]) -> None:
        """Use engines, of which one is that of the default model."""
        self.engines.keep(engines)
        self._loaded.set()

    async def loaded(self) -> None:
        """Wait until the default model is loaded or `give_up` was called."""
        await self._loaded.wait()

    def give_up(self) -> None:
        """Wake all that wait for the default model, although it will not come."""
        self._loaded.set()

    @property
    def readiness(self) -> Readiness:
        """Readiness message for clients."""
        if not self.engines.is_ready:
            return Readiness([], 0.0, LOADING)
        is_slow = are_kernels_plain()
        return Readiness([*LEVELS], 0.0 if is_slow else 1.0, BUILDING if is_slow else "")
