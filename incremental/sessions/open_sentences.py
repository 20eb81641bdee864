"""Open sentences of a document: the state of each, and their order and positions.

A sentence has its words, the shown analysis, and its refinement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from treewhile.incremental.parsers.rescoring import Rescored
from treewhile.incremental.search import SearchResult
from treewhile.incremental.sessions.analysis_views import Said
from treewhile.incremental.sessions.asked_margins import AskedMargins
from treewhile.incremental.sessions.document_edits import Splice
from treewhile.incremental.sessions.document_parses import Attached, Progress, common_length
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.followed_steps import FollowedSteps
from treewhile.incremental.sessions.messages import Stage
from treewhile.incremental.sessions.next_steps import Chances
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.incremental.sessions.refinement import Refinement
from treewhile.incremental.sessions.standing import Standing
from treewhile.incremental.sessions.standing_trees import alike_length

# The best parse of this many words takes some 50 ms, and the time grows with the cube.
LONGEST_RESCORED: Final = 400

NO_TOPS: Final = np.empty((0, 0), np.float32)


def is_refined(words: SentenceWords, options: DocumentOptions) -> bool:
    """Return whether more than the committed parse is computed."""
    return "L1" in options.levels and len(words.forms) <= LONGEST_RESCORED


class OpenSentence:
    """Sentence from its first words on; `revision` counts restarts of all work on it."""

    __slots__ = (
        "_awaits_pause",
        "attached",
        "firm",
        "is_firm",
        "margins",
        "number",
        "refinement",
        "retyped",
        "revision",
        "said",
        "since",
        "standing",
        "steps",
        "version",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.revision = 0
        self.version = 0  # version of the document when the words last changed
        self.since = 0.0  # time of that version
        self.attached: Attached | None = None
        self.retyped: SentenceWords | None = None  # as in the text, if one word is not attached yet
        self.firm = 0  # number of leading words whose forms and positions in the sentence are certain
        self.is_firm = False  # the sentence has certainly ended
        self._awaits_pause = False  # whether it would be a whole sentence after a pause in typing
        self.standing, self.refinement = Standing(), Refinement()
        self.steps, self.margins = FollowedSteps(), AskedMargins()
        self.said: Said | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        return self.attached.words.forms if self.attached else ()

    @property
    def words(self) -> SentenceWords:
        """Words with their positions, as in the text."""
        assert self.attached is not None
        return self.retyped or self.attached.words

    @property
    def stage(self) -> Stage:
        return "final" if self.is_final else self.refinement.phase.stage

    @property
    def is_final(self) -> bool:
        """True if the analysis will not change any more."""
        return self.is_firm and self.is_whole and self.refinement.next_level is None

    @property
    def is_whole(self) -> bool:
        """True if the sentence is analysed as a whole one."""
        return self.attached is not None and self.attached.is_closed

    @property
    def lacks_corrections(self) -> bool:
        """True if L1 is still to find an analysis with all that somebody has decided."""
        return self.refinement.next_level == "L1" and not self.standing.holds_corrections

    @property
    def own_steps(self) -> bytes:
        """Steps that the parser has taken by itself."""
        return self.attached.steps if self.attached else b""

    # --- words ---------------------------------------------------------------------------------------------

    def attach(self, attached: Attached, options: DocumentOptions, is_typed: bool = False) -> int:
        """Set new words, or an end; return the number of new words.

        While one of the words is being typed, arcs stay and nothing is refined.
        """
        before, after = self.forms, attached.words.forms
        kept, alike = common_length(before, after), alike_length(before, after)
        self.standing.keep_words(kept, alike, options.keep_promises or not attached.is_closed)
        self.steps.change_words(kept, len(before), len(after))
        was_typed, self.attached, self.retyped = self.retyped is not None, attached, None
        self.revision += 1
        self._begin(attached, options, is_typed, was_typed, after)
        return len(after) - kept

    def _begin(
        self,
        attached: Attached,
        options: DocumentOptions,
        is_typed: bool,
        was_typed: bool = False,
        forms: Sequence[str] = (),
    ) -> None:
        """Show what is known at once; restart all levels, except a best parse of some of these forms.

        If a word was being typed until now, other arcs stay until L1 has judged that word.
        """
        refines = is_refined(attached.words, options)
        is_held = is_typed and refines
        self.refinement.begin(is_held, forms)
        stands_still = is_held or (was_typed and refines and not attached.is_closed)
        self.standing.show_committed(attached, stands_still, refines)
        if not refines:
            self.standing.promise(self.firm, options.stability)
            self._rest("settled")
        elif options.time_limit == 0:
            self.cut()

    def recommit(self, attached: Attached, is_rebuilt: bool) -> bool:
        """Set other steps or positions of the same words; return whether the steps are others."""
        assert self.attached is not None
        has_other_steps = is_rebuilt or attached.steps != self.attached.steps
        if has_other_steps:
            self.attached, self.steps.is_rebuilt = attached, is_rebuilt
        else:
            self.attached = self.attached._replace(words=attached.words)
        return has_other_steps

    @property
    def has_states(self) -> bool:
        """True if the states of its words are kept; final sentences drop them."""
        return self.attached is not None and len(self.attached.snapshot.tops) > 0

    def change_options(self, before: DocumentOptions, after: DocumentOptions, wants_more: bool) -> bool:
        """Restart if levels or time limit change, or L1 is to do more; return whether restarted."""
        self.steps.wanted |= after.tells_steps
        others = (before.levels, before.time_limit) != (after.levels, after.time_limit)
        if self.attached is None or not self.has_states or not (others or wants_more):
            return False
        self.revision += wants_more  # a running job would compute less
        self._begin(self.attached, after, self.refinement.is_held)
        return True

    def restart(self, options: DocumentOptions) -> None:
        """Restart all levels, since more or less is decided about the words."""
        assert self.attached is not None
        self.revision += 1
        self._begin(self.attached, options, self.refinement.is_held)

    def make_firm(self, firm: int, is_firm: bool) -> bool:
        """Set what is certain; return whether the sentence becomes final by that, or ceases to be."""
        self.firm = firm
        if is_firm == self.is_firm:
            return False
        was_final, self.is_firm = self.is_final, is_firm
        self._drop_what_final_ones_need_not()
        return was_final or self.is_final

    def await_pause(self, awaits_pause: bool) -> bool:
        """Set whether a pause would make the sentence whole; return whether that changes its promises."""
        was_awaited, self._awaits_pause = self._awaits_pause, awaits_pause
        return self.attached is not None and awaits_pause != was_awaited and self.standing.promised > 0

    def stable_words(self, options: DocumentOptions) -> int:
        """Return the number of leading words whose arcs stay, as clients are told.

        It is 0 if an analysis of the whole sentence may break promises as soon as typing pauses.
        """
        if self.is_final:
            return len(self.forms)
        is_in_doubt = self._awaits_pause and not (self.is_whole or options.keep_promises)
        return 0 if is_in_doubt else self.standing.promised

    # --- refinements ---------------------------------------------------------------------------------------

    def take_rescored(self, rescored: Rescored, options: DocumentOptions, is_searched: bool) -> None:
        """Process the result of L1, after which L2 may search."""
        is_open = not self.is_whole
        stability = self._stability(options, is_last=not is_searched)
        self.standing.show_parsed(rescored, self.firm, stability, is_searched and is_open)
        self.steps.chances = Chances(rescored.chances) if options.tells_steps and is_open else None
        if is_searched:
            self.refinement.go_on_with(rescored)
        else:
            self._rest("settled")

    def take_earlier(self, rescored: Rescored, options: DocumentOptions, is_searched: bool) -> None:
        """Process the result of L1 for the first words, as if it had come before the others."""
        assert self.attached is not None
        is_corrected = is_searched and not self.is_whole
        self.standing.show_parsed(rescored, self.firm, options.stability, is_corrected)
        self.standing.show_committed(self.attached, self.refinement.is_held, is_refined=True)
        self.standing.levels = "L0", "L1"
        if self.refinement.is_held and len(rescored.analysis.words) == len(self.forms) - 1:
            self.refinement.catch_up()

    def take_found(self, result: SearchResult | None, options: DocumentOptions) -> bool:
        """Process the result of L2, and return whether clients see a change."""
        standing, refinement = self.standing, self.refinement
        before, promised = (standing.told, refinement.phase), standing.promised
        if result is not None:
            assert refinement.rescored is not None
            stability = self._stability(options, result.is_settled)
            standing.show_found(result, refinement.rescored, self.firm, stability)
            refinement.unfinished = result.unfinished if standing.promised == promised else None
        if result is not None and result.is_settled:
            self._rest("settled")
        elif refinement.cut_short:
            self._rest("cut")
        return before != (standing.told, refinement.phase)

    def _stability(self, options: DocumentOptions, is_last: bool) -> float:
        """Return the stability by which an analysis is promised.

        It is 0 while a search may still improve a whole sentence: promises have ended, and would bind it.
        """
        binds = is_last or options.keep_promises or not self.is_whole
        return options.stability if binds else 0.0

    def take_failure(self) -> None:
        """Note that a level has failed: its earlier results stay."""
        self._rest("cut" if self.refinement.cut_short else "settled")
        self.standing.drop_conflicts_of_before()

    def cut(self) -> bool:
        """Cut the work since time is up; return whether no job is waited for."""
        is_cut = self.refinement.cut()
        self._drop_what_final_ones_need_not()
        return is_cut

    def _rest(self, happening: Literal["settled", "cut"]) -> None:
        """End the refinement."""
        self.refinement.rest(happening)
        if happening == "settled":
            self.standing.drop_conflicts_of_before()
        self._drop_what_final_ones_need_not()

    def _drop_what_final_ones_need_not(self) -> None:
        if self.is_final and self.attached is not None and self.has_states:
            snapshot = self.attached.snapshot._replace(tops=NO_TOPS)
            self.attached = self.attached._replace(snapshot=snapshot)


class Begin(NamedTuple):
    """Begin of a sentence: its first word, and its position in the units of the document."""

    word: int
    place: int


class Move(NamedTuple):
    """Shift of the sentence at `place` and all behind it by some words and units."""

    place: int
    words: int
    units: int


class AttachedSentences:
    """Sentences of a document in the last attached version."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.waiting: frozenset[int] = frozenset()  # numbers of sentences whose words are not attached yet
        self.in_order: list[OpenSentence] = []
        self.begins: list[Begin | None] = []
        self._begun: tuple[list[int], list[int]] | None = None  # lists behind `begins`, while it is unchanged
        self.by_number: dict[int, OpenSentence] = {}
        self.places: dict[int, int] = {}  # by number of the sentence
        self._numbers = 0  # number of sentence numbers given out so far
        self._firm = 0  # number of leading sentences that have certainly ended

    def is_up_to_date(self, sentence: OpenSentence) -> bool:
        """Return whether the results for a sentence are about its current words."""
        return sentence.number in self.by_number and sentence.number not in self.waiting

    # --- what an attached slice changes ---------------------------------------------------------------------

    def splice(self, splice: Splice) -> list[OpenSentence]:
        """Remove sentences and insert new ones; return the removed ones."""
        self._begun = None
        at, behind = splice.place, splice.place + splice.removed
        gone = self.in_order[at:behind]
        for sentence in gone:
            del self.by_number[sentence.number], self.places[sentence.number]
        new = [OpenSentence(self._numbers + more) for more in range(1, splice.added + 1)]
        self._numbers += splice.added
        self.in_order[at:behind] = new
        self.begins[at:behind] = [None] * len(new)
        self.by_number |= {sentence.number: sentence for sentence in new}
        self.places |= {sentence.number: place for place, sentence in enumerate(self.in_order[at:], at)}
        return gone

    def move(self, progress: Progress) -> list[Move]:
        """Set the begins of sentences, and return the shifts of old ones."""
        begun = [0, *progress.ends[:-1]], progress.starts
        if begun == self._begun:
            return []
        before, begins = self.begins, [*map(Begin, *begun)]
        self.begins, self._begun = [*begins], begun
        return [*_moves(before, begins)]

    def move_behind(self, place: int, units: int) -> Move | None:
        """Shift the sentences behind one whose length has changed."""
        behind = place + 1
        if not units or behind == len(self.begins):
            return None
        self._begun = None
        moved = [begin and Begin(begin.word, begin.place + units) for begin in self.begins[behind:]]
        self.begins[behind:] = moved
        return Move(behind, 0, units)

    def make_firm(self, progress: Progress) -> list[OpenSentence]:
        """Set which words are certain, and return the sentences that become final, or cease to be."""
        ends, last = progress.ends, len(progress.ends) - 1
        changed: list[OpenSentence] = []
        first = self._first_not_firm(progress)
        start = ends[first - 1] if first else 0
        for place, end in enumerate(ends[first:], first):
            sentence, has_ended = self.in_order[place], place < last or progress.is_finished
            is_firm = has_ended and end <= progress.firm
            if sentence.make_firm(max(0, min(progress.firm, end) - start), is_firm):
                changed.append(sentence)
            self._firm = place + 1 if is_firm and place == self._firm else self._firm
            start = end
        return changed

    def _first_not_firm(self, progress: Progress) -> int:
        """Return the first sentence whose certainty may have changed."""
        changed = [splice.first - 1 for splice in progress.splices if splice.changes_any]
        first = max(0, min([self._firm, len(progress.ends) - 1, *changed]))
        while first and progress.ends[first - 1] > progress.firm:
            first -= 1
        self._firm = first
        return first


def _moves(before: list[Begin | None], after: list[Begin]) -> Iterator[Move]:
    """Yield the shifts of sentences, each relative to the shifted one before it."""
    words = units = 0
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is None or (new.word - old.word, new.place - old.place) == (words, units):
            continue
        moved_words, moved_units = new.word - old.word, new.place - old.place
        yield Move(place, moved_words - words, moved_units - units)
        words, units = moved_words, moved_units
