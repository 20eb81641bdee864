"""What the connections of a server share: where they get sessions, and what they may tell of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.incremental.sessions.messages import (
    LONGEST_GOLD,
    MOST_CHARACTERS,
    MOST_DOCUMENTS,
    MOST_SENTENCES,
    MOST_WORDS,
)
from treewhile.incremental.sessions.requests import MOST_REQUESTS
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
    """The host of sessions: what surrounds them, and what finds them. Made on the loop.

    token     that clients have to show
    sessions  where they are kept; in memory if nowhere
    """

    log: Log
    token: str | None
    sessions: Path | str | None
    store: SessionStore = field(init=False)

    def __post_init__(self) -> None:
        seconds, most = self.limits.resume_seconds, self.limits.resumable
        self.store = new_store(self.sessions, seconds, most, self._session_like, self.log)

    def new_session(self, model: str | None) -> HostedSession:
        """A session with a model, which is the default one where none is named."""
        engines = self.preparations.engines
        session = HostedSession(engines[model] if model else next(iter(engines.values())), self)
        self.store.add(session)
        return session

    def _session_like(self, model: str, token: str) -> HostedSession | None:
        """A session that is to be what another one was, if its model is still there."""
        engine = self.preparations.engines.get(model)
        return HostedSession(engine, self, token) if engine else None

    def knows(self, token: str | None) -> bool:
        """Whether this is the token that clients have to show."""
        return is_token(token, self.token)

    def welcome(self, session: HostedSession, is_resumed: bool, heartbeat: float | None) -> Welcome:
        """What a client is told of a session that it has now."""
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
    """What a client may do: what the server allows, and what a session can take."""
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
