"""The newest analyses of a document's sentences, in full, whatever a server says of them."""

from __future__ import annotations

import msgspec

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    DeltaMessage,
    MovedMessage,
    SentencesMessage,
    apply_delta,
)


class KnownSentences:
    """`analyses` has the newest one of each sentence, None where there is none yet."""

    def __init__(self) -> None:
        self.analyses: list[AnalysisMessage | None] = []

    def take(self, message: AnalysisMessage | DeltaMessage) -> AnalysisMessage | None:
        """The analysis in full; None if it changes one that is not known here."""
        at = message.sentence
        self._lengthen(at + 1)
        if isinstance(message, DeltaMessage):
            base = self.analyses[at]
            if base is None or base.number != message.base:
                return None
            message = apply_delta(base, message)
        self.analyses[at] = message
        return message

    def renumber(self, message: SentencesMessage) -> None:
        """Sentences have come or gone."""
        behind = message.first + message.removed
        self._lengthen(behind)
        self.analyses[message.first : behind] = [None] * message.added

    def move(self, moved: MovedMessage) -> None:
        """Shifts what is known of sentences that stand somewhere else now."""
        for at, known in enumerate(self.analyses[moved.sentence :], moved.sentence):
            if known:
                first_word, start = known.first_word + moved.words, known.start + moved.units
                self.analyses[at] = msgspec.structs.replace(known, first_word=first_word, start=start)

    def forget(self) -> None:
        """All of them will come anew."""
        self.analyses = []

    def _lengthen(self, count: int) -> None:
        self.analyses += [None] * (count - len(self.analyses))
