"""Models for sessions, each with the search that goes with it once that is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from treewhile.incremental.compiling import run_level
from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import Searcher
from treewhile.incremental.sessions.jobs import Clock
from treewhile.incremental.sessions.messages import AnyEvent
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.errors import InputError


class Engine:
    """A model, and from level 2 on a searcher."""

    def __init__(self, name: str, model: Model) -> None:
        self.name, self.model = name, model
        self.searcher: Searcher | None = None

    def new_session(self, clock: Clock = perf_counter, risk: float = RISK) -> ServedSession:
        return ServedSession(self.model, self.searcher, clock=clock, risk=risk)

    def warm(self, level: str) -> None:
        """Loads or compiles what a level runs on."""
        run_level(self.model, level)
        if level == "L2":
            self.searcher = searcher_for(self.model)


class ServedSession(Session):
    """A session, and what a server asks of it besides."""

    @property
    def versions(self) -> dict[str, int]:
        """The present versions of the open documents."""
        return {name: document.version for name, document in self._documents.items()}

    def version_of(self, name: str) -> int | None:
        """The present version of a document, if it is open."""
        document = self._documents.get(name)
        return document.version if document else None

    @property
    def has_messages(self) -> bool:
        """Whether there may be messages to send."""
        return bool(self._said) or any(document.has_news for document in self._documents.values())

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """How long the text of each open document is, and how many words it was given."""
        return [document.content.size for document in self._documents.values()]

    @property
    def cuts_text(self) -> bool:
        """Whether documents can be of text."""
        return self._model.segmenter is not None

    def sentence_count(self, name: str) -> int:
        """How many sentences an open document has."""
        return len(self._documents[name].sentences)

    def receive_decoded(self, event: AnyEvent) -> None:
        """Takes an event that a decoder has made, and so checked."""
        self._take(event)

    def use_searcher(self, searcher: Searcher) -> None:
        """From now on there is a level 2, also for what was settled without it."""
        if self._searcher is not searcher:
            self._searcher = searcher
            for document in self._documents.values():
                document.search_too()


def load_engines(names: Sequence[str]) -> dict[str, Engine]:
    """Engines by the names of their models, in this order; each can have sessions."""
    engines = [Engine(_short(name), load_model(name)) for name in names]
    for engine in engines:
        engine.new_session()
    found = {engine.name: engine for engine in engines}
    if len(found) < len(engines):
        raise InputError("two models have the same name: clients could not choose, rename one of the files")
    return found


def _short(name: str) -> str:
    return Path(name).stem if name.endswith(".safetensors") else name
