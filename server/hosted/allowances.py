"""Limits on the contents of a session: number of documents, and characters in all of them."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import AnyEvent, Append, Edit, ErrorMessage, Open
from treewhile.incremental.sessions.session import Session
from treewhile.server.limits import Limits

SIZE_OF_WORD: Final = 8  # characters that a given word counts as, however long it is


class Allowance:
    """Check of events against the limits of one session; `refusals` has the errors to send."""

    __slots__ = ("_limits", "_session", "refusals")

    def __init__(self, session: Session, limits: Limits) -> None:
        self._session, self._limits = session, limits
        self.refusals: list[ErrorMessage] = []

    def bears(self, event: AnyEvent) -> bool:
        """Return whether there is room for an event; if not, add an error to the refusals."""
        why = self._refusal_of(event)
        if why:
            version = getattr(event, "version", None)
            self.refusals.append(ErrorMessage("too_much", why, event.document, version))
        return why is None

    def _refusal_of(self, event: AnyEvent) -> str | None:
        if isinstance(event, Open) and len(self._session.versions) >= self._limits.documents:
            return f"{self._limits.documents} documents are open: close one first"
        more = _characters_of(event)
        if more == 0:  # events without text are always allowed
            return None
        removed = max(0, event.end - event.start) if isinstance(event, Edit) else 0
        held = sum([units + SIZE_OF_WORD * words for units, words in self._session.sizes])
        if held + more - removed <= self._limits.characters:
            return None
        return f"all documents together may have {self._limits.characters} characters: close one first"


def _characters_of(event: AnyEvent) -> int:
    """Return the characters that an event brings."""
    if isinstance(event, Edit):
        return len(event.text)
    if isinstance(event, Append):
        return SIZE_OF_WORD * len(event.words)
    if isinstance(event, Open):
        return len(event.text or "") + SIZE_OF_WORD * len(event.words or ())
    return 0
