"""What a session knows of one document: its versions, its sentences, what waits to be done and to be said."""

from __future__ import annotations

from typing import Final, NamedTuple

from treewhile.incremental.sessions.analysis_views import conflict_views, virtual_views, word_views
from treewhile.incremental.sessions.document_content import DocumentContent
from treewhile.incremental.sessions.document_edits import DocumentEdit, Splice, TextEdited, TypingPaused
from treewhile.incremental.sessions.document_parses import Attached, DocumentParses, Progress, Rebuild
from treewhile.incremental.sessions.jobs import Attach, Clock
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    AskSteps,
    Gold,
    MovedMessage,
    OptionChanges,
    Request,
    SentencesMessage,
    Step,
    Undo,
    delta_of,
)
from treewhile.incremental.sessions.open_sentences import OpenSentence, Sent
from treewhile.incremental.sessions.options import Settings
from treewhile.incremental.sessions.refusals import RefusedError
from treewhile.incremental.sessions.steps_messages import message_of
from treewhile.oracles.errors import InputError

MOST_REQUESTS: Final = 64  # that wait at a time
PAUSE: Final = 0.25  # seconds without an edit, after which nobody is typing


class Move(NamedTuple):
    """Sentence `place` and those behind it stand so many words and units further back."""

    place: int
    words: int
    units: int


class OpenDocument:
    """A document from its opening on."""

    def __init__(
        self,
        name: str,
        version: int,
        content: DocumentContent,
        settings: Settings,
        parses: DocumentParses,
    ) -> None:
        self.name, self.version, self.content = name, version, content
        self.settings = settings
        self.sentences: list[OpenSentence] = []
        self._numbered: dict[int, OpenSentence] = {}
        self._places: dict[int, int] = {}  # of sentences, by their numbers
        self._busy: dict[int, OpenSentence] = {}  # those with something to do, and maybe others
        self._has_deadlines = False  # whether any sentence ever had one
        self.requests: list[Request] = []  # that wait for their sentence
        # what is to be done
        self._parses = parses
        self.edits: list[DocumentEdit] = []
        self.rebuilds: dict[int, Rebuild] = {}
        self.attaching: Attach | None = None
        self._risk = settings.risk  # by which the sentences are parsed, or are about to be
        self.edited_at: float | None = None  # when the first edit came that no job has taken yet
        self._pause_at: float | None = None  # when nobody is typing any more, unless more comes
        self._held: OpenSentence | None = None  # that waits for the end of the word that is being typed
        self._awaits_pause = False  # whether the last sentence would be a whole one then
        # as of the version that was attached last
        self.attached_version = version
        self.waiting: frozenset[int] = frozenset()
        self._begins: list[tuple[int, int] | None] = []  # of sentences: the first word, and where it starts
        self._firm = 0  # so many first sentences have ended for certain
        # what is to be said
        self._unanswered: list[int] = []  # versions
        self._answers: list[int] = []  # versions whose answer goes with the next message
        self._changes: list[Splice | Move] = []
        self._sentence_count = 0  # that have ever come
        self._news: dict[int, OpenSentence] = {}
        self._steps_news: dict[int, OpenSentence] = {}
        self._number = 0

    # --- edits ---------------------------------------------------------------------------------------------

    def edit(self, edit: DocumentEdit, version: int, now: float) -> None:
        """An edit that was checked makes a new version."""
        self.edits.append(edit)
        self.version = version
        self._unanswered.append(version)
        if self.edited_at is None:
            self.edited_at = now
        if isinstance(edit, TextEdited):
            self._pause_at = now + PAUSE
        self.interrupt()

    # --- what has been attached ----------------------------------------------------------------------------

    def attach_job(self, now: float, clock: Clock | None) -> Attach | None:
        """The next work on the words of this document, if there is any and none is being done."""
        risk, is_other = self.settings.risk, self.settings.risk != self._risk
        if self.attaching or not (self.edits or self.waiting or self.rebuilds or is_other):
            return None
        since = now if self.edited_at is None else self.edited_at
        edits, rebuilds = self.edits, [*self.rebuilds.values()]
        self.attaching = Attach(self.name, self.version, clock, self._parses, edits, rebuilds, risk, since)
        self.edits, self.edited_at, self.rebuilds, self._risk = [], None, {}, risk
        return self.attaching

    def ready(self) -> list[OpenSentence]:
        """The sentences with something to do, those that were changed last before others."""
        if not self._busy or self.edits or (self.attaching and self.attaching.edits):
            return []
        for number in [number for number, one in self._busy.items() if not one.is_busy]:
            del self._busy[number]
        found = [one for number, one in self._busy.items() if number not in self.waiting]
        return sorted(found, key=lambda sentence: -sentence.version) if len(found) > 1 else found

    def has(self, sentence: OpenSentence) -> bool:
        """Whether what is known of a sentence is about its present words."""
        return sentence.number in self._numbered and sentence.number not in self.waiting

    def rebuild(self, sentence: OpenSentence) -> None:
        """The parser's own steps have drifted from the best analysis."""
        sentence.steps.may_rebuild = False
        self.rebuilds[sentence.number] = Rebuild(sentence.number, sentence.judged[0])

    def interrupt(self) -> None:
        """All that is being done should stop."""
        if self.attaching:
            self.attaching.interrupt.set()
        for sentence in self._busy.values():
            sentence.interrupt()

    @property
    def next_deadline(self) -> float | None:
        """When time runs out for the next sentence, or nobody is typing any more."""
        if not self._has_deadlines:
            return self._pause_at
        times = [self._pause_at, *(one.deadline for one in self._busy.values() if one.todo)]
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: float) -> None:
        """Goes on with what waited for a pause, and cuts work short whose time is up."""
        if self._pause_at is not None and self._pause_at <= now:
            self._pause_at = None
            self._take_pause(now)
        if not self._has_deadlines:
            return
        for sentence in self._busy.values():
            is_late = sentence.todo and sentence.deadline is not None and sentence.deadline <= now
            if is_late and sentence.cut(now):
                self.tell(sentence)

    def _take_pause(self, now: float) -> None:
        """Nobody is typing: words are taken for complete ones, and the last sentence for a whole one."""
        self._release(now)
        if self._awaits_pause and not self.edits:
            self._awaits_pause = False
            self.edits.append(TypingPaused())

    def _release(self, now: float) -> None:
        held, self._held = self._held, None
        if held is not None and held.is_held:
            held.release(now, self.settings.time_limit)

    # --- requests ------------------------------------------------------------------------------------------

    def check_version(self, request: Request) -> None:
        """Refuses a request about another version than the present one."""
        if request.version != self.version:
            what = f"sentence {request.sentence} of version {request.version} is asked about"
            raise RefusedError(
                "old_version", f"{what}, but the version is {self.version}: ask again", temporary=True
            )

    def ask(self, request: Request) -> None:
        """A request waits until its sentence is there."""
        if len(self.requests) >= MOST_REQUESTS:
            what = f"{MOST_REQUESTS} requests wait for their sentences already"
            raise RefusedError("too_much", f"{what}: ask again later", temporary=True)
        self.requests.append(request)

    def take_requests(self) -> list[Request]:
        """Those that can be answered, once: their sentence is there, or is known not to be."""
        if not self.requests or self.edits or (self.attaching and self.attaching.edits):
            return []
        early = [one for one in self.requests if self._waits(one)]
        due = [one for one in self.requests if not self._waits(one)]
        self.requests = early
        return due

    def _waits(self, request: Request) -> bool:
        is_there = request.version == self.version and request.sentence < len(self.sentences)
        return is_there and self.sentences[request.sentence].number in self.waiting

    def carry_out(self, request: Request) -> None:
        """What a request asks for."""
        self.check_version(request)
        if request.sentence >= len(self.sentences):
            what = f"there is no sentence {request.sentence}"
            raise RefusedError(
                "unknown_sentence", f"{what}: the document has {len(self.sentences)}, counted from 0"
            )
        sentence = self.sentences[request.sentence]
        steps, own, n = sentence.steps, sentence.own_steps, len(sentence.forms)
        try:
            if isinstance(request, Gold):
                steps.set_gold(request.heads, n)
            elif isinstance(request, Step):
                steps.step(request.step, own, n, not sentence.is_whole)
            elif isinstance(request, Undo):
                steps.undo(own)
            elif isinstance(request, AskSteps):
                steps.wants_plan |= request.plan
        except InputError as error:
            raise RefusedError("bad_gold" if isinstance(request, Gold) else "bad_step", str(error)) from None
        self.ask_steps(sentence)

    def ask_steps(self, sentence: OpenSentence) -> None:
        """The next steps are wanted, if the sentence is still there."""
        if sentence.number in self._numbered:
            sentence.steps.wanted = True
            self._busy[sentence.number] = sentence

    def change_settings(self, changes: OptionChanges) -> None:
        """Other options, from now on; sentences begin anew where that matters to them."""
        before, self.settings = self.settings, self.settings.changed(changes)
        for sentence in self.sentences:
            sentence.change_settings(before, self.settings)
            self._busy[sentence.number] = sentence
        self.tell_all()

    def search_too(self) -> None:
        """There is a search now: what was settled without it goes on."""
        for sentence in self.sentences:
            if sentence.search_too(self.settings):
                self._busy[sentence.number] = sentence

    # --- progress ------------------------------------------------------------------------------------------

    def take_progress(self, job: Attach, progress: Progress, now: float) -> None:
        """Goes on from what a job has attached."""
        self.attaching, self.waiting = None, progress.waiting
        for splice in progress.splices:
            self._splice(splice)
        self._take_places(progress)
        self._take_version(job.version)
        self._tell_what_is_firm(progress)
        if job.edits and self._held is not None and self._held.number != progress.typed:
            self._release(job.since)
        rebuilt = {rebuild.number for rebuild in job.rebuilds}
        for attached in progress.attached:
            self._take_attached(attached, job.since, attached.number in rebuilt, progress.typed)
        self._awaits_pause = progress.awaits_pause
        if self._pause_at is None:
            self._take_pause(now)

    def _take_attached(self, attached: Attached, since: float, is_rebuilt: bool, typed: int | None) -> None:
        sentence = self._numbered[attached.number]
        if not sentence.is_attached_to(attached):
            self._attach(sentence, attached, since, attached.number == typed)
        elif is_rebuilt or attached.steps != sentence.own_steps:
            sentence.recommit(attached, is_rebuilt)
            self.tell(sentence)
            self.ask_steps(sentence)
        else:
            sentence.move(attached.words)
            self.tell(sentence)

    def _take_places(self, progress: Progress) -> None:
        """Takes where sentences begin now, and notes which ones have moved."""
        before = self._begins
        begins = [*zip([0, *progress.ends[:-1]], progress.starts, strict=False)]
        self._begins = [*begins]
        if before == begins:
            return
        words = units = 0
        for place, (old, new) in enumerate(zip(before, begins, strict=True)):
            if old is None or (new[0] - old[0], new[1] - old[1]) == (words, units):
                continue
            moved_words, moved_units = new[0] - old[0], new[1] - old[1]
            self._note_move(place, moved_words - words, moved_units - units)
            words, units = moved_words, moved_units

    def _note_move(self, place: int, words: int, units: int) -> None:
        """A sentence and those behind it have moved, maybe again."""
        last = self._changes[-1] if self._changes else None
        if isinstance(last, Move) and last.place == place:
            words, units = words + last.words, units + last.units
            self._changes.pop()
        self._changes.append(Move(place, words, units))

    def _splice(self, splice: Splice) -> None:
        if not splice.changes_count:
            return
        at = splice.place
        for sentence in self.sentences[at : at + splice.removed]:
            sentence.interrupt()
            for known in (self._numbered, self._places, self._busy, self._news, self._steps_news):
                known.pop(sentence.number, None)
        new = [OpenSentence(self._sentence_count + more) for more in range(1, splice.added + 1)]
        self._sentence_count += splice.added
        self.sentences[at : at + splice.removed] = new
        self._begins[at : at + splice.removed] = [None] * len(new)
        self._numbered |= {sentence.number: sentence for sentence in new}
        self._places |= {sentence.number: place for place, sentence in enumerate(self.sentences[at:], at)}
        self._changes.append(splice)

    def _take_version(self, version: int) -> None:
        self.attached_version = version
        self._answers += [older for older in self._unanswered if older <= version]
        self._unanswered = [newer for newer in self._unanswered if newer > version]

    def _tell_what_is_firm(self, progress: Progress) -> None:
        ends, last = progress.ends, len(progress.ends) - 1
        first = self._first_not_firm(progress)
        start = ends[first - 1] if first else 0
        for place, end in enumerate(ends[first:], first):
            sentence, has_ended = self.sentences[place], place < last or progress.is_finished
            is_firm = has_ended and end <= progress.firm
            if sentence.make_firm(max(0, min(progress.firm, end) - start), is_firm):
                self.tell(sentence)
            self._firm = place + 1 if is_firm and place == self._firm else self._firm
            start = end

    def _first_not_firm(self, progress: Progress) -> int:
        """The first sentence that may have become firm, or be so no longer; those before are as they were."""
        changed = [splice.first - 1 for splice in progress.splices if splice.kept or splice.changes_count]
        first = max(0, min([self._firm, len(progress.ends) - 1, *changed]))
        while first and progress.ends[first - 1] > progress.firm:
            first -= 1
        self._firm = first
        return first

    def _attach(self, sentence: OpenSentence, attached: Attached, since: float, is_typed: bool) -> None:
        new_words = sentence.attach(attached, self.settings, is_typed and self._pause_at is not None)
        limit = self.settings.time_limit
        if sentence.is_held:
            self._held, limit = sentence, None
        sentence.since, sentence.version = since, self.attached_version
        self._busy[sentence.number] = sentence
        if self.settings.tells_steps:
            self.ask_steps(sentence)
        sentence.deadline = None if limit is None else since + limit * max(1, new_words)
        self._has_deadlines |= limit is not None
        self.tell(sentence)

    # --- what is to be said --------------------------------------------------------------------------------

    def tell(self, sentence: OpenSentence) -> None:
        """There is something new of a sentence."""
        self._news[sentence.number] = sentence
        if self.settings.tells_steps and sentence.steps.gold is None:
            self.ask_steps(sentence)

    def tell_steps(self, sentence: OpenSentence) -> None:
        """There is an answer about the steps of a sentence."""
        self._steps_news[sentence.number] = sentence

    def tell_all(self, in_full: bool = False) -> None:
        """All analyses are to be sent again."""
        for sentence in self.sentences:
            if sentence.attached:
                sentence.sent = None if in_full else sentence.sent
                self.tell(sentence)

    def all_versions(self) -> list[int]:
        """The versions that have had no answer."""
        return self._answers + self._unanswered

    @property
    def has_news(self) -> bool:
        """Whether there may be something to say; what waits for words to be attached is said after that."""
        return bool(self._news or self._changes or self._answers or self._steps_news)

    def messages(self, now: float, words: float) -> tuple[list[AnyMessage], int]:
        """What is new, once: how sentences have come and gone, then the newest of each.

        Sentences of more than so many words are left for another time; with how many words were told.
        """
        messages: list[AnyMessage] = [self._change_message(change) for change in self._changes]
        self._changes = []
        if not (self._news or self._steps_news or self._answers):
            return messages, 0
        news = self._take_news(words)
        messages += [self._analysis_message(one, self._places[one.number], now) for one in news]
        messages += [
            message_of(sentence.steps, self.name, self.attached_version, self._places[number])
            for number, sentence in self._steps_news.items()
        ]
        self._steps_news = {}
        if self._answers and not self.waiting:
            count = len(self.sentences)
            messages.append(self._sentences_message(self._take_answers(), Splice(count, 0, 0, 0, count)))
        return messages, sum(len(sentence.forms) for sentence in news)

    def _take_news(self, words: float) -> list[OpenSentence]:
        """The first sentences of which something is new, up to so many words and a sentence beyond."""
        if "analyses" not in self.settings.streams:
            self._news = {}
        taken: list[OpenSentence] = []
        while self._news and words > 0:
            number = next(iter(self._news))
            sentence = self._news.pop(number)
            if number not in self.waiting:
                taken.append(sentence)
                words -= max(1, len(sentence.forms))
        return taken

    def drop_news(self) -> None:
        """Forgets what there was to say."""
        self._answers, self._changes, self._news, self._steps_news = [], [], {}, {}

    def _change_message(self, change: Splice | Move) -> AnyMessage:
        if isinstance(change, Move):
            return MovedMessage(self.name, self.attached_version, *change)
        return self._sentences_message([], change)

    def _sentences_message(self, answers: list[int], splice: Splice) -> SentencesMessage:
        at, removed, added, count = splice.place, splice.removed, splice.added, splice.in_all
        return SentencesMessage(self.name, self.attached_version, answers, at, removed, added, count)

    def _take_answers(self) -> list[int]:
        answers, self._answers = self._answers, []
        return answers

    def _analysis_message(self, sentence: OpenSentence, place: int, now: float) -> AnyMessage:
        self._number += 1
        prediction, attached, begin = self.settings.prediction, sentence.attached, self._begins[place]
        assert attached is not None
        assert begin is not None
        full = AnalysisMessage(
            document=self.name,
            version=self.attached_version,
            number=self._number,
            answers=self._take_answers(),
            sentence=place,
            first_word=begin[0],
            start=begin[1],
            stage=sentence.stage,
            levels=[*sentence.levels],
            words=word_views(sentence, prediction),
            virtual=virtual_views(sentence, prediction),
            conflicts=conflict_views(sentence),
            stable_upto=sentence.stable_upto,
            score=sentence.score,
            seconds=round(now - sentence.since, 6),
            cut_short=sentence.cut_short,
            whole=sentence.is_whole,
        )
        before = sentence.sent
        sentence.sent = Sent(full, attached.words, sentence.judged, prediction)
        return full if before is None else delta_of(before.message, full) or full
