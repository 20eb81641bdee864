"""Queue of a document's edits that its parses do not have yet, and the one job that attaches them."""

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
from treewhile.incremental.sessions.options import DocumentOptions


class Batch(NamedTuple):
    """Input of one job that attaches words."""

    edits: list[DocumentEdit]
    rebuilds: list[Rebuild]
    options: DocumentOptions
    since: float  # time of the first edit
    anew: frozenset[int]  # see `Attach`
    moved: int


class Intake:
    """Waiting edits and rebuilds, and the job that is attaching earlier ones.

    Letters of a word that is being typed may wait without a job: they are attached with the next edit, as one
    edit.
    """

    __slots__ = (
        "_edited_at",
        "_options",
        "anew",
        "attaching",
        "edits",
        "letters",
        "moved",
        "rebuilds",
        "unattached",
        "version",
    )

    def __init__(self, version: int, options: DocumentOptions) -> None:
        self.version = version  # with all edits
        self.unattached: list[int] = []  # versions
        self.edits: list[DocumentEdit] = []
        self.moved = 0  # number of sentences moved by these edits, counted once for each edit
        self.letters: TextEdited | None = None  # come before all waiting edits
        self.rebuilds: dict[int, Rebuild] = {}  # by number of the sentence
        self.anew: set[int] = set()  # numbers of sentences whose states are needed again
        self.attaching: Attach | None = None
        self._options = options  # of the current or next parses
        self._edited_at: float | None = None  # time of the first edit that no job has taken yet

    @property
    def has_edits(self) -> bool:
        """True if waiting edits may still change sentences."""
        return bool(self.edits) or (self.attaching is not None and bool(self.attaching.edits))

    @property
    def is_idle(self) -> bool:
        """True if everything received is attached."""
        return not (self.attaching or self.edits or self.rebuilds or self.anew)

    def edit(self, edit: DocumentEdit, version: int, now: float, moved: int) -> None:
        """Add an edit, which makes a new version and moves sentences; interrupt the attaching job."""
        self.add(edit)
        self.moved += moved
        self.version = version
        self.unattached.append(version)
        if self._edited_at is None:
            self._edited_at = now
        if self.attaching:
            self.attaching.interrupt.set()

    def with_letters(self, edit: TextEdited) -> TextEdited:
        """Return an edit merged with the waiting letters, or alone, if it is elsewhere."""
        if self.letters is None:
            return edit
        both = joined(self.letters, edit)
        if both is None:
            self._bring_letters()
            return edit
        self.letters = None
        return both

    def add(self, edit: DocumentEdit) -> None:
        """Add an edit that makes no version of its own."""
        self._bring_letters()
        self.edits.append(edit)

    def _bring_letters(self) -> None:
        if self.letters is not None:
            self.edits.append(self.letters)
            self.letters = None

    def taken_versions(self, version: int) -> list[int]:
        """Return, once, the versions up to an attached one, which has overtaken the others."""
        taken = [older for older in self.unattached if older <= version]
        self.unattached = self.unattached[len(taken) :]
        return taken

    def pause(self) -> None:
        """Add a pause in typing, which makes no version."""
        self.add(TypingPaused())

    def catch_up(self, in_all: int) -> None:
        """Add an edit to attach words that were shown without being attached, for `in_all` sentences."""
        self.add(Followed(splice_between(in_all, 0, 0, in_all)))

    def taken(self, has_waiting: bool, options: DocumentOptions, now: float) -> Batch | None:
        """Return the input of the next job, once; None if there is none, or another job is running."""
        is_asked = bool(self.edits or self.rebuilds or self.anew or options.risk != self._options.risk)
        if self.attaching or not (is_asked or has_waiting):
            return None
        self._bring_letters()
        since = now if self._edited_at is None else self._edited_at
        batch = Batch(self.edits, [*self.rebuilds.values()], options, since, frozenset(self.anew), self.moved)
        self.moved = 0
        self.edits, self.rebuilds, self.anew, self._edited_at, self._options = [], {}, set(), None, options
        return batch

    def interrupt(self) -> None:
        """Ask the attaching job to stop after the next word."""
        if self.attaching:
            self.attaching.interrupt.set()
