"""The session: events in, messages and jobs out. It does no I/O, reads no clock and starts no thread.

    shell                                     session
    tick(now), receive(event)         ->      checks, versions, what is superseded
    jobs_to_run(), run in any thread  <-      L0 attach, next steps, L1 rescore, L2 search
    job_done(job, result)             ->      the best of each sentence so far
    messages_to_send()                <-      what is new, as deltas where that is shorter

A shell calls these from one thread at a time; jobs run wherever it likes. Messages are made when they are
fetched, from the newest analysis of each sentence: whoever fetches late gets fewer. What is wrong in an event
becomes an ErrorMessage, and nothing else changes. At stability 0 the analyses that a document ends with are
those of one that was opened with the final text, whatever edits led there; above, they depend on what was
promised on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from operator import attrgetter
from typing import Final, NamedTuple

from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.rescoring import Rescored
from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.search import Searcher, SearchResult
from treewhile.incremental.sessions import stepping
from treewhile.incremental.sessions.document_content import empty_content
from treewhile.incremental.sessions.document_parses import DocumentParses, Progress
from treewhile.incremental.sessions.document_words import DocumentWords, GivenWords, WordsOfText
from treewhile.incremental.sessions.jobs import Attach, Clock, Follow, Job, Rescore, Search
from treewhile.incremental.sessions.message_order import REASONS, is_legal
from treewhile.incremental.sessions.messages import (
    MOST_DOCUMENTS,
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    AskAnalyses,
    Change,
    Close,
    ClosedMessage,
    ErrorCode,
    ErrorMessage,
    Open,
    Options,
    Request,
    checked_event,
    named_in,
)
from treewhile.incremental.sessions.next_steps import NextSteps, StepFollower
from treewhile.incremental.sessions.open_documents import OpenDocument
from treewhile.incremental.sessions.open_sentences import OpenSentence
from treewhile.incremental.sessions.options import Settings
from treewhile.incremental.sessions.refusals import RefusedError
from treewhile.oracles.errors import InputError

REFINEMENTS: Final = (Rescore.level, Search.level)

# Refinements that are handed out at a time; more would only hold memory.
MOST_REFINING = 4


class _InFlight(NamedTuple):
    """What a job is for."""

    document: OpenDocument
    sentence: OpenSentence | None = None
    revision: int = 0


class Session:
    """Some documents of one client, parsed while they change.

    With a `delay`, the committed parse decides each step once so many words are known that come after;
    without one, by the risk that the options of a document name, or else by that of the session. With a
    clock, jobs tell how long they ran.
    """

    def __init__(
        self,
        model: Model,
        searcher: Searcher | None = None,
        delay: int | None = None,
        clock: Clock | None = None,
        risk: float = RISK,
    ) -> None:
        check_risk(risk)
        if as_model(model).tags != "predicted":
            raise InputError(
                f"the model takes {model.tags} tags, which nobody types: give one that needs none"
            )
        self._model, self._searcher, self._delay, self._clock = model, searcher, delay, clock
        self._risk = risk
        self._documents: dict[str, OpenDocument] = {}
        self._in_flight: dict[Job, _InFlight] = {}
        self._said: list[AnyMessage] = []
        self._now = 0.0

    # --- in ------------------------------------------------------------------------------------------------

    def receive(self, event: object) -> None:
        """Takes an event, or a mapping that is one."""
        try:
            checked = checked_event(event)
        except InputError as error:
            self._complain(RefusedError("bad_event", str(error)), *named_in(event))
            return
        self._take(checked)

    def tick(self, now: float) -> None:
        """Tells the time, in seconds from any moment on; work whose time is up ends."""
        self._now = now
        for document in self._documents.values():
            document.tick(now)

    def job_done(self, job: Job, result: object) -> None:
        """Takes what a job has given, or the exception that it has raised."""
        if job not in self._in_flight:
            raise InputError(
                f"a job of level {job.level} was done that is not in flight: hand in each one once"
            )
        document, sentence, revision = self._in_flight.pop(job)
        is_open = self._documents.get(document.name) is document
        if isinstance(job, Attach) and is_open:
            self._take_attached(document, job, result)
        elif sentence is not None:
            sentence.hand_back(job)
            if is_open and revision == sentence.revision and document.has(sentence):
                self._take_result(document, sentence, job, result)
            elif isinstance(job, Follow):
                document.ask_steps(sentence)  # again, about the words that there are now

    # --- out -----------------------------------------------------------------------------------------------

    def messages_to_send(self, words: float = inf) -> list[AnyMessage]:
        """What there is to say, once; analyses of so many words, and of the sentence beyond, at a time."""
        said, self._said = self._said, []
        for document in self._documents.values():
            if words <= 0:
                break
            if not document.has_news:
                continue
            messages, told = document.messages(self._now, words)
            said += messages
            words -= told
        return said

    def drop_messages(self) -> None:
        """Forgets what there was to say."""
        self._said = []
        for document in self._documents.values():
            document.drop_news()

    def jobs_to_run(self) -> list[Job]:
        """What there is to do, once, the most urgent first."""
        jobs = [job for document in self._documents.values() for job in self._jobs_of(document)]
        jobs.sort(key=attrgetter("priority"))
        return jobs

    @property
    def wake_at(self) -> float | None:
        """When `tick` should be called at the latest."""
        deadlines = [document.next_deadline for document in self._documents.values()]
        return min([deadline for deadline in deadlines if deadline is not None], default=None)

    def run(
        self, words: Iterable[str] | str, time_limit: float | None = 0.05, clock: Clock | None = None
    ) -> Iterator[AnalysisMessage]:
        """The analyses of a sentence while its words come, or of a text, with so many seconds a word."""
        return stepping.run(self, words, time_limit, clock)

    # --- events --------------------------------------------------------------------------------------------

    def _take(self, event: AnyEvent) -> None:
        """Takes an event that was checked."""
        try:
            self._receive(event)
        except RefusedError as refused:
            self._complain(refused, event.document, getattr(event, "version", None))

    def _receive(self, event: AnyEvent) -> None:
        document = self._documents.get(event.document)
        self._check(event, document)
        if isinstance(event, Open):
            self._open(event)
        elif document is None:
            raise AssertionError("the order of messages lets only Open make a document")
        elif isinstance(event, Change):
            document.edit(document.content.take(event), event.version, self._now)
        elif isinstance(event, Request):
            document.ask(event)
            self._answer_requests(document)
        else:
            self._arrange(document, event)

    def _check(self, event: AnyEvent, document: OpenDocument | None) -> None:
        """Refuses what the table of states does not have, and versions that are not the right ones."""
        name, state = event.document, document.content.state if document else "absent"
        if not is_legal(state, type(event)):
            code: ErrorCode = "illegal" if document else "unknown_document"
            raise RefusedError(code, f"the document {name!r:.40} {REASONS[state]}")
        if document is None:
            return
        if isinstance(event, Change) and event.version <= document.version:
            what = f"version {event.version} of {name!r:.40} comes after {document.version}"
            raise RefusedError("old_version", f"{what}: each has to be greater than the one before")
        if isinstance(event, Request):
            document.check_version(event)

    def _open(self, event: Open) -> None:
        if len(self._documents) >= MOST_DOCUMENTS:
            raise RefusedError(
                "too_much", f"{MOST_DOCUMENTS} documents are open: close one first", temporary=True
            )
        content = empty_content(event)
        words = self._words_of(event)
        settings = Settings(risk=self._risk).changed(event.options)
        parses = DocumentParses(self._model, words, self._delay, settings.risk)
        document = OpenDocument(event.document, event.version, content, settings, parses)
        document.edit(content.take(event), event.version, self._now)
        self._documents[event.document] = document

    def _words_of(self, event: Open) -> DocumentWords:
        if event.words is not None:
            return GivenWords(event.positions)
        if self._model.segmenter is None:
            raise RefusedError(
                "unsupported", "the model cannot cut text into words: open the document with words"
            )
        return WordsOfText(self._model.segmenter, event.positions)

    def _arrange(self, document: OpenDocument, event: AskAnalyses | Options | Close) -> None:
        if isinstance(event, Options):
            document.change_settings(event.options)
        elif isinstance(event, AskAnalyses):
            document.tell_all(in_full=True)
        else:
            self._close(document)

    def _close(self, document: OpenDocument) -> None:
        document.interrupt()
        del self._documents[document.name]
        self._said.append(ClosedMessage(document.name, document.all_versions()))

    def _answer_requests(self, document: OpenDocument) -> None:
        """Carries out what waited for a sentence that is there now."""
        for request in document.take_requests():
            try:
                document.carry_out(request)
            except RefusedError as refused:
                self._complain(refused, document.name, request.version)

    def _complain(self, refused: RefusedError, document: str | None, version: int | None = None) -> None:
        self._said.append(
            ErrorMessage(refused.code, str(refused), document, version, temporary=refused.temporary)
        )

    # --- jobs ----------------------------------------------------------------------------------------------

    def _jobs_of(self, document: OpenDocument) -> Iterator[Job]:
        attach = document.attach_job(self._now, self._clock)
        if attach:
            yield self._noted(attach, document)
        for sentence in document.ready():
            if sentence.steps.wanted and not sentence.steps.running:
                yield self._noted(self._follow(document, sentence), document, sentence)
            if sentence.may_refine and self._refining() < MOST_REFINING:
                yield self._noted(self._refine(document, sentence), document, sentence)

    def _noted(self, job: Job, document: OpenDocument, sentence: OpenSentence | None = None) -> Job:
        self._in_flight[job] = _InFlight(document, sentence, sentence.revision if sentence else 0)
        return job

    def _refining(self) -> int:
        return sum(job.level in REFINEMENTS and not job.interrupt.is_set for job in self._in_flight)

    def _follow(self, document: OpenDocument, sentence: OpenSentence) -> Follow:
        steps = sentence.steps
        steps.follower, steps.wanted = steps.follower or StepFollower(), False
        steps.running = Follow(
            document.name,
            document.attached_version,
            sentence.number,
            self._clock,
            steps.follower,
            sentence.question(self._model, document.settings),
        )
        return steps.running

    def _refine(self, document: OpenDocument, sentence: OpenSentence) -> Job:
        about = document.name, document.attached_version, sentence.number, self._clock
        if sentence.todo == "L2":
            assert self._searcher is not None
            sentence.running = sentence.searching = Search(*about, self._searcher, sentence.search_request())
        else:
            sentence.preferred = sentence.preference(document.settings)
            sentence.running = Rescore(*about, self._model, sentence.snapshot, sentence.preferred)
        return sentence.running

    # --- results -------------------------------------------------------------------------------------------

    def _take_attached(self, document: OpenDocument, job: Attach, result: object) -> None:
        if isinstance(result, Progress):
            document.take_progress(job, result, self._now)
            document.tick(self._now)
            self._answer_requests(document)
            return
        name = f"the document {document.name!r:.40}"
        if isinstance(result, InputError):
            refused = RefusedError("too_much", f"{name} is closed, since {result}")
        else:
            what = f"{name} is lost, since attaching its words failed ({_told(result)})"
            refused = RefusedError("lost", f"{what}: open it again", temporary=True)
        self._complain(refused, document.name, job.version)
        self._close(document)

    def _take_result(self, document: OpenDocument, sentence: OpenSentence, job: Job, result: object) -> None:
        """The result of a job whose sentence still has the same words."""
        if isinstance(job, Follow):
            self._take_steps(document, sentence, job, result)
        elif job.level != sentence.todo:
            return
        elif isinstance(result, Rescored):
            sentence.take_rescored(result, document.settings, self._searcher is not None)
            document.tell(sentence)
        elif result is None or (
            isinstance(result, SearchResult) and not sentence.breaks_promise(result.analysis)
        ):
            if sentence.take_found(result, document.settings):
                document.tell(sentence)
        else:
            self._complain_of(document, job, result)
            sentence.settle()
            document.tell(sentence)

    def _take_steps(
        self, document: OpenDocument, sentence: OpenSentence, job: Follow, result: object
    ) -> None:
        if isinstance(result, NextSteps) and job.question.steps != sentence.followed_steps:
            document.ask_steps(sentence)
        elif isinstance(result, NextSteps):
            sentence.steps.answer = result
            document.tell_steps(sentence)
            if result.has_drifted and sentence.steps.follows_best:
                document.rebuild(sentence)
        else:
            sentence.steps.follower = None
            self._complain_of(document, job, result)

    def _complain_of(self, document: OpenDocument, job: Job, result: object) -> None:
        what = f"work of level {job.level} on {document.name!r:.40} failed ({_told(result)})"
        why = f"{what}: what was known before it stands"
        self._complain(RefusedError("failed", why, temporary=True), document.name, job.version)


def _told(result: object) -> str:
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}"[:200]
    return f"it gave a {type(result).__name__} that breaks what was asked"
