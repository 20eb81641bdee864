"""What a document has received that its parses do not have yet, and the one job that takes it to them."""

from __future__ import annotations

from treewhile.incremental.sessions.document_edits import DocumentEdit, TypingPaused
from treewhile.incremental.sessions.document_parses import DocumentParses, Rebuild
from treewhile.incremental.sessions.jobs import Attach, Clock


class Intake:
    """Edits and rebuilds that wait, and the job that is attaching those before them."""

    __slots__ = ("_edited_at", "_parses", "_risk", "attaching", "edits", "rebuilds", "version")

    def __init__(self, version: int, parses: DocumentParses, risk: float) -> None:
        self.version = version  # with all edits
        self.edits: list[DocumentEdit] = []
        self.rebuilds: dict[int, Rebuild] = {}  # by the numbers of their sentences
        self.attaching: Attach | None = None
        self._parses = parses
        self._risk = risk  # by which the sentences are parsed, or are about to be
        self._edited_at: float | None = None  # when the first edit came that no job has taken yet

    @property
    def has_edits(self) -> bool:
        """Whether sentences may still change by what has come."""
        return bool(self.edits) or (self.attaching is not None and bool(self.attaching.edits))

    def edit(self, edit: DocumentEdit, version: int, now: float) -> None:
        """An edit makes a new version; what is being attached should stop for it."""
        self.edits.append(edit)
        self.version = version
        if self._edited_at is None:
            self._edited_at = now
        self.interrupt()

    def pause(self) -> None:
        """Nobody is typing, which makes no version."""
        self.edits.append(TypingPaused())

    def job(
        self, name: str, has_waiting: bool, risk: float, now: float, clock: Clock | None
    ) -> Attach | None:
        """The next job, if there is anything to do and none is under way."""
        if self.attaching or not (self.edits or has_waiting or self.rebuilds or risk != self._risk):
            return None
        since = now if self._edited_at is None else self._edited_at
        edits, rebuilds = self.edits, [*self.rebuilds.values()]
        self.attaching = Attach(name, self.version, clock, self._parses, edits, rebuilds, risk, since)
        self.edits, self.rebuilds, self._edited_at, self._risk = [], {}, None, risk
        return self.attaching

    def interrupt(self) -> None:
        """What is being attached should stop after the next word."""
        if self.attaching:
            self.attaching.interrupt.set()
