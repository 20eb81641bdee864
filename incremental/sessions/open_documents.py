"""An open document of a session: its content, its sentences, what waits to be done and to be said."""

from __future__ import annotations

from treewhile.incremental.sessions.attached_sentences import AttachedSentences
from treewhile.incremental.sessions.document_content import empty_content
from treewhile.incremental.sessions.document_edits import Splice, TextEdited
from treewhile.incremental.sessions.document_parses import Attached, DocumentParses, Progress
from treewhile.incremental.sessions.document_words import DocumentWords, GivenWords, WordsOfText
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.jobs import Attach, Job, Tools
from treewhile.incremental.sessions.messages import AnyMessage, Change, Open, Request
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.outbox import Notices, Outbox
from treewhile.incremental.sessions.refusals import RefusedError
from treewhile.incremental.sessions.requests import Requests, carry_out, check_version
from treewhile.incremental.sessions.sentence_work import SentenceWork, failure_of
from treewhile.incremental.sessions.typing_pauses import TypingPauses
from treewhile.oracles.errors import InputError


class OpenDocument:
    """A document from its opening on. What cannot be done is a RefusedError.

    content     what its client has made of it; `intake` has what of that is not attached yet
    sentences   those of the version that was attached last, on which `work` is done
    outbox      what is to be said of them
    """

    __slots__ = (
        "_clock",
        "_notices",
        "_pauses",
        "_requests",
        "_sentences",
        "content",
        "intake",
        "name",
        "outbox",
        "work",
    )

    def __init__(self, opening: Open, tools: Tools, options: DocumentOptions, notices: Notices) -> None:
        self.name, self.content = opening.document, empty_content(opening)
        parses = DocumentParses(tools.model, _words_of(opening, tools), tools.delay, options.risk)
        self.intake = Intake(opening.version, parses, options.risk)
        self._clock, self._notices = tools.clock, notices
        self._requests, self._pauses = Requests(), TypingPauses()
        self._sentences = AttachedSentences(opening.version)
        self.outbox = Outbox(self.name, self._sentences)
        self.work = SentenceWork(self.name, tools, options, self._sentences, self.intake, self.outbox)

    @property
    def version(self) -> int:
        """The present version, whether it is attached or not."""
        return self.intake.version

    @property
    def sentence_count(self) -> int:
        """How many sentences there are in the version that was attached last."""
        return len(self._sentences)

    # --- events --------------------------------------------------------------------------------------------

    def change(self, change: Change, now: float) -> None:
        """Takes a change, which makes a new version."""
        edit = self.content.take(change)
        self.outbox.owe_answer(change.version)
        if isinstance(edit, TextEdited):
            self._pauses.put_off(now)
        self.intake.edit(edit, change.version, now)
        self.work.interrupt()

    def check_version(self, version: int) -> None:
        """Refuses a change that does not make a later version."""
        if version <= self.version:
            what = f"version {version} of {self.name!r:.40} comes after {self.version}"
            raise RefusedError("old_version", f"{what}: each has to be greater than the one before")

    def ask(self, request: Request) -> None:
        """Takes a request, which waits until its sentence is there."""
        check_version(request, self.version)
        self._requests.add(request)
        self._answer_requests()

    def interrupt(self) -> None:
        """All that is being done should stop."""
        self.intake.interrupt()
        self.work.interrupt()

    def tick(self, now: float) -> None:
        """Goes on with what waited for a pause, and cuts work short whose time is up."""
        if self._pauses.begins(now):
            self._take_pause(now)
        self.work.cut_late(now)

    @property
    def wake_at(self) -> float | None:
        """When `tick` should be called at the latest."""
        pause, deadline = self._pauses.begins_at, self.work.next_deadline
        return pause if deadline is None else deadline if pause is None else min(pause, deadline)

    def messages(self, now: float, words: float) -> tuple[list[AnyMessage], int]:
        """What is new, once, of some sentences of so many words; with how many were told."""
        return self.outbox.messages(self.work.options, now, words)

    # --- jobs ----------------------------------------------------------------------------------------------

    def jobs(self, now: float, room: int) -> list[Job]:
        """What there is to do, with at most so many refinements."""
        has_waiting, risk = bool(self._sentences.waiting), self.work.options.risk
        attach = self.intake.job(self.name, has_waiting, risk, now, self._clock)
        jobs: list[Job] = [attach] if attach else []
        return jobs if self.intake.has_edits else jobs + self.work.jobs(room)

    def job_done(self, job: Job, result: object, now: float) -> None:
        """Takes what a job has given. A RefusedError says that the document cannot go on."""
        if not isinstance(job, Attach):
            try:
                self.work.job_done(job, result)
            except RefusedError as failed:
                self._notices.refuse(failed, self.name, job.version)
        elif isinstance(result, Progress):
            self._take_progress(job, result, now)
            self.tick(now)
            self._answer_requests()
        else:
            raise self._lost(result)

    def _lost(self, result: object) -> RefusedError:
        name = f"the document {self.name!r:.40}"
        if isinstance(result, InputError):
            return RefusedError("too_much", f"{name} is closed, since {result}")
        what = f"{name} is lost, since attaching its words failed ({failure_of(result)})"
        return RefusedError("lost", f"{what}: open it again", temporary=True)

    # --- progress ------------------------------------------------------------------------------------------

    def _take_progress(self, job: Attach, progress: Progress, now: float) -> None:
        """Goes on from what a job has attached."""
        self.intake.attaching = None
        self._take_places(job.version, progress)
        held = self._pauses.held
        if job.edits and held is not None and held.number != progress.typed:
            self._release(job.since)
        rebuilt = {rebuild.number for rebuild in job.rebuilds}
        for attached in progress.attached:
            self._take_attached(attached, job.since, attached.number in rebuilt, progress.typed)
        self._pauses.awaits_pause = progress.awaits_pause
        if not self._pauses.is_typing:
            self._take_pause(now)

    def _take_places(self, version: int, progress: Progress) -> None:
        """Takes which sentences there are now, where they stand, and which of them have ended for certain."""
        sentences = self._sentences
        sentences.waiting = progress.waiting
        for splice in progress.splices:
            if splice.changes_count:
                self._splice(splice)
        for move in sentences.move(progress):
            self.outbox.tell_move(move)
        sentences.version = version
        self.outbox.answer_up_to(version)
        for sentence in sentences.make_firm(progress):
            self.work.tell(sentence)

    def _splice(self, splice: Splice) -> None:
        gone = self._sentences.splice(splice)
        self.work.drop(gone)
        self.outbox.tell_splice(splice, gone)

    def _take_attached(self, attached: Attached, since: float, is_rebuilt: bool, typed: int | None) -> None:
        sentence = self._sentences.numbered(attached.number)
        if not sentence.is_attached_to(attached):
            self.work.attach(sentence, attached, since, attached.number == typed and self._pauses.is_typing)
            if sentence.refinement.is_held:
                self._pauses.held = sentence
            return
        if is_rebuilt or attached.steps != sentence.own_steps:
            sentence.recommit(attached, is_rebuilt)
            self.work.ask_steps(sentence)
        else:
            sentence.move(attached.words)
        self.work.tell(sentence)

    def _take_pause(self, now: float) -> None:
        """Nobody is typing: words are taken for complete ones, and the last sentence for a whole one."""
        self._release(now)
        if self._pauses.awaits_pause and not self.intake.edits:
            self._pauses.awaits_pause = False
            self.intake.pause()

    def _release(self, since: float) -> None:
        self._pauses.release(since, self.work.options.time_limit)

    def _answer_requests(self) -> None:
        """Carries out what waited for a sentence that is there now."""
        if self.intake.has_edits:
            return
        for request in self._requests.taken(self._sentences, self.version):
            try:
                check_version(request, self.version)
                self.work.ask_steps(carry_out(request, self._sentences))
            except RefusedError as refused:
                self._notices.refuse(refused, self.name, request.version)


def _words_of(opening: Open, tools: Tools) -> DocumentWords:
    if opening.words is not None:
        return GivenWords(opening.positions)
    if tools.model.segmenter is None:
        what = "the model cannot cut text into words"
        raise RefusedError("unsupported", f"{what}: open the document with words")
    return WordsOfText(tools.model.segmenter, opening.positions)
