"""Work on single sentences once their words are attached: requests, refinements, next steps, deadlines."""

from __future__ import annotations

from collections.abc import Collection

from treewhile.incremental.parsers.corrections import Corrections
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference, Rescored
from treewhile.incremental.search import Explainer, Searcher, SearchRequest, SearchResult
from treewhile.incremental.sessions.document_edits import TYPED_WORDS
from treewhile.incremental.sessions.document_parses import Rebuild
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.jobs import Follow, Job, Rescore, Search, Tools, Weigh
from treewhile.incremental.sessions.messages import (
    MOST_REQUESTS,
    AskSteps,
    Gold,
    RefusedError,
    Request,
    Step,
    Undo,
)
from treewhile.incremental.sessions.next_steps import Chances, NextSteps, Question, StepFollower
from treewhile.incremental.sessions.open_sentences import AttachedSentences, OpenSentence
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.outbox import Outbox
from treewhile.oracles.errors import InputError
from treewhile.oracles.trees.class_names import PROJECTIVE


class Requests:
    """Waiting requests about one document."""

    def __init__(self) -> None:
        self.waiting: list[Request] = []

    def add(self, request: Request) -> None:
        """Add a request. RefusedError if there are too many."""
        if len(self.waiting) >= MOST_REQUESTS:
            what = f"{MOST_REQUESTS} requests wait for their sentences already"
            raise RefusedError("too_much", f"{what}: ask again later", temporary=True)
        self.waiting.append(request)

    def taken(self, sentences: AttachedSentences, version: int) -> list[Request]:
        """Return, once, the requests that can be answered: their sentence is attached, or does not exist."""
        if not self.waiting:
            return []
        early = [one for one in self.waiting if _waits(one, sentences, version)]
        due = [one for one in self.waiting if one not in early]
        self.waiting = early
        return due


def _waits(request: Request, sentences: AttachedSentences, version: int) -> bool:
    is_there = request.version == version and request.sentence < len(sentences.in_order)
    return is_there and sentences.in_order[request.sentence].number in sentences.waiting


def check_version(request: Request, version: int) -> None:
    """Refuse a request about another version than the current one."""
    if request.version != version:
        what = f"sentence {request.sentence} of version {request.version} is asked about"
        raise RefusedError("old_version", f"{what}, but the version is {version}: ask again", temporary=True)


def sentence_asked(request: Request, sentences: AttachedSentences) -> OpenSentence:
    """Return the sentence that a request is about."""
    if request.sentence >= len(sentences.in_order):
        what = f"there is no sentence {request.sentence}"
        raise RefusedError(
            "unknown_sentence", f"{what}: the document has {len(sentences.in_order)}, counted from 0"
        )
    return sentences.in_order[request.sentence]


def carry_out(request: Request, sentence: OpenSentence) -> None:
    """Apply a request to its sentence, whose next steps are wanted then."""
    steps, own, n = sentence.steps, sentence.own_steps, len(sentence.forms)
    try:
        if isinstance(request, Gold):
            steps.set_gold(request.heads, n)
        elif isinstance(request, Step):
            steps.step(request.step, own, n, not sentence.is_whole)
        elif isinstance(request, Undo) and request.all:
            steps.give_back()
        elif isinstance(request, Undo):
            steps.undo(own)
        elif isinstance(request, AskSteps):
            steps.wants_plan |= request.plan
    except InputError as error:
        raise RefusedError("bad_gold" if isinstance(request, Gold) else "bad_step", str(error)) from None


class SentenceWork:
    """Sentences of a document that have work to do, their jobs, and the results."""

    __slots__ = (
        "_busy",
        "_in_flight",
        "_intake",
        "_name",
        "_outbox",
        "_sentences",
        "_tools",
        "awaits_grammar",
        "has_deadlines",
        "options",
    )

    def __init__(
        self,
        name: str,
        tools: Tools,
        options: DocumentOptions,
        sentences: AttachedSentences,
        intake: Intake,
        outbox: Outbox,
    ) -> None:
        self._name, self._tools, self.options = name, tools, options
        self._sentences, self._intake, self._outbox = sentences, intake, outbox
        self._busy: dict[int, OpenSentence] = {}  # sentences with work to do, and possibly others
        self._in_flight: dict[Job, tuple[OpenSentence, int]] = {}  # with the revision of their words
        self.awaits_grammar = False  # whether searches wait for another searcher
        self.has_deadlines = False  # whether any sentence ever had a deadline

    # --- what makes work -----------------------------------------------------------------------------------

    def begin(self, sentence: OpenSentence, since: float, new_words: int, may_have_ended: bool) -> None:
        """Start work on a sentence with other words that came at `since`; no deadline while one is typed."""
        sentence.since, sentence.version = since, self._sentences.version
        self._busy[sentence.number] = sentence
        if self.options.tells_steps:
            self.ask_steps(sentence)
        has_ended = sentence.is_whole or may_have_ended
        sentence.refinement.is_awaited = has_ended and new_words <= TYPED_WORDS
        self._limit(sentence, since, max(1, new_words))
        self.tell(sentence)

    def _limit(self, sentence: OpenSentence, since: float, words: int) -> None:
        """Set the deadline of a sentence for so many new words."""
        limit = None if sentence.refinement.is_held else self.options.time_limit
        sentence.refinement.deadline = None if limit is None else since + limit * words
        self.has_deadlines |= limit is not None

    def change_options(self, options: DocumentOptions, now: float) -> None:
        """Change options, and restart sentences that they affect."""
        before, self.options = self.options, options
        wants_more = any(
            has(options) and not has(before) for has in (self._has_constituents, self._has_lemmas)
        )
        for sentence in self._sentences.in_order:
            if sentence.change_options(before, options, wants_more):
                self._limit(sentence, now, 1)
            elif wants_more:
                self._intake.anew.add(sentence.number)
            self._busy[sentence.number] = sentence
        self.tell_all()

    def use_searcher(self, searcher: Searcher | None, now: float) -> None:
        """Search all sentences anew, by another searcher, which ends promises unless they are kept."""
        if searcher is self._tools.searcher:
            return
        searched, self._tools.searcher = self._searches, searcher
        for sentence in self._sentences.in_order if searched or self._searches else ():
            if not self.options.keep_promises:
                sentence.standing.promised = 0
            self._restart(sentence, now)

    def _has_constituents(self, options: DocumentOptions) -> bool:
        """Return whether constituents are computed."""
        return options.tells_constituents and self._tools.model.has_constituents

    def _has_lemmas(self, options: DocumentOptions) -> bool:
        """Return whether lemmas are computed."""
        return options.lemmas and self._tools.model.has_lemmas

    def ask_steps(self, sentence: OpenSentence) -> None:
        """Request the next steps, if the sentence still exists."""
        if sentence.number in self._sentences.by_number:
            sentence.steps.wanted = True
            self._busy[sentence.number] = sentence

    def ask_margins(self, sentence: OpenSentence, words: Collection[int] | None) -> None:
        """Request the margins of some arcs of a sentence, or of all."""
        n = len(sentence.forms)
        strange = [word for word in words or () if not 0 < word <= n]
        if strange:
            what = f"there is no word {strange[0]}"
            raise RefusedError("unknown_word", f"{what}: the sentence has {n}, counted from 1")
        sentence.margins.ask(range(1, n + 1) if words is None else words)
        if words is not None and not words:
            self._outbox.tell_margins(sentence)
        self._busy[sentence.number] = sentence

    def correct(self, sentence: OpenSentence, corrections: Corrections, now: float) -> None:
        """Restart work on a sentence with what somebody has decided."""
        sentence.standing.correct(corrections)
        self._restart(sentence, now)

    def _restart(self, sentence: OpenSentence, now: float) -> None:
        """Restart work on a sentence with the same words."""
        if sentence.has_states:
            sentence.restart(self.options)
            self._limit(sentence, now, 1)
        else:
            self._intake.anew.add(sentence.number)
        self._busy[sentence.number] = sentence

    def tell(self, sentence: OpenSentence) -> None:
        """Queue the analysis of a sentence, and request its next steps, too, if they are sent."""
        self._outbox.tell(sentence)
        if self.options.tells_steps and sentence.steps.gold is None:
            self.ask_steps(sentence)

    def tell_all(self, in_full: bool = False) -> None:
        """Queue all analyses again."""
        self._outbox.repeat_completeness()
        for sentence in self._sentences.in_order:
            if sentence.attached:
                sentence.said = None if in_full else sentence.said
                self.tell(sentence)

    # --- what ends it --------------------------------------------------------------------------------------

    def drop(self, gone: list[OpenSentence]) -> None:
        """Stop the work on removed sentences."""
        for sentence in gone:
            sentence.refinement.stop()
            self._busy.pop(sentence.number, None)

    def give_way(self) -> None:
        """Stop searches, since the words of some sentence are about to change."""
        for sentence in self._busy.values():
            sentence.refinement.give_way()

    def stop(self) -> None:
        """Stop all refinements."""
        for sentence in self._busy.values():
            sentence.refinement.stop()

    def cut_late(self, now: float) -> None:
        """Cut work whose time is up."""
        for sentence in self._busy.values():
            if sentence.refinement.is_late(now) and not sentence.lacks_corrections and sentence.cut():
                self.tell(sentence)

    @property
    def next_deadline(self) -> float | None:
        """Time of the next deadline."""
        refinements = [sentence.refinement for sentence in self._busy.values()]
        times = [one.deadline for one in refinements if one.next_level and one.deadline is not None]
        return min(times, default=None)

    # --- jobs ----------------------------------------------------------------------------------------------

    def jobs(self, room: int) -> list[Job]:
        """Return the jobs to run, with at most `room` refinements."""
        jobs: list[Job] = []
        for sentence in self._ready():
            if sentence.steps.wanted and not sentence.steps.running:
                jobs.append(self._follow(sentence))
            if room > 0 and (weighing := self._weigh(sentence)):
                jobs.append(weighing)
                room -= 1
            if room > 0 and sentence.refinement.may_run and self._may_refine(sentence):
                jobs.append(self._refine(sentence))
                room -= 1
        return jobs

    def _may_refine(self, sentence: OpenSentence) -> bool:
        """Return whether the next level needs no searcher that is still to come."""
        return not (self.awaits_grammar and sentence.refinement.next_level == "L2")

    def _ready(self) -> list[OpenSentence]:
        """Return the sentences with work to do, the most recently changed first."""
        if not self._busy:
            return []
        for sentence in [*self._busy.values()]:
            is_at_rest = sentence.refinement.next_level is None
            if is_at_rest and not sentence.steps.wanted and not sentence.margins.wanted:
                del self._busy[sentence.number]
        found = [one for one in self._busy.values() if self._sentences.is_up_to_date(one)]
        return sorted(found, key=lambda sentence: -sentence.version) if len(found) > 1 else found

    def _follow(self, sentence: OpenSentence) -> Job:
        steps, version = sentence.steps, self._sentences.version
        steps.follower, steps.wanted = steps.follower or StepFollower(), False
        question = question_of(sentence, self._tools.model, self.options)
        steps.running = Follow(
            self._name, version, sentence.number, self._tools.clock, steps.follower, question
        )
        self._in_flight[steps.running] = sentence, sentence.revision
        return steps.running

    def _weigh(self, sentence: OpenSentence) -> Job | None:
        """Return a job for margins that are wanted and not known, once L1 has judged the words."""
        margins, standing, searcher = sentence.margins, sentence.standing, self._tools.searcher
        if not margins.wanted or margins.running or sentence.refinement.next_level == "L1":
            return None
        missing = margins.missing(standing.shown[0])
        if not missing:
            self._outbox.tell_margins(sentence)
            return None
        assert sentence.attached is not None
        explainer = searcher if isinstance(searcher, Explainer) and "L2" in standing.levels else None
        margins.running = job = Weigh(
            self._name,
            self._sentences.version,
            sentence.number,
            self._tools.clock,
            self._tools.model,
            sentence.attached.snapshot,
            Preference(corrections=standing.corrections),
            standing.shown[0],
            missing,
            explainer,
            sentence.attached.at_once,
        )
        self._in_flight[job] = sentence, sentence.revision
        return job

    def _refine(self, sentence: OpenSentence) -> Job:
        about = self._name, self._sentences.version, sentence.number, self._tools.clock
        refinement, model = sentence.refinement, self._tools.model
        if refinement.next_level == "L2":
            assert self._tools.searcher is not None
            job: Job = Search(*about, self._tools.searcher, search_request_of(sentence, self.options))
        else:
            refinement.preferred = sentence.standing.preference(self.options, sentence.is_whole)
            assert sentence.attached is not None
            snapshot = sentence.attached.snapshot._replace(
                with_constituents=self._has_constituents(self.options),
                with_lemmas=self._has_lemmas(self.options),
            )
            job = Rescore(*about, model, snapshot, refinement.preferred)
        self._in_flight[job] = sentence, sentence.revision
        return refinement.start(job)

    @property
    def _searches(self) -> bool:
        """True if best parses are followed by searches."""
        return (self._tools.searcher is not None or self.awaits_grammar) and "L2" in self.options.levels

    # --- results -------------------------------------------------------------------------------------------

    def job_done(self, job: Job, result: object) -> None:
        """Process the result of a job if its sentence is unchanged. RefusedError if it failed."""
        sentence, revision = self._in_flight.pop(job)
        is_earlier = job is sentence.refinement.earlier
        sentence.refinement.hand_back(job)
        sentence.steps.hand_back(job)
        sentence.margins.hand_back(job)
        is_current = revision == sentence.revision and self._sentences.is_up_to_date(sentence)
        if isinstance(job, Follow) and is_current:
            self._take_steps(sentence, job, result)
        elif isinstance(job, Follow):
            self.ask_steps(sentence)  # again, for the current words
        elif isinstance(job, Weigh):
            if is_current:
                self._take_margins(sentence, job, result)
        elif is_current and job.level == sentence.refinement.next_level:
            self._take_refined(sentence, job, result)
        elif is_earlier and isinstance(result, Rescored):
            sentence.take_earlier(result, self.options, self._searches)
            self.tell(sentence)

    def _take_refined(self, sentence: OpenSentence, job: Job, result: object) -> None:
        if isinstance(result, Rescored):
            sentence.take_rescored(result, self.options, self._searches)
            self.tell(sentence)
        elif result is None or (
            isinstance(result, SearchResult) and sentence.standing.allows(result.analysis)
        ):
            if sentence.take_found(result, self.options):
                self.tell(sentence)
        else:
            sentence.take_failure()
            self.tell(sentence)
            raise self._failed(job, result)

    def _take_margins(self, sentence: OpenSentence, job: Weigh, result: object) -> None:
        """Take margins of the shown analysis; those of another one, or those left, are computed next."""
        margins, shown = sentence.margins, sentence.standing.shown[0]
        if isinstance(result, list):
            if job.analysis is shown and margins.take(shown, result):
                self._outbox.tell_margins(sentence)
        elif result is not None:
            margins.give_up()
            raise self._failed(job, result)

    def _take_steps(self, sentence: OpenSentence, job: Follow, result: object) -> None:
        if not isinstance(result, NextSteps):
            sentence.steps.follower = None
            raise self._failed(job, result)
        if job.question.steps != sentence.steps.taken(sentence.own_steps):
            self.ask_steps(sentence)
            return
        sentence.steps.answer = result
        self._outbox.tell_steps(sentence)
        if result.has_drifted and sentence.steps.follows_best:
            sentence.steps.may_rebuild = False
            self._intake.rebuilds[sentence.number] = Rebuild(sentence.number, sentence.standing.shown[0])

    def _failed(self, job: Job, result: object) -> RefusedError:
        what = f"work of level {job.level} on {self._name!r:.40} failed ({failure_of(result)})"
        return RefusedError("failed", f"{what}: what was known before it stands", temporary=True)


def failure_of(result: object) -> str:
    """Return the description of a job's failure."""
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}"[:200]
    return f"it gave a {type(result).__name__} that breaks what was asked"


def search_request_of(sentence: OpenSentence, options: DocumentOptions) -> SearchRequest:
    """Return the input of a search."""
    refinement, attached = sentence.refinement, sentence.attached
    assert attached is not None
    assert refinement.rescored is not None
    return SearchRequest(
        refinement.rescored,
        attached.at_once,
        not attached.is_closed,
        sentence.standing.best[0],
        sentence.standing.fixed,
        refinement.preferred,
        refinement.unfinished,
        options.tells_constraints,
    )


def question_of(sentence: OpenSentence, model: Model, options: DocumentOptions) -> Question:
    """Return the question about its steps."""
    steps = sentence.steps
    return Question(
        steps.taken(sentence.own_steps),
        sentence.standing.shown[0],
        not sentence.is_whole,
        steps.gold,
        _chances_of(sentence, model),
        steps.wants_plan or options.tells_plans,
        options.prediction,
        options.drift if steps.follows_best and steps.may_rebuild else None,
    )


def _chances_of(sentence: OpenSentence, model: Model) -> Chances | None:
    """Return the edge probabilities of L1 for an open sentence, computed again if they are not kept."""
    steps, refinement = sentence.steps, sentence.refinement
    is_parsed = refinement.phase.stage != "initial" and "L1" in sentence.standing.levels
    if sentence.is_whole or steps.gold is not None or not is_parsed:
        return None
    if steps.chances is None and refinement.rescored is not None:
        steps.chances = Chances(refinement.rescored.chances)
    elif steps.chances is None:
        assert sentence.attached is not None
        snapshot = sentence.attached.snapshot
        quick = model.with_trees(PROJECTIVE)  # probabilities depend on scores, not on trees
        steps.chances = Chances(lambda: quick.rescore(snapshot).chances())
    return steps.chances
