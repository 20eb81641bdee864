"""What a session knows of one sentence: the best analysis so far, what comes next, and what is promised."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored, Snapshot
from treewhile.incremental.search import Conflict, SearchRequest, SearchResult
from treewhile.incremental.sessions.document_parses import Attached, common_length
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.followed_steps import FollowedSteps
from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import AnalysisMessage, Level, Prediction, Stage
from treewhile.incremental.sessions.next_steps import Chances, Question
from treewhile.incremental.sessions.options import Settings
from treewhile.incremental.sessions.stability import closed_length, preference, stable_length
from treewhile.incremental.sessions.standing_trees import (
    Judged,
    carried,
    completed,
    first_words,
    joined,
    still_told,
    with_corrections,
)

# The best parse of this many words takes some 50 ms, and the time grows with the cube.
LONGEST_RESCORED: Final = 400


# So long is a search that was told to stop waited for, in seconds; it takes a hundredth of that.
GRACE: Final = 0.1


class Sent(NamedTuple):
    """What was said of a sentence last, and what that was made from."""

    message: AnalysisMessage
    words: SentenceWords
    judged: Judged
    prediction: Prediction


class OpenSentence:
    """A sentence from its first words on; `revision` counts how often its words changed."""

    __slots__ = (
        "attached",
        "best",
        "conflicts",
        "cut_short",
        "deadline",
        "firm",
        "is_firm",
        "is_held",
        "judged",
        "levels",
        "number",
        "parsed",
        "preferred",
        "promised",
        "rescored",
        "revision",
        "running",
        "score",
        "searching",
        "sent",
        "since",
        "stage",
        "steps",
        "todo",
        "unfinished",
        "version",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.revision = 0
        self.version = 0  # of the document, when the words changed last
        self.attached: Attached | None = None
        self.judged: Judged = (NOTHING, ())  # what is shown
        self.best: Judged = (NOTHING, ())  # of L1 or L2, of the first words at least
        self.parsed = NOTHING  # what L1 has said last
        self.rescored: Rescored | None = None  # while a search may need it, as what was preferred then
        self.preferred = NO_PREFERENCE
        self.stage: Stage = "initial"
        self.levels: tuple[Level, ...] = ("L0",)
        self.score: float | None = None
        self.conflicts: tuple[Conflict, ...] = ()
        self.promised = 0  # so many first words do not change any more
        self.firm = 0  # so many first words, and their places in the sentence, are certain
        self.is_firm = False  # the sentence has ended for certain
        self.cut_short = False
        self.is_held = False  # refinements wait until a word ends that is being typed
        self.todo: Level | None = None
        self.running: Job | None = None  # what is done of it
        self.searching: Job | None = None  # the last search, until it comes back
        self.unfinished: object | None = None  # what a search that was told to stop can go on with
        self.since = 0.0
        self.deadline: float | None = None
        self.sent: Sent | None = None
        self.steps = FollowedSteps()

    @property
    def forms(self) -> tuple[str, ...]:
        return self.attached.words.forms if self.attached else ()

    @property
    def stable_upto(self) -> int:
        return len(self.forms) if self.stage == "final" else self.promised

    @property
    def is_whole(self) -> bool:
        """Whether it is analysed as a whole one."""
        return self.attached is not None and self.attached.is_closed

    @property
    def own_steps(self) -> bytes:
        """The steps that the parser has taken by itself."""
        return self.attached.steps if self.attached else b""

    @property
    def followed_steps(self) -> bytes:
        """Those that have led to the configuration that is followed."""
        return self.own_steps if self.steps.by_hand is None else self.steps.by_hand

    @property
    def snapshot(self) -> Snapshot:
        assert self.attached is not None
        return self.attached.snapshot

    @property
    def may_refine(self) -> bool:
        """Whether a job for the next level can be handed out: one search at a time, even a late one."""
        is_free = not self.running and not (self.todo == "L2" and self.searching)
        return bool(self.todo) and is_free and not self.is_held

    @property
    def is_busy(self) -> bool:
        return bool(self.todo) or self.steps.wanted

    # --- words ---------------------------------------------------------------------------------------------

    def attach(self, attached: Attached, settings: Settings, is_typed: bool = False) -> int:
        """Goes on with other words, or with an end; says how many of them are new.

        While one of its words is being typed, arcs stand still and nothing is refined.
        """
        kept = common_length(self.forms, attached.words.forms)
        if attached.is_closed and not settings.keep_promises:
            self.promised = 0
        elif kept < self.promised:
            self.promised = closed_length(self.judged[0], kept)
        self.best = first_words(self.best, min(kept, len(self.best[1])))
        self.steps.change_words(kept, len(self.forms), len(attached.words.forms))
        self.attached, self.rescored, self.unfinished = attached, None, None
        self.is_held = is_typed
        self.revision += 1
        self.interrupt()
        self.begin(settings)
        return len(attached.words.forms) - kept

    def begin(self, settings: Settings) -> None:
        """Shows what is known at once; all levels lie ahead."""
        attached = self.attached
        assert attached is not None
        self.stage, self.levels, self.score, self.cut_short = "initial", ("L0",), None, False
        self.todo = "L1" if "L1" in settings.levels and len(self.forms) <= LONGEST_RESCORED else None
        self.is_held = self.is_held and self.todo is not None
        self._show((attached.at_once, attached.confidences))
        if self.todo is None:
            self._promise(settings)
            self.settle()
        elif settings.time_limit == 0:
            self.cut()

    def _show(self, at_once: Judged) -> None:
        """What is known at once, and those conflicts that are still about it."""
        before = self.judged
        if self.is_held:
            self.judged = carried(before, at_once)
        else:
            goes_on = self.todo is not None and len(self.best[1]) >= self.promised
            known = self.best if goes_on else first_words(before, self.promised)
            self.judged = joined(known, at_once)
        attached = self.attached
        if attached and attached.is_closed and self.judged[0] is not attached.at_once:
            self.judged = completed(self.judged, attached.at_once, attached.root_label)
        self.conflicts = still_told(self.conflicts, before[0], self.judged[0])

    def move(self, words: SentenceWords) -> None:
        """Takes other places of the same words."""
        assert self.attached is not None
        self.attached = self.attached._replace(words=words)

    def release(self, since: float, limit: float | None) -> None:
        """The word that was being typed has ended, or waits: refinements begin."""
        self.is_held, self.since = False, since
        self.deadline = None if limit is None else since + limit

    def is_attached_to(self, attached: Attached) -> bool:
        """Whether it has these words already, and as open or closed."""
        mine = self.attached
        return mine is not None and (mine.words.forms, mine.is_closed) == (
            attached.words.forms,
            attached.is_closed,
        )

    def change_settings(self, before: Settings, after: Settings) -> None:
        """Begins anew if other levels or times are asked for and the words are still at hand."""
        others = (before.levels, before.time_limit) != (after.levels, after.time_limit)
        if others and self.attached is not None and len(self.snapshot.tops):
            self.interrupt()
            self.begin(after)
        self.steps.wanted |= after.tells_steps

    def search_too(self, settings: Settings) -> bool:
        """Goes on to the search if this was settled without one, and has no time limit; whether it does."""
        was_searched = self.levels != ("L0", "L1") or "L2" not in settings.levels
        if self.stage != "settled" or was_searched or self.deadline is not None:
            return False
        self.stage, self.todo = "improved", "L1"  # again, since its probabilities are not kept
        return True

    def recommit(self, attached: Attached, is_rebuilt: bool) -> None:
        """Goes on with other steps for the same words."""
        self.attached = attached
        self.steps.is_rebuilt = is_rebuilt

    def make_firm(self, firm: int, is_firm: bool) -> bool:
        """Takes what is certain now; whether that makes final what was done before, or no longer so."""
        self.firm, self.is_firm = firm, is_firm
        if self.stage == "final" and not is_firm:
            self.stage = "settled"
            return True
        if self.attached is None or self.todo or self.stage == "final" or not is_firm:
            return False
        return self._settle_or_cut()

    # --- refinements ---------------------------------------------------------------------------------------

    def preference(self, settings: Settings) -> Preference:
        """What the next parse should keep of what is shown; nothing of it where promises have ended."""
        if self.is_whole and not settings.keep_promises:
            return NO_PREFERENCE
        return preference(self.judged[0], self.promised, self.best[0], settings.stability)

    def search_request(self) -> SearchRequest:
        """What a search takes."""
        assert self.attached is not None
        assert self.rescored is not None
        fixed = preference(self.judged[0], self.promised, self.best[0], 0.0).fixed
        attached = self.attached
        return SearchRequest(
            self.rescored,
            attached.at_once,
            not attached.is_closed,
            self.best[0],
            fixed,
            self.preferred,
            self.unfinished,
        )

    def take_rescored(self, rescored: Rescored, settings: Settings, has_searcher: bool) -> None:
        """The result of L1."""
        said, shown_before = (rescored.analysis, rescored.confidences), self.judged[0]
        self.judged = said
        self._promise(settings)
        goes_on = has_searcher and "L2" in settings.levels
        if goes_on and not self.is_whole:
            shown = with_corrections(said[0], self.parsed, self.best[0], self.promised)
            self.judged = shown, rescored.confidences_of(shown)
        self.conflicts = still_told(self.conflicts, shown_before, self.judged[0])
        self.best, self.parsed = said, said[0]
        self.score, self.levels = rescored.score, ("L0", "L1")
        self.steps.chances = Chances(rescored.chances) if settings.tells_steps and not self.is_whole else None
        if goes_on:
            self.stage, self.rescored, self.todo, self.unfinished = "improved", rescored, "L2", None
        else:
            self.settle()

    def question(self, model: Model, settings: Settings) -> Question:
        """What is to be asked about its steps."""
        steps = self.steps
        return Question(
            self.followed_steps,
            self.judged[0],
            not self.is_whole,
            steps.gold,
            self._chances(model),
            steps.wants_plan or settings.tells_plans,
            settings.prediction,
            settings.drift if steps.follows_best and steps.may_rebuild else None,
        )

    def _chances(self, model: Model) -> Chances | None:
        """What L1 says of an open sentence, made again if it is not at hand."""
        if self.is_whole or self.steps.gold is not None or "L1" not in self.levels:
            return None
        if self.steps.chances is None and self.rescored is not None:
            self.steps.chances = Chances(self.rescored.chances)
        elif self.steps.chances is None:
            snapshot, preferred = self.snapshot, self.preferred
            self.steps.chances = Chances(lambda: model.rescore(snapshot, preferred).chances())
        return self.steps.chances

    def take_found(self, result: SearchResult | None, settings: Settings) -> bool:
        """The result of L2; whether it tells something new."""
        before = self.judged[0], self.score, self.conflicts, self.stage, self.todo
        if result is not None:
            self._take_better(result, settings)
        if result is not None and result.is_settled:
            self.cut_short = False
            self.settle()
        elif self.cut_short:
            self._settle_or_cut()
        return before != (self.judged[0], self.score, self.conflicts, self.stage, self.todo)

    def _take_better(self, result: SearchResult, settings: Settings) -> None:
        assert self.rescored is not None
        promised = self.promised
        if "L2" not in self.levels or self.score is None or result.score >= self.score:
            self.best = self.judged = result.analysis, self.rescored.confidences_of(result.analysis)
            self.score, self.conflicts, self.levels = result.score, result.conflicts, ("L0", "L1", "L2")
            self._promise(settings)
        self.unfinished = result.unfinished if self.promised == promised else None

    def breaks_promise(self, analysis: Analysis) -> bool:
        """Whether an analysis is not one of these words, or changes what does not change any more."""
        kept, promised = self.judged[0], slice(self.promised)
        return (
            analysis.words != self.forms
            or analysis.heads[promised] != kept.heads[promised]
            or analysis.labels[promised] != kept.labels[promised]
        )

    def cut(self, now: float = 0.0) -> bool:
        """Time ran out. A search is waited for, since it gives what it has; whether nothing is."""
        self.cut_short = True
        if (
            self.todo == "L2"
            and self.running
            and not self.running.interrupt.is_set
            and self.deadline is not None
        ):
            self.running.interrupt.set()
            self.deadline += GRACE
            return False
        self.interrupt()
        self._settle_or_cut()
        return True

    def hand_back(self, job: Job) -> None:
        """A job has come back, whatever it gives."""
        if job is self.running:
            self.running = None
        if job is self.searching:
            self.searching = None
        if job is self.steps.running:
            self.steps.running = None

    def interrupt(self) -> None:
        """What is being done should stop; it may start again."""
        if self.running:
            self.running.interrupt.set()
            self.running = None

    def _promise(self, settings: Settings) -> None:
        self.promised = max(self.promised, stable_length(*self.judged, self.firm, settings.stability))

    def settle(self) -> None:
        """Nothing improves any more."""
        self.stage = "settled"
        if "L2" not in self.levels:
            self.conflicts = ()
        self._settle_or_cut()

    def _settle_or_cut(self) -> bool:
        """Nothing more is done. Whether that is the end."""
        self.todo = self.rescored = self.unfinished = None
        if self.attached is None or not self.attached.is_closed or not self.is_firm:
            return False
        self.stage = "final"
        self.attached = self.attached._replace(snapshot=self.snapshot._replace(tops=NO_TOPS))
        return True


NOTHING: Final = Analysis((), (), (), (), ())
NO_TOPS: Final = np.empty((0, 0), np.float32)
