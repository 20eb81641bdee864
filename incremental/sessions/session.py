"""Session: events in, messages and jobs out. It does no I/O, reads no clock and starts no thread.

    shell                                     session
    tick(now), receive(event)         ->      checks, versions, what is superseded
    jobs_to_run(), run in any thread  <-      L0 attach, next steps, L1 rescore, L2 search
    job_done(job, result)             ->      the best of each sentence so far
    messages_to_send()                <-      what is new, as deltas where that is shorter

Messages are made when they are fetched, from the newest analysis of each sentence: slow clients get fewer. An
error in an event becomes an ErrorMessage, and changes nothing else. At stability 0 the final analyses of a
document are those of one that was opened with the final text, whatever the edits; above 0, they depend on the
promises made on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from msgspec import UNSET

from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.tree_decoding import check_prefix_class
from treewhile.incremental.search import Grammars, Searcher
from treewhile.incremental.sessions import stepping
from treewhile.incremental.sessions.document_content import AFTER, REASONS, State
from treewhile.incremental.sessions.jobs import Attach, Clock, Job, Tools
from treewhile.incremental.sessions.messages import (
    MOST_DOCUMENTS,
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    AskAnalyses,
    Change,
    Close,
    EditGrammar,
    ErrorCode,
    Open,
    Options,
    RefusedError,
    Request,
    checked_event,
    named_in,
)
from treewhile.incremental.sessions.open_documents import OpenDocument
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS, DocumentOptions
from treewhile.incremental.sessions.outbox import Notices
from treewhile.oracles.errors import InputError

# Number of refinements handed out at a time; more would only hold memory.
MOST_REFINING = 4


class OtherModel(NamedTuple):
    """Model that documents can name, with its searcher and its grammars."""

    model: Model
    searcher: Searcher | None = None
    grammars: Grammars | None = None


OtherModels: TypeAlias = Mapping[str, OtherModel]  # by name
NO_OTHERS: Final[OtherModels] = MappingProxyType({})


class Session:
    """Documents of one client, parsed while they change.

    Documents have the options `options` until their client changes them. With a clock, jobs record their
    running times. Best parses are trees of the class `trees`, "projective" or "mh4", or of the model's own
    class. A document whose option `model` is a name in `others` is parsed by that model, in its class.
    Documents can be searched under the `grammars` of their model instead of by its searcher.

    A session has no lock, which would cost a percent of every letter: call it from one thread at a time, as
    an event loop does, or use a `ThreadedSession`, which any thread may call. Its jobs may run in any thread,
    concurrently with each other and with its methods.
    """

    def __init__(
        self,
        model: Model,
        searcher: Searcher | None = None,
        clock: Clock | None = None,
        options: DocumentOptions = DEFAULT_OPTIONS,
        trees: str | None = None,
        others: OtherModels = NO_OTHERS,
        grammars: Grammars | None = None,
    ) -> None:
        self._tools = Tools(_live(model, trees), searcher, clock, grammars)
        self._options, self._others = options, others
        self._documents: dict[str, OpenDocument] = {}
        self._in_flight: dict[Job, OpenDocument] = {}
        self._notices = Notices()
        self._now = 0.0

    # --- in ------------------------------------------------------------------------------------------------

    def receive(self, event: object) -> None:
        """Process an event, or a mapping that is one."""
        try:
            checked = checked_event(event)
        except InputError as error:
            self._notices.refuse(RefusedError("bad_event", str(error)), *named_in(event))
            return
        self.receive_decoded(checked)

    def receive_decoded(self, event: AnyEvent) -> None:
        """Process an event that a decoder has made and checked."""
        document = self._documents.get(event.document)
        try:
            state: State = document.content.state if document else "absent"
            if (state, type(event)) not in AFTER:
                raise _illegal(event, state)
            if isinstance(event, Open):
                self._open(event)
            elif document is None:
                raise AssertionError("the order of messages lets only Open make a document")
            elif isinstance(event, Change):
                document.change(event, self._now)
            elif isinstance(event, Request):
                document.ask(event, self._now)
            else:
                self._arrange(document, event)
        except RefusedError as refused:
            self._notices.refuse_event(refused, event)

    def tick(self, now: float) -> None:
        """Set the time, in seconds from any origin; work whose time is up ends."""
        self._now = now
        for document in self._documents.values():
            document.tick(now)

    def job_done(self, job: Job, result: object) -> None:
        """Process the result of a job, or the exception that it has raised."""
        document = self._in_flight.pop(job, None)
        if document is None:
            raise InputError(
                f"a job of level {job.level} was done that is not in flight: hand in each one once"
            )
        if self._documents.get(document.name) is not document:
            return
        if not isinstance(job, Attach):
            document.take_refined(job, result, self._now)
            return
        try:
            document.take_attached(job, result, self._now)
        except RefusedError as lost:
            self._notices.refuse(lost, document.name, job.version)
            self._close(document)

    # --- out -----------------------------------------------------------------------------------------------

    def messages_to_send(self, words: float = inf) -> list[AnyMessage]:
        """Return the messages, once; stop after sentences with `words` words in all."""
        said = self._notices.taken()
        for document in self._documents.values():
            if words <= 0:
                break
            messages, told = document.outbox.messages(document.work.options, self._now, words)
            said += messages
            words -= told
        return said

    @property
    def has_messages(self) -> bool:
        """True if there may be messages to send."""
        return bool(self._notices.said) or any(map(attrgetter("outbox.has_news"), self._documents.values()))

    def drop_messages(self) -> None:
        """Drop all queued messages."""
        self._notices.taken()
        for document in self._documents.values():
            document.outbox.clear()

    def jobs_to_run(self) -> list[Job]:
        """Return the jobs to run, once, the most urgent first."""
        room = MOST_REFINING - sum([job.rank.refines and not job.is_unwanted for job in self._in_flight])
        jobs: list[Job] = []
        for document in self._documents.values():
            new = document.jobs(self._now, room)
            room -= sum([job.rank.refines for job in new])
            self._in_flight |= dict.fromkeys(new, document)
            jobs += new
        jobs.sort(key=attrgetter("rank"))
        return jobs

    @property
    def wake_at(self) -> float | None:
        """Latest time of the next call of `tick`."""
        times = map(attrgetter("wake_at"), self._documents.values())
        return min([time for time in times if time is not None], default=None)

    def run(
        self,
        words: Iterable[str] | str,
        time_limit: float | None = 0.05,
        clock: Clock | None = None,
        with_constituents: bool = False,
    ) -> Iterator[AnalysisMessage]:
        """Yield the analyses of a sentence as its words come, or of a text; `time_limit` is per word.

        With constituents, if the model knows any.
        """
        return stepping.run(self, words, time_limit, clock, with_constituents)

    # --- what it holds -------------------------------------------------------------------------------------

    @property
    def versions(self) -> dict[str, int]:
        """Current versions of the open documents."""
        return {name: document.intake.version for name, document in self._documents.items()}

    def version_of(self, name: str) -> int | None:
        """Return the current version of a document, if it is open."""
        document = self._documents.get(name)
        return document.intake.version if document else None

    def sentence_count(self, name: str) -> int:
        """Return the number of sentences of an open document."""
        return self._documents[name].sentence_count

    def model_of(self, name: str) -> str | None:
        """Return the name of the model that an open document has chosen; None for that of the session."""
        return self._documents[name].work.options.model

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Length of the text of each open document, with its grammar's, and its number of given words."""
        return [document.size for document in self._documents.values()]

    @property
    def is_behind(self) -> bool:
        """True if edits come faster than they can be attached: senders should wait."""
        return any(document.is_behind for document in self._documents.values())

    @property
    def cuts_text(self) -> bool:
        """True if documents can consist of text."""
        return self._tools.model.segmenter is not None

    # --- events --------------------------------------------------------------------------------------------

    def _open(self, event: Open) -> None:
        if len(self._documents) >= MOST_DOCUMENTS:
            what = f"{MOST_DOCUMENTS} documents are open"
            raise RefusedError("too_much", f"{what}: close one first", temporary=True)
        options = self._options.changed(event.options)
        document = OpenDocument(event, self._tools_for(options.model), options, self._notices)
        document.change(event, self._now)
        self._documents[event.document] = document

    def _tools_for(self, name: str | None) -> Tools:
        if name is None:
            return replace(self._tools)
        if name not in self._others:
            raise unknown_model(name, self._others)
        model, searcher, grammars = self._others[name]
        return Tools(_live(model, None), searcher, self._tools.clock, grammars)

    def _arrange(self, document: OpenDocument, event: AskAnalyses | Options | EditGrammar | Close) -> None:
        if isinstance(event, Options):
            if event.options.model not in (UNSET, document.work.options.model):
                what = f"the document {event.document!r:.40} keeps its model"
                raise RefusedError("unsupported", f"{what}: close it and open it again with another one")
            document.change_options(event.options, self._now)
        elif isinstance(event, EditGrammar):
            document.edit_grammar(event, self._now)
        elif isinstance(event, AskAnalyses):
            document.work.tell_all(in_full=True)
            document.outbox.repeat_language()
        else:
            self._close(document)

    def _close(self, document: OpenDocument) -> None:
        document.interrupt()
        del self._documents[document.name]
        self._notices.close(document.name, document.outbox.answers + document.intake.unattached)


def _illegal(event: AnyEvent, state: State) -> RefusedError:
    """Return the refusal of an event that is illegal in a state."""
    code: ErrorCode = "unknown_document" if state == "absent" else "illegal"
    return RefusedError(code, f"the document {event.document!r:.40} {REASONS[state]}")


def unknown_model(name: str, names: Iterable[str]) -> RefusedError:
    """Return the refusal of a model that is not among those with these names."""
    instead = f"name one of {known}" if (known := ", ".join(names)) else "leave it out"
    return RefusedError("unsupported", f"there is no model {name!r:.40}: {instead}")


def _live(model: Model, trees: str | None) -> Model:
    """Return the model, in another class of trees if given; refuse one that needs gold tags."""
    if as_model(model).tags != "predicted":
        raise InputError(f"the model takes {model.tags} tags, which nobody types: give one that needs none")
    chosen = model if trees is None else model.with_trees(trees)
    check_prefix_class(chosen.trees)
    return chosen
