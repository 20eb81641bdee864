"""State that the connections of a server share, including the store of their sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

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
from treewhile.server.connections.tokens import is_token
from treewhile.server.hosted.hosted_session import HostedSession, Surroundings
from treewhile.server.limits import Limits
from treewhile.server.logs import Log
from treewhile.server.protocol.frames import Welcome, WireLimits
from treewhile.server.stores.places import new_store
from treewhile.server.stores.session_store import SessionStore

VERSION = version("treewhile")


@dataclass(slots=True, kw_only=True)
class Host(Surroundings):
    """Shared state of all connections, made on the event loop.

    token     token that clients have to show
    sessions  place of the session store; memory if None
    """

    log: Log
    token: str | None
    sessions: Path | str | None
    store: SessionStore = field(init=False)

    def __post_init__(self) -> None:
        seconds, most = self.limits.resume_seconds, self.limits.resumable
        self.store = new_store(self.sessions, seconds, most, self._session_like, self.log)

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
