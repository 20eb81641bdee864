"""What is typed while the last edit is unanswered: it waits, as one change where it can be one.

So a slow server gets fewer changes instead of a queue of them, and has the same text in the end: they are
composed exactly. Whoever is far ahead of the server, as a program or after a paste, waits for nothing: there
TCP holds back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.sessions.messages import Append, Change, Edit, Revoke

TYPED: Final = (Edit, Append, Revoke)
MOST_CHANGES, MOST_CHARACTERS = 100, 10_000  # that wait
NONE: Final = -1  # no version


class GatheredChanges:
    """The unanswered changes of a document in their order: those that are sent, then those that wait."""

    def __init__(self) -> None:
        self._sent: list[Change] = []
        self._waiting: list[Change] = []
        self._awaited = NONE  # the version of the last typed change that was sent and may still be answered

    @property
    def unanswered(self) -> Sequence[Change]:
        return [*self._sent, *self._waiting]

    @property
    def is_free(self) -> bool:
        """Whether something waits for nothing any more."""
        return bool(self._waiting) and self._awaited == NONE

    def add(self, change: Change) -> Sequence[Change]:
        """Takes the newest one; what is to be sent now."""
        self._wait(change)
        is_ahead = len(self._waiting) > MOST_CHANGES or sum(map(_length, self._waiting)) > MOST_CHARACTERS
        if self._awaited == NONE or is_ahead or not isinstance(change, TYPED):
            return self.flushed()
        return ()

    def flushed(self) -> Sequence[Change]:
        """All that has waited, which is to be sent now, whether or not the last edit is answered."""
        flushed, self._waiting = self._waiting, []
        self._send(flushed)
        return flushed

    def released(self) -> Sequence[Change]:
        """What has waited, if it waits for nothing any more."""
        return self.flushed() if self.is_free else ()

    def again(self) -> Sequence[Change]:
        """All of them, to be sent to who has none."""
        changes, self._sent, self._waiting, self._awaited = self.unanswered, [], [], NONE
        self._send(changes)
        return changes

    def answer(self, version: int) -> Sequence[Change]:
        """Those up to a version, which are answered."""
        answered = [one for one in self._sent if one.version <= version]
        self._sent = self._sent[len(answered) :]
        if version >= self._awaited:
            self._awaited = NONE
        return answered

    def refuse(self, version: int) -> None:
        """Nothing better than an error comes about this version."""
        if version == self._awaited:
            self._awaited = NONE

    def remove(self, change: Change) -> None:
        """Forgets one that was not made."""
        (self._sent if change in self._sent else self._waiting).remove(change)

    def _send(self, changes: Sequence[Change]) -> None:
        self._sent += changes
        self._awaited = max((one.version for one in changes if isinstance(one, TYPED)), default=self._awaited)

    def _wait(self, change: Change) -> None:
        """Behind the others, or composed with them; a long one may be refused, and stays alone."""
        is_long = _length(change) > MOST_CHARACTERS
        while not is_long and self._waiting and (whole := composed(self._waiting[-1], change)):
            self._waiting.pop()
            change = whole
        self._waiting.append(change)


def composed(first: Change, then: Change) -> Change | None:
    """The one change, of the second's version, that does what two do; None where there is none.

    Places are in code points.
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
    """Where the second one touches what the first one has put there."""
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
