"""How much a client may keep in its session: documents, and characters in all of them."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import AnyEvent, Append, Edit, Open
from treewhile.incremental.sessions.session import Session
from treewhile.server.limits import Limits

SIZE_OF_WORD: Final = 8  # characters that a given word counts as, however long it is


def refusal_of(event: AnyEvent, session: Session, limits: Limits) -> str | None:
    """Why an event is too much for a session; None if it is not."""
    if isinstance(event, Open) and len(session.versions) >= limits.documents:
        return f"{limits.documents} documents are open: close one first"
    more = _characters_of(event)
    if more and _characters_in(session) + more > limits.characters:
        return f"all documents together may have {limits.characters} characters: close one first"
    return None


def _characters_in(session: Session) -> int:
    return sum([units + SIZE_OF_WORD * words for units, words in session.sizes])


def _characters_of(event: AnyEvent) -> int:
    """How many an event adds; less than none where an edit within the text removes more."""
    if isinstance(event, Append):
        return SIZE_OF_WORD * len(event.words)
    if isinstance(event, Edit):
        return len(event.text) - max(0, event.end - event.start) if event.text else 0
    if isinstance(event, Open):
        return len(event.text or "") + SIZE_OF_WORD * len(event.words or ())
    return 0
