"""Buffer of changes that are typed while the last edit is unanswered.

Waiting changes are composed into one where possible, so a slow server gets fewer changes instead of a long
queue, and ends with exactly the same text. A client that is far ahead of the server, such as a program or
after a paste, does not wait: TCP provides the back-pressure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.sessions.messages import Append, Change, Edit, Revoke

TYPED: Final = (Edit, Append, Revoke)
MOST_CHANGES, MOST_CHARACTERS = 100, 10_000  # limits of waiting changes
NONE: Final = -1  # no version


class GatheredChanges:
    """Unanswered changes of a document in order: sent ones, then waiting ones."""

    def __init__(self) -> None:
        self._sent: list[Change] = []
        self._waiting: list[Change] = []
        self._awaited = NONE  # version of the last typed change that may still be answered

    @property
    def unanswered(self) -> Sequence[Change]:
        return [*self._sent, *self._waiting]

    @property
    def is_free(self) -> bool:
        """True if changes wait although the last edit is answered."""
        return bool(self._waiting) and self._awaited == NONE

    def add(self, change: Change) -> Sequence[Change]:
        """Add the newest change, and return the changes to send now."""
        self._wait(change)
        is_ahead = len(self._waiting) > MOST_CHANGES or sum(map(_length, self._waiting)) > MOST_CHARACTERS
        if self._awaited == NONE or is_ahead or not isinstance(change, TYPED):
            return self.flushed()
        return ()

    def flushed(self) -> Sequence[Change]:
        """Return all waiting changes to be sent now, even if the last edit is unanswered."""
        flushed, self._waiting = self._waiting, []
        self._send(flushed)
        return flushed

    def released(self) -> Sequence[Change]:
        """Return the waiting changes if the last edit is answered."""
        return self.flushed() if self.is_free else ()

    def again(self) -> Sequence[Change]:
        """Return all unanswered changes, to be sent to a server that has none of them."""
        changes, self._sent, self._waiting, self._awaited = self.unanswered, [], [], NONE
        self._send(changes)
        return changes

    def answer(self, version: int) -> Sequence[Change]:
        """Remove and return the changes up to a version, which is answered."""
        answered = [one for one in self._sent if one.version <= version]
        self._sent = self._sent[len(answered) :]
        if version >= self._awaited:
            self._awaited = NONE
        return answered

    def refuse(self, version: int) -> None:
        """Note that the server has answered a version with an error."""
        if version == self._awaited:
            self._awaited = NONE

    def remove(self, change: Change) -> None:
        """Remove a change that the server has refused."""
        (self._sent if change in self._sent else self._waiting).remove(change)

    def _send(self, changes: Sequence[Change]) -> None:
        self._sent += changes
        self._awaited = max((one.version for one in changes if isinstance(one, TYPED)), default=self._awaited)

    def _wait(self, change: Change) -> None:
        """Add a change to the waiting ones, composed with the last of them if possible.

        A long change may be refused, so it is not composed.
        """
        is_long = _length(change) > MOST_CHARACTERS
        while not is_long and self._waiting and (whole := composed(self._waiting[-1], change)):
            self._waiting.pop()
            change = whole
        self._waiting.append(change)


def composed(first: Change, then: Change) -> Change | None:
    """Return one change with the effect of two and the version of the second, or None if there is none.

    Positions are in code points.
    """
    match first, then:
        case Edit(), Edit():
            return _composed_edit(first, then)
        case Append(), Append():
            return Append(then.document, then.version, [*first.words, *then.words])
        case Append(), Revoke() if then.count <= len(first.words):
            return Append(then.document, then.version, first.words[: len(first.words) - then.count])
        case Append(), Revoke():
            return Revoke(then.document, then.version, then.count - len(first.words))
        case Revoke(), Revoke():
            return Revoke(then.document, then.version, first.count + then.count)
        case _:
            return None


def _composed_edit(first: Edit, then: Edit) -> Edit | None:
    """Return one edit with the effect of two if the second touches text inserted by the first."""
    behind = first.start + len(first.text)
    if then.start > behind or then.end < first.start:
        return None
    before, after = (
        first.text[: max(0, then.start - first.start)],
        first.text[max(0, then.end - first.start) :],
    )
    start, end = min(first.start, then.start), first.end + max(0, then.end - behind)
    return Edit(then.document, then.version, start, end, before + then.text + after)


def _length(change: Change) -> int:
    if isinstance(change, Edit):
        return len(change.text)
    return sum(map(len, change.words)) if isinstance(change, Append) else 0
