"""Limits on the contents of a session: number of documents, and characters in all of them."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import (
    AnyEvent,
    Append,
    Edit,
    ErrorMessage,
    Open,
    refusal_of,
)
from treewhile.incremental.sessions.session import Session
from treewhile.server.limits import Limits

SIZE_OF_WORD: Final = 8  # characters that a given word counts as, however long it is


class Allowance:
    """Check of events against the limits of one session.

    Characters are counted exactly only when the limit may be reached; before that, a lower bound of the free
    characters is enough. `refusals` has the errors to send.
    """

    __slots__ = ("_limits", "_room", "_session", "refusals")

    def __init__(self, session: Session, limits: Limits) -> None:
        self._session, self._limits = session, limits
        self._room = 0  # characters that are free for certain
        self.refusals: list[ErrorMessage] = []

    def bears(self, event: AnyEvent) -> bool:
        """Return whether there is room for an event; if not, add an error to the refusals."""
        why = self._refusal_of(event)
        if why:
            self.refusals.append(refusal_of("too_much", why, event))
        return why is None

    def _refusal_of(self, event: AnyEvent) -> str | None:
        if isinstance(event, Open) and len(self._session.versions) >= self._limits.documents:
            return f"{self._limits.documents} documents are open: close one first"
        most = _most_units(event)
        if most > max(0, self._room):  # events without text are always allowed
            held = self._characters
            if held + _characters_of(event) > self._limits.characters:
                return (
                    f"all documents together may have {self._limits.characters} characters: close one first"
                )
            self._room = self._limits.characters - held
        self._room -= most
        return None

    @property
    def _characters(self) -> int:
        return sum([units + SIZE_OF_WORD * words for units, words in self._session.sizes])


def _most_units(event: AnyEvent) -> int:
    """Return an upper bound of the characters that an event adds, in any unit of counting."""
    if isinstance(event, Edit):
        return _most_of(event.text)
    if isinstance(event, Append):
        return SIZE_OF_WORD * len(event.words)
    if isinstance(event, Open):
        return _most_of(event.text or "") + SIZE_OF_WORD * len(event.words or ())
    return 0


def _most_of(text: str) -> int:
    return len(text) * (1 if text.isascii() else 2)


def _characters_of(event: AnyEvent) -> int:
    """Return the characters that an event adds, less those that an edit removes."""
    if isinstance(event, Append):
        return SIZE_OF_WORD * len(event.words)
    if isinstance(event, Edit):
        return len(event.text) - max(0, event.end - event.start)
    if isinstance(event, Open):
        return len(event.text or "") + SIZE_OF_WORD * len(event.words or ())
    return 0
