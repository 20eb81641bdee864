"""Models ready for sessions, each with the search that goes with it once that is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np

from treewhile.incremental.constraints.searcher import searcher_for
from treewhile.incremental.parsers.arc_decoding import decode_sentence
from treewhile.incremental.parsers.network import LabelParts
from treewhile.incremental.parsers.parsing import Model, read_parser, read_segmenter
from treewhile.incremental.parsers.rescoring import arc_logs
from treewhile.incremental.parsers.shipped_models import load_model, model_path
from treewhile.incremental.session import Session
from treewhile.incremental.sessions.document_words import TextEdited, WordsOfText
from treewhile.incremental.sessions.jobs import Clock
from treewhile.incremental.sessions.messages import AnyEvent, Edit, Finish, Gold, Open, OptionChanges, Revoke
from treewhile.incremental.sessions.searching import Searcher
from treewhile.oracles.errors import InputError

WORDS: Final = ["The", "old", "dog", "that", "Peter", "sees", "barks", "."]
TEXT: Final = "A letter came. It"
CROSSING: Final[list[int | None]] = [3, 3, 7, 6, 6, 2, 0, 4]  # heads whose edges cross


class Engine:
    """A model, and a searcher from `warm_rest` on, which open sessions get with their next event."""

    def __init__(self, name: str, model: Model) -> None:
        self.name, self.model = name, model
        self.searcher: Searcher | None = None

    def new_session(self, clock: Clock = perf_counter) -> ServedSession:
        return ServedSession(self.model, self.searcher, clock=clock)

    def warm(self) -> None:
        """Loads or compiles what first analyses and L1 run on."""
        _run_documents(self.new_session(), OptionChanges(streams=["analyses"]))

    def warm_rest(self) -> None:
        """Loads or compiles what next steps and L2 run on; from now on sessions have L2."""
        _run_steps(self.new_session())
        searcher = searcher_for(self.model)
        _run_documents(ServedSession(self.model, searcher), OptionChanges())
        self.searcher = searcher


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
        return [document.size for document in self._documents.values()]

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
        """From now on there is a level 2."""
        self._searcher = searcher


def warm_backwards(names: Sequence[str]) -> None:
    """Loads or compiles what `Engine.warm` comes to last: texts, then the best tree and its probabilities."""
    paths = [model_path(name) for name in names]
    for path in paths:
        segmenter = read_segmenter(path)
        if segmenter:
            WordsOfText(segmenter, "code_points").apply(TextEdited(0, 0, TEXT))
    nothing = np.zeros((2, 2), np.float32)
    decode_sentence(nothing)
    arc_logs(nothing, 1, is_open=False)
    for path in paths:
        model = read_parser(path)
        parts = LabelParts(*np.zeros((2, 2, model.network.label_width), np.float32))
        model.label_logs(parts, np.zeros(1, np.intp), np.ones(1, np.intp))


def load_engines(names: Sequence[str]) -> dict[str, Engine]:
    """Engines by the names of their models, in this order."""
    engines = [Engine(_short(name), load_model(name)) for name in names]
    found = {engine.name: engine for engine in engines}
    if len(found) < len(engines):
        raise InputError("two models have the same name: clients could not choose, rename one of the files")
    return found


def _short(name: str) -> str:
    return Path(name).stem if name.endswith(".safetensors") else name


def _run_documents(session: ServedSession, options: OptionChanges) -> None:
    """Documents of words and of text, to their ends."""
    session.receive(Open("words", 0, words=WORDS, options=options))
    _run_jobs(session)
    session.receive(Revoke("words", 1, 1))
    _run_jobs(session)
    session.receive(Finish("words", 2))
    if session.cuts_text:
        session.receive(Open("text", 0, text="", options=options))
        session.receive(Edit("text", 1, 0, 0, TEXT))
    _run_jobs(session)


def _run_steps(session: ServedSession) -> None:
    """Next steps for all kinds of references."""
    session.receive(Open("words", 0, words=WORDS, options=OptionChanges(streams=["steps"])))
    _run_jobs(session)
    for heads in (CROSSING, None):
        session.receive(Gold("words", 0, 0, heads))
        _run_jobs(session)


def _run_jobs(session: Session) -> None:
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    session.messages_to_send()
