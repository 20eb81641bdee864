"""Open document of a session: its content, its sentences, waiting work and waiting messages."""

from __future__ import annotations

from treewhile.incremental.sessions.document_content import DocumentContent, TextContent, empty_content
from treewhile.incremental.sessions.document_edits import DocumentEdit, Followed, Splice, TextEdited
from treewhile.incremental.sessions.document_parses import Attached, DocumentParses, Progress, Retyped
from treewhile.incremental.sessions.document_words import (
    DocumentWords,
    GivenWords,
    SentenceWords,
    WordsOfText,
)
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.jobs import MOVED_AT_ONCE, Attach, Job, Tools
from treewhile.incremental.sessions.messages import (
    Change,
    Open,
    OptionChanges,
    RefusedError,
    Request,
    Revision,
)
from treewhile.incremental.sessions.open_sentences import AttachedSentences, OpenSentence
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.outbox import Notices, Outbox
from treewhile.incremental.sessions.requests import Requests, carry_out, check_version
from treewhile.incremental.sessions.sentence_work import SentenceWork, failure_of
from treewhile.incremental.sessions.typed_letters import TypedLetters
from treewhile.incremental.sessions.typing_pauses import TypingPauses
from treewhile.oracles.errors import InputError


class OpenDocument:
    """Document from its opening on. Illegal events raise RefusedError.

    content     what its client has made of it; `intake` has the part that is not attached yet
    sentences   those of the version that was attached last, on which `work` is done
    outbox      messages to be sent about them
    """

    __slots__ = (
        "_clock",
        "_letters",
        "_notices",
        "_parses",
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
        self._letters = _letters_of(self.content, tools)
        self._parses = DocumentParses(tools.model, _words_of(opening, tools), options)
        self.intake = Intake(opening.version - 1, options)
        self._clock, self._notices = tools.clock, notices
        self._requests, self._pauses = Requests(), TypingPauses()
        self._sentences = AttachedSentences(opening.version)
        self.outbox = Outbox(self.name, self._sentences)
        self.work = SentenceWork(self.name, tools, options, self._sentences, self.intake, self.outbox)

    @property
    def version(self) -> int:
        """Current version, attached or not."""
        return self.intake.version

    @property
    def is_behind(self) -> bool:
        """True if more edits wait than should be attached at once."""
        return self.intake.moved > MOVED_AT_ONCE

    @property
    def sentence_count(self) -> int:
        """Number of sentences in the last attached version."""
        return len(self._sentences)

    # --- events --------------------------------------------------------------------------------------------

    def change(self, change: Change, now: float) -> None:
        """Apply a change, which makes a later version."""
        self._check_order(change)
        before, edit = self.content.size, self.content.take(change)
        if isinstance(edit, TextEdited):
            self._pauses.put_off(now)
            waited = self.intake.letters
            edit = self.intake.with_letters(edit)
            if self._may_be_typing(edit):
                if self._type_letters(edit, waited, change.version, now):
                    return
                splice, retyped = self._parses.edited(edit), self._parses.retyped
                if retyped and self._type(retyped, change.version, now):
                    self._note_end(self._parses.awaits_pause)
                    self._move_behind(retyped.number, self.content.size[0] - before[0])
                    return
                edit = Followed(splice)
            if waited is not None and self._pauses.held is not None:
                self.intake.anew.add(
                    self._pauses.held.number
                )  # even if its words are those before the letters
        self.intake.edit(edit, change.version, now, self._moved_by(edit))
        self.work.give_way()

    def _check_order(self, change: Change) -> None:
        """Refuse a change of another version than the current one."""
        if change.version <= self.version:
            what = f"version {change.version} of {self.name!r:.40} comes after {self.version}"
            raise RefusedError("old_version", f"{what}: each has to be greater than the one before")
        base = change.base if isinstance(change, Revision) else None
        if base not in (None, self.version):
            what = f"version {change.version} of {self.name!r:.40} changes {base}, and the present one is"
            raise RefusedError("other_base", f"{what} {self.version}: send what is between, or open it again")

    def _moved_by(self, edit: DocumentEdit) -> int:
        """Return the approximate number of sentences that an edit of the text moves."""
        if not isinstance(edit, TextEdited):
            return 0
        length, _ = self.content.size
        return len(self._sentences) * max(0, length - edit.start) // max(1, length)

    def _may_be_typing(self, edit: TextEdited) -> bool:
        """Return whether an edit may do no more than begin a word at the end, or continue one.

        Then it is applied to the words at once; a job attaches the word once it ends, or if more is
        requested.
        """
        is_alone = edit.is_within_word and self.intake.is_idle and not self._sentences.waiting
        return is_alone and not self.work.options.tells_more_than_trees

    def _type_letters(self, edit: TextEdited, waited: TextEdited | None, version: int, now: float) -> bool:
        """Show letters at the end of the text if the text itself can follow later; `waited` is replaced."""
        if self._letters is None or not len(self._sentences):
            return False
        last, held = self._sentences[-1], self._pauses.held
        if held is None:
            is_shown = self._begin_letters(self._letters, last, edit, now)
        else:
            words = self._letters.go_on(held.words, edit, waited) if held is last and held.retyped else None
            is_shown = words is not None and self._retype(held, len(words.forms) - 1, words, version, now)
        if is_shown:
            self.intake.letters = edit if edit.new_text else None
            self._answer_at_once(version)
        return is_shown

    def _begin_letters(self, letters: TypedLetters, last: OpenSentence, edit: TextEdited, now: float) -> bool:
        """Show a word that the letters begin behind the last sentence, if possible."""
        begin = self._sentences.begins[-1]
        words = letters.begin(last.words, begin.place, edit) if begin and last.attached else None
        tag = self._parses.tag_of_letters(edit.new_text) if words else None
        if words is None or tag is None or not last.may_begin_word(words, self.work.options):
            return False
        self._begin_word(last, words, tag, now)
        return True

    def _type(self, retyped: Retyped, version: int, now: float) -> bool:
        """Show the word that is being typed, if nothing else has changed."""
        (number, word, words), held = retyped, self._pauses.held
        sentence = self._sentences.by_number[number]
        if held is None:
            tag = (
                self._parses.tag_of_new(retyped)
                if sentence.may_begin_word(words, self.work.options)
                else None
            )
            if tag is None:
                return False
            self._begin_word(sentence, words, tag, now)
        elif held is not sentence or not self._retype(sentence, word, words, version, now):
            return False
        self._answer_at_once(version)
        return True

    def _retype(
        self, sentence: OpenSentence, word: int, words: SentenceWords, version: int, now: float
    ) -> bool:
        """Show another form of a word, if possible."""
        if not sentence.may_retype(word, words):
            return False
        sentence.retype(words, now, version)
        self.work.tell(sentence)
        return True

    def _begin_word(self, sentence: OpenSentence, words: SentenceWords, tag: str, now: float) -> None:
        """Show a word that has begun."""
        sentence.begin_word(words, tag, self.work.options)
        self.work.begin(sentence, now, 1, may_have_ended=False)
        self._pauses.held = sentence

    def _answer_at_once(self, version: int) -> None:
        """Mark a version as answered without a job."""
        self.intake.version = self._sentences.version = version
        self.outbox.answers.append(version)

    def _move_behind(self, number: int, units: int) -> None:
        """Shift the sentences behind one."""
        move = self._sentences.move_behind(self._sentences.places[number], units)
        if move:
            self.outbox.tell_move(move)

    def change_options(self, changes: OptionChanges, now: float) -> None:
        """Change options."""
        self.work.change_options(self.work.options.changed(changes), now)
        self._catch_up()

    def _catch_up(self) -> None:
        """Attach the word that is being typed, since more than its form is wanted."""
        held = self._pauses.held
        if held is not None and held.retyped and self.intake.is_idle:
            self.intake.catch_up(len(self._sentences))

    def ask(self, request: Request) -> None:
        """Add a request, which waits until its sentence is attached."""
        check_version(request, self.version)
        self._requests.add(request)
        self._catch_up()
        self._answer_requests()

    def interrupt(self) -> None:
        """Ask all running jobs to stop."""
        self.intake.interrupt()
        self.work.stop()

    def tick(self, now: float) -> None:
        """Continue what waited for a pause in typing, and cut work whose time is up."""
        pause = self._pauses.begins_at
        if pause is not None and pause <= now:
            self._take_pause(now)
        if self.work.has_deadlines:
            self.work.cut_late(now)

    @property
    def wake_at(self) -> float | None:
        """Latest time of the next call of `tick`."""
        pause, deadline = self._pauses.begins_at, None
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
        return jobs if intake.has_edits else jobs + self.work.jobs(room)

    def take_refined(self, job: Job, result: object) -> None:
        """Process the result of a job about attached words."""
        try:
            self.work.job_done(job, result)
        except RefusedError as failed:
            self._notices.refuse(failed, self.name, job.version)

    def take_attached(self, job: Attach, result: object, now: float) -> None:
        """Process the result of an attaching job. RefusedError if the document cannot go on."""
        if not isinstance(result, Progress):
            raise self._lost(result)
        self._take_places(job, result)
        for attached in result.attached:
            sentence = self._sentences.by_number[attached.number]
            if attached.has_words_of(sentence.attached) and not (attached.is_anew or sentence.retyped):
                self._recommit(sentence, attached, job)
                continue
            is_typed = attached.number == result.typed and self._pauses.is_typing
            new_words = sentence.attach(attached, self.work.options, is_typed)
            may_have_ended = result.awaits_pause and self._sentences.is_last(sentence)
            self.work.begin(sentence, job.since, new_words, may_have_ended)
            if sentence.refinement.is_held:
                self._pauses.held = sentence
        self._note_end(result.awaits_pause)
        self._go_on(result.awaits_pause, now)

    def _note_end(self, awaits_pause: bool) -> None:
        """Set whether the last sentence would be a whole one after a pause."""
        last = self._sentences[-1] if len(self._sentences) else None
        if last is not None and last.await_pause(awaits_pause):
            self.work.tell(last)

    def _lost(self, result: object) -> RefusedError:
        name = f"the document {self.name!r:.40}"
        if isinstance(result, InputError):
            return RefusedError("too_much", f"{name} is closed, since {result}")
        what = f"{name} is lost, since attaching its words failed ({failure_of(result)})"
        return RefusedError("lost", f"{what}: open it again", temporary=True)

    # --- progress ------------------------------------------------------------------------------------------

    def _take_places(self, job: Attach, progress: Progress) -> None:
        """Update the sentences, their positions, and which of them have certainly ended."""
        sentences, self.intake.attaching = self._sentences, None
        sentences.waiting = progress.waiting
        for splice in progress.splices:
            if splice.removed or splice.added:
                self._splice(splice)
        for move in sentences.move(progress):
            self.outbox.tell_move(move)
        sentences.version = job.version
        self.outbox.answers += self.intake.taken_versions(job.version)
        for sentence in sentences.make_firm(progress):
            self.work.tell(sentence)
        held = self._pauses.held
        if job.edits and held is not None and held.number != progress.typed:
            self._release(job.since)

    def _splice(self, splice: Splice) -> None:
        gone = self._sentences.splice(splice)
        self.work.drop(gone)
        self.outbox.tell_splice(splice, gone)

    def _recommit(self, sentence: OpenSentence, attached: Attached, job: Attach) -> None:
        """Update a sentence with the same words but other steps, or other positions."""
        is_rebuilt = attached.number in [rebuild.number for rebuild in job.rebuilds]
        if is_rebuilt or sentence.attached is None or attached.steps != sentence.attached.steps:
            sentence.recommit(attached, is_rebuilt)
            self.work.ask_steps(sentence)
        else:
            sentence.move(attached.words)
        self.work.tell(sentence)

    def _go_on(self, awaits_pause: bool, now: float) -> None:
        """Continue what waited for words to be attached."""
        self._pauses.awaits_pause = awaits_pause
        if not self._pauses.is_typing:
            self._take_pause(now)
        if self.work.has_deadlines:
            self.work.cut_late(now)
        if self._requests.waiting:
            self._answer_requests()

    def _take_pause(self, now: float) -> None:
        """Treat the last word as complete, and the last sentence as whole, since typing has paused."""
        self._pauses.begins_at = None
        held = self._pauses.held
        self._pauses.awaits_pause |= held is not None and held.retyped is not None
        self._release(now)
        if self._pauses.awaits_pause and not self.intake.edits:
            self._pauses.awaits_pause = False
            self.intake.pause()

    def _release(self, since: float) -> None:
        self._pauses.release(since, self.work.options.time_limit)

    def _answer_requests(self) -> None:
        """Carry out the requests whose sentences are attached now."""
        if self.intake.has_edits:
            return
        for request in self._requests.taken(self._sentences, self.version):
            try:
                check_version(request, self.version)
                self.work.ask_steps(carry_out(request, self._sentences))
            except RefusedError as refused:
                self._notices.refuse(refused, self.name, request.version)


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
