"""Open document of a session: its content, its sentences, waiting work and waiting messages."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.sessions.document_content import (
    DocumentContent,
    TextContent,
    WordsContent,
    empty_content,
)
from treewhile.incremental.sessions.document_edits import DocumentEdit, TextEdited, units
from treewhile.incremental.sessions.document_grammar import Compile, DocumentGrammar
from treewhile.incremental.sessions.document_parses import Attached, DocumentParses, Progress
from treewhile.incremental.sessions.document_words import (
    DocumentWords,
    GivenWords,
    WordsOfText,
)
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.jobs import MOVED_AT_ONCE, Attach, Job, Tools
from treewhile.incremental.sessions.kept_corrections import KeptCorrections, Replaced, merged
from treewhile.incremental.sessions.messages import (
    LARGEST_NUMBER,
    MOST_FIXED,
    AskMargins,
    Change,
    Edit,
    EditGrammar,
    ErrorCode,
    Fix,
    MistakesMessage,
    Open,
    OptionChanges,
    RefusedError,
    Request,
    Revision,
    Revoke,
)
from treewhile.incremental.sessions.open_sentences import (
    LONGEST_RESCORED,
    AttachedSentences,
    OpenSentence,
    is_refined,
)
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.outbox import Notices, Outbox
from treewhile.incremental.sessions.readable_content import ReadableContent
from treewhile.incremental.sessions.sentence_work import (
    Requests,
    SentenceWork,
    carry_out,
    check_version,
    failure_of,
    sentence_asked,
)
from treewhile.incremental.sessions.typed_word import TypedLetters, TypedWord
from treewhile.incremental.texts.languages import other_language
from treewhile.incremental.texts.scripts import refusal
from treewhile.oracles.errors import InputError


class OpenDocument:
    """Document from its opening on. Illegal events raise RefusedError.

    content     what its client has made of it; `intake` has the part that is not attached yet
    sentences   those of the version that was attached last, on which `work` is done
    outbox      messages to be sent about them
    """

    __slots__ = (
        "_clock",
        "_corrections",
        "_grammar",
        "_model",
        "_notices",
        "_parses",
        "_readable",
        "_requests",
        "_sentences",
        "_typed",
        "content",
        "intake",
        "name",
        "outbox",
        "work",
    )

    def __init__(self, opening: Open, tools: Tools, options: DocumentOptions, notices: Notices) -> None:
        self.name, self.content = opening.document, empty_content(opening)
        self._model = tools.model
        is_parsed = opening.words is None or "L1" in options.levels  # else a client has trees of its own
        self._readable = ReadableContent(self.content, tools.model.inventory.scripts if is_parsed else None)
        self._parses = DocumentParses(tools.model, _words_of(opening, tools), options)
        self.intake = Intake(opening.version - 1, options)
        self._clock, self._notices, self._requests = tools.clock, notices, Requests()
        self._corrections = KeptCorrections()
        self._sentences = sentences = AttachedSentences(opening.version)
        self.outbox = Outbox(self.name, sentences)
        self._grammar = DocumentGrammar(tools.grammars, tools.searcher, options.grammar)
        self.work = SentenceWork(self.name, tools, options, sentences, self.intake, self.outbox)
        self.work.awaits_grammar = self._grammar.awaits
        letters = _letters_of(self.content, tools)
        self._typed = TypedWord(letters, self._parses, sentences, self.intake, self.work, self.outbox)

    @property
    def is_behind(self) -> bool:
        """True if more edits wait than should be attached at once."""
        return self.intake.moved > MOVED_AT_ONCE

    @property
    def sentence_count(self) -> int:
        """Number of sentences in the last attached version."""
        return len(self._sentences.in_order)

    # --- events --------------------------------------------------------------------------------------------

    def change(self, change: Change, now: float) -> None:
        """Apply a change, which makes a later version."""
        self._check_version(change)
        (length, _), taken = self.content.size, self.content.take(change)
        if self._corrections:
            self._corrections.edit(Replaced(change.version, *_changed_span(change, self.content)))
        *first, edit = self._followed(taken)
        for earlier in first:
            self.intake.add(earlier)
        left: DocumentEdit | None = edit
        if isinstance(edit, TextEdited):
            left = self._typed.take(edit, self.content.size[0] - length, change.version, now)
        if left is not None:
            self.intake.edit(left, change.version, now, self._moved_by(left))
            self.work.give_way()

    def _followed(self, edit: DocumentEdit) -> Sequence[DocumentEdit]:
        """Return the edits that parses follow; say so if the script of the text has become unknown."""
        was_readable, edits = self._readable.unknown is None, self._readable.followed(edit)
        script = self._readable.unknown
        if script is not None and was_readable:
            what = refusal(script, self._model.inventory.scripts)
            self._notices.refuse(RefusedError("unsupported_script", what), self.name, None)
        return edits

    def _check_version(self, change: Change) -> None:
        """Refuse a change of another version than the current one."""
        version = self.intake.version
        if change.version <= version:
            what = f"version {change.version} of {self.name!r:.40} comes after {version}"
            raise RefusedError("old_version", f"{what}: each has to be greater than the one before")
        base = change.base if isinstance(change, Revision) else None
        if base not in (None, version):
            what = f"version {change.version} of {self.name!r:.40} changes {base}, and the present one is"
            raise RefusedError("other_base", f"{what} {version}: send what is between, or open it again")

    def _moved_by(self, edit: DocumentEdit) -> int:
        """Return the approximate number of sentences that an edit of the text moves."""
        if not isinstance(edit, TextEdited):
            return 0
        length, _ = self.content.size
        return self.sentence_count * max(0, length - edit.start) // max(1, length)

    def change_options(self, changes: OptionChanges, now: float) -> None:
        """Change options. RefusedError if there is no such grammar."""
        options = self.work.options.changed(changes)
        self._grammar.check(options.grammar)
        self.work.change_options(options, now)
        if self._grammar.choose(options.grammar):
            self.work.use_searcher(self._grammar.default, now)
        self.work.awaits_grammar = self._grammar.awaits
        self._typed.catch_up()

    def edit_grammar(self, event: EditGrammar, now: float) -> None:
        """Search under the text of a grammar, once it is compiled, or no longer."""
        self._grammar.edit(event.text, event.number)
        self.work.awaits_grammar = self._grammar.awaits
        if event.text is None:
            self.work.use_searcher(self._grammar.default, now)
            self.outbox.tell_grammar(MistakesMessage(self.name, event.number, [], 0, is_used=False))

    @property
    def size(self) -> tuple[int, int]:
        """Length of the text and of the grammar, and number of given words."""
        length, words = self.content.size
        return length + self._grammar.size, words

    def ask(self, request: Request, now: float) -> None:
        """Add a request, which waits until its sentence is attached."""
        check_version(request, self.intake.version)
        self._requests.add(request)
        self._typed.catch_up()
        self._answer_requests(now)

    def _answer_requests(self, now: float) -> None:
        """Carry out the requests whose sentences are attached now."""
        if self.intake.has_edits:
            return
        version = self.intake.version
        for request in self._requests.taken(self._sentences, version):
            try:
                check_version(request, version)
                sentence = sentence_asked(request, self._sentences)
                if isinstance(request, Fix):
                    self._fix(request, sentence, now)
                elif isinstance(request, AskMargins):
                    self._ask_margins(request, sentence)
                else:
                    carry_out(request, sentence)
                    self.work.ask_steps(sentence)
            except RefusedError as refused:
                self._notices.refuse_event(refused, request)

    def _fix(self, request: Fix, sentence: OpenSentence, now: float) -> None:
        """Decide about words of a sentence. RefusedError if no analysis can hold that."""
        self._corrections.follow(self.intake.version)
        before = sentence.standing.corrections
        corrections = merged(before, request.heads, request.labels, request.tags)
        self._check_parsed(sentence, request, "bad_fix")
        try:
            self._model.check_corrections(len(sentence.forms), corrections)
        except InputError as error:
            raise RefusedError("bad_fix", str(error)) from None
        if len(self._corrections) + len(corrections) - len(before) > MOST_FIXED:
            what = f"{MOST_FIXED} words of the document are fixed already"
            raise RefusedError("too_much", f"{what}: free some, or take several documents")
        self._corrections.put(self._begin_of(sentence), sentence.words.spans, corrections)
        self.work.correct(sentence, corrections, now)

    def _ask_margins(self, request: AskMargins, sentence: OpenSentence) -> None:
        self._check_parsed(sentence, request, "unsupported")
        self.work.ask_margins(sentence, request.words)

    def _check_parsed(self, sentence: OpenSentence, request: Request, code: ErrorCode) -> None:
        """Refuse a request about a sentence for which there is no best parse."""
        if not is_refined(sentence.words, self.work.options) or self.work.options.time_limit == 0:
            what = f"sentence {request.sentence} has no best parse"
            raise RefusedError(code, f"{what}: it needs L1, time, and at most {LONGEST_RESCORED} words")

    def _begin_of(self, sentence: OpenSentence) -> int:
        """Return where a sentence begins, in units."""
        begin = self._sentences.begins[self._sentences.places[sentence.number]]
        return begin.place if begin else 0

    def interrupt(self) -> None:
        """Ask all running jobs to stop."""
        self.intake.interrupt()
        self.work.stop()

    def tick(self, now: float) -> None:
        """Continue what waited for a pause in typing, and cut work whose time is up."""
        pause = self._typed.pauses.begins_at
        if pause is not None and pause <= now:
            self._typed.take_pause(now)
        if self.work.has_deadlines:
            self.work.cut_late(now)

    @property
    def wake_at(self) -> float | None:
        """Latest time of the next call of `tick`."""
        pause, deadline = self._typed.pauses.begins_at, None
        if self.work.has_deadlines:
            deadline = self.work.next_deadline
        return pause if deadline is None else deadline if pause is None else min(pause, deadline)

    # --- jobs ----------------------------------------------------------------------------------------------

    def jobs(self, now: float, room: int) -> list[Job]:
        """Return the jobs to run, with at most `room` refinements."""
        intake = self.intake
        jobs: list[Job] = []
        batch = intake.taken(bool(self._sentences.waiting), self.work.options, now)
        if batch:
            intake.attaching = Attach(self.name, intake.version, self._clock, self._parses, *batch)
            jobs.append(intake.attaching)
        if compiling := self._grammar.job(self.name, intake.version, self._clock):
            jobs.append(compiling)
        return jobs if intake.has_edits else jobs + self.work.jobs(room)

    def take_refined(self, job: Job, result: object, now: float) -> None:
        """Process the result of a job about attached words, or about the grammar."""
        try:
            if isinstance(job, Compile):
                self._take_grammar(job, result, now)
            else:
                self.work.job_done(job, result)
        except RefusedError as failed:
            sentence = None if isinstance(job, Compile) else job.sentence
            self._notices.refuse(failed, self.name, job.version, sentence)

    def _take_grammar(self, job: Compile, result: object, now: float) -> None:
        try:
            searcher, told = self._grammar.take(job, result)
        finally:
            self.work.awaits_grammar = self._grammar.awaits
        if searcher is not None:
            self.work.use_searcher(searcher, now)
        if told is not None:
            self.outbox.tell_grammar(told)

    def take_attached(self, job: Attach, result: object, now: float) -> None:
        """Process the result of an attaching job. RefusedError if the document cannot go on."""
        if not isinstance(result, Progress):
            raise _lost(self.name, result)
        self._corrections.follow(job.version)
        self._take_places(job, result)
        for attached in result.attached:
            sentence = self._sentences.by_number[attached.number]
            if attached.has_words_of(sentence.attached) and not (attached.is_anew or sentence.retyped):
                self._recommit(sentence, attached, job)
                continue
            self._keep_corrections(sentence, attached)
            is_typed = attached.number == result.typed and self._typed.pauses.begins_at is not None
            new_words = sentence.attach(attached, self.work.options, is_typed)
            may_have_ended = result.awaits_pause and self._sentences.in_order[-1] is sentence
            self.work.begin(sentence, job.since, new_words, may_have_ended)
            if sentence.refinement.is_held:
                self._typed.held = sentence
        self._typed.go_on(result.awaits_pause, now)
        outbox = self.outbox
        outbox.looks_like = other_language(self._readable.end, self._model.language, outbox.looks_like)
        if self.work.has_deadlines:
            self.work.cut_late(now)
        if self._requests.waiting:
            self._answer_requests(now)

    def _keep_corrections(self, sentence: OpenSentence, attached: Attached) -> None:
        """Bring the corrections of a sentence to its new words."""
        if not self._corrections and not sentence.standing.corrections:
            return
        corrections = self._corrections.of(self._begin_of(sentence), attached.words.spans)
        if corrections != sentence.standing.corrections:
            sentence.standing.correct(corrections)

    def _take_places(self, job: Attach, progress: Progress) -> None:
        """Update the sentences, their positions, and which of them have certainly ended."""
        sentences, self.intake.attaching = self._sentences, None
        sentences.waiting = progress.waiting
        for splice in progress.splices:
            if splice.removed or splice.added:
                gone = sentences.splice(splice)
                self.work.drop(gone)
                self.outbox.tell_splice(splice, gone)
        for move in sentences.move(progress):
            self.outbox.tell_move(move)
        sentences.version = job.version
        self.outbox.answers += self.intake.taken_versions(job.version)
        for sentence in sentences.make_firm(progress):
            self.work.tell(sentence)
        if job.edits:
            self._typed.release(job.since, progress.typed)

    def _recommit(self, sentence: OpenSentence, attached: Attached, job: Attach) -> None:
        """Update a sentence with the same words but other steps, or other positions."""
        is_rebuilt = attached.number in [rebuild.number for rebuild in job.rebuilds]
        if sentence.recommit(attached, is_rebuilt):
            self.work.ask_steps(sentence)
        self.work.tell(sentence)


def _changed_span(change: Change, content: DocumentContent) -> tuple[int, int, int]:
    """Return begin and end of what a change replaces, and the length of what is there then, in units."""
    if isinstance(change, Edit):
        return change.start, change.end, units(change.text, content.positions)
    if isinstance(change, Revoke) and isinstance(content, WordsContent):
        kept = sum(units(word, content.positions) + 1 for word in content.words)
        return kept, LARGEST_NUMBER, 0
    return LARGEST_NUMBER, LARGEST_NUMBER, 0


def _lost(name: str, result: object) -> RefusedError:
    """Return the refusal for a document whose words could not be attached."""
    document = f"the document {name!r:.40}"
    if isinstance(result, InputError):
        return RefusedError("too_much", f"{document} is closed, since {result}")
    what = f"{document} is lost, since attaching its words failed ({failure_of(result)})"
    return RefusedError("lost", f"{what}: open it again", temporary=True)


def _letters_of(content: DocumentContent, tools: Tools) -> TypedLetters | None:
    segmenter = tools.model.segmenter
    return TypedLetters(content, segmenter) if isinstance(content, TextContent) and segmenter else None


def _words_of(opening: Open, tools: Tools) -> DocumentWords:
    if opening.words is not None:
        return GivenWords(opening.positions)
    if tools.model.segmenter is None:
        what = "the model cannot cut text into words"
        raise RefusedError("unsupported", f"{what}: open the document with words")
    return WordsOfText(tools.model.segmenter, opening.positions)
