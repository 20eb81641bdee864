"""What a document has received that its parses do not have yet, and the one job that takes it to them."""

from __future__ import annotations

from typing import NamedTuple

from treewhile.incremental.sessions.document_edits import (
    DocumentEdit,
    Followed,
    TextEdited,
    TypingPaused,
    joined,
    splice_between,
)
from treewhile.incremental.sessions.document_parses import Rebuild
from treewhile.incremental.sessions.jobs import Attach


class Batch(NamedTuple):
    """What one job attaches."""

    edits: list[DocumentEdit]
    rebuilds: list[Rebuild]
    risk: float
    since: float  # when the first edit came
    anew: frozenset[int]  # see `Attach`
    moved: int


class Intake:
    """Edits and rebuilds that wait, and the job that is attaching those before them.

    Letters of a word that is being typed may wait without asking for a job: they go with the next one, as one
    edit.
    """

    __slots__ = (
        "_edited_at",
        "_risk",
        "anew",
        "attaching",
        "edits",
        "letters",
        "moved",
        "rebuilds",
        "unattached",
        "version",
    )

    def __init__(self, version: int, risk: float) -> None:
        self.version = version  # with all edits
        self.unattached: list[int] = []  # versions
        self.edits: list[DocumentEdit] = []
        self.moved = 0  # sentences by these, counted once for each of them
        self.letters: TextEdited | None = None  # which come before all edits that wait
        self.rebuilds: dict[int, Rebuild] = {}  # by the numbers of their sentences
        self.anew: set[int] = set()  # the numbers of sentences whose states are needed again
        self.attaching: Attach | None = None
        self._risk = risk  # by which the sentences are parsed, or are about to be
        self._edited_at: float | None = None  # when the first edit came that no job has taken yet

    @property
    def has_edits(self) -> bool:
        """Whether sentences may still change by what has come."""
        return bool(self.edits) or (self.attaching is not None and bool(self.attaching.edits))

    @property
    def is_idle(self) -> bool:
        """Whether all that has come is attached."""
        return not (self.attaching or self.edits or self.rebuilds or self.anew)

    def edit(self, edit: DocumentEdit, version: int, now: float, moved: int) -> None:
        """An edit makes a new version, and moves sentences; what is being attached should stop for it."""
        self._add(edit)
        self.moved += moved
        self.version = version
        self.unattached.append(version)
        if self._edited_at is None:
            self._edited_at = now
        if self.attaching:
            self.attaching.interrupt.set()

    def with_letters(self, edit: TextEdited) -> TextEdited:
        """An edit with the letters that have waited before it; or alone, if it is elsewhere."""
        if self.letters is None:
            return edit
        both = joined(self.letters, edit)
        if both is None:
            self._bring_letters()
            return edit
        self.letters = None
        return both

    def _add(self, edit: DocumentEdit) -> None:
        self._bring_letters()
        self.edits.append(edit)

    def _bring_letters(self) -> None:
        if self.letters is not None:
            self.edits.append(self.letters)
            self.letters = None

    def taken_versions(self, version: int) -> list[int]:
        """The versions up to one that is attached, once: it has overtaken the others."""
        taken = [older for older in self.unattached if older <= version]
        self.unattached = self.unattached[len(taken) :]
        return taken

    def pause(self) -> None:
        """Nobody is typing, which makes no version."""
        self._add(TypingPaused())

    def catch_up(self, in_all: int) -> None:
        """What was shown without being attached is to be attached, of so many sentences."""
        self._add(Followed(splice_between(in_all, 0, 0, in_all)))

    def taken(self, has_waiting: bool, risk: float, now: float) -> Batch | None:
        """What the next job is to attach, once, if there is anything and no other job is under way."""
        is_asked = bool(self.edits or self.rebuilds or self.anew or risk != self._risk)
        if self.attaching or not (is_asked or has_waiting):
            return None
        self._bring_letters()
        since = now if self._edited_at is None else self._edited_at
        batch = Batch(self.edits, [*self.rebuilds.values()], risk, since, frozenset(self.anew), self.moved)
        self.moved = 0
        self.edits, self.rebuilds, self.anew, self._edited_at, self._risk = [], {}, set(), None, risk
        return batch

    def interrupt(self) -> None:
        """What is being attached should stop after the next word."""
        if self.attaching:
            self.attaching.interrupt.set()
