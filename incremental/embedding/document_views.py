"""Current analyses of a document, folded from its messages."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    ClosedMessage,
    CompletenessMessage,
    ConstraintsMessage,
    DeltaMessage,
    ErrorMessage,
    LanguageMessage,
    MarginsMessage,
    MistakesMessage,
    MovedMessage,
    SentencesMessage,
    StepsMessage,
    apply_delta,
)

WholeMessage: TypeAlias = (
    AnalysisMessage
    | SentencesMessage
    | MovedMessage
    | StepsMessage
    | MarginsMessage
    | CompletenessMessage
    | LanguageMessage
    | MistakesMessage
    | ConstraintsMessage
    | ErrorMessage
    | ClosedMessage
)


class DocumentView:
    """View of a document by its messages; always equal to the result of asking for all analyses anew.

        view = DocumentView("letter")
        for message in session.messages_to_send():
            view.receive(message)
        print([word.form for sentence in view.sentences if sentence for word in sentence.words])

    sentences  the newest analysis of each sentence, in full; None where there is none yet
    steps      the newest next steps of each sentence; None where there are none. Those whose `version` is
               older than that of the analysis may be about other words
    completeness  how complete the last sentence is; None where nothing was said of it
    looks_like  the language that the text looks like; None if it is the model's, or nothing is known
    answered   the last version that has had an answer; -1 before the first
    error      the last error, which an answer to the same version or a later one takes away; an analysis,
               if the script of the text is unknown
    is_closed  whether the document was closed; what comes then is about another one of the same name
    """

    def __init__(self, document: str) -> None:
        self.document = document
        self.sentences: list[AnalysisMessage | None] = []
        self.steps: list[StepsMessage | None] = []
        self.completeness: CompletenessMessage | None = None
        self.looks_like: str | None = None
        self.answered = -1
        self.error: ErrorMessage | None = None
        self.is_closed = False

    def receive(self, message: AnyMessage) -> WholeMessage | None:
        """Fold a message into the view, and return it, a delta as the full analysis.

        None if the message is about another document, or is a delta to an unknown analysis: then
        `AskAnalyses` brings all of them.
        """
        if isinstance(message, ErrorMessage):
            return self._take_error(message)
        if self.is_closed or message.document != self.document:
            return None
        if isinstance(message, DeltaMessage):
            base = self.sentences[message.sentence] if message.sentence < len(self.sentences) else None
            if base is None or base.number != message.base:
                return None
            message = apply_delta(base, message)
        self._fold(message)
        return message

    def clear(self) -> None:
        """Drop all analyses and steps, because the sender of the messages starts over."""
        self.sentences, self.steps, self.completeness, self.is_closed = [], [], None, False
        self.looks_like = None

    def has_settled(self, version: int) -> bool:
        """Return whether this version or a later one is answered, and no better analyses will come.

        After a pause in typing, a sentence with its full stop becomes a whole one, and then has another
        analysis nevertheless.
        """
        return self.answered >= version and all(one and _is_at_rest(one) for one in self.sentences)

    def sentence_at(self, position: int) -> AnalysisMessage | None:
        """Return the sentence at a position of the text, or the last one before it; else the first one."""
        known = [one for one in self.sentences if one is not None]
        return next((one for one in reversed(known) if one.start <= position), known[0] if known else None)

    def _take_error(self, error: ErrorMessage) -> ErrorMessage | None:
        if error.document not in (None, self.document):
            return None
        self.error = error
        return error

    def _fold(self, message: WholeMessage) -> None:
        if isinstance(message, AnalysisMessage):
            self._have_room_for(message.sentence + 1)
            self.sentences[message.sentence] = message
        elif isinstance(message, SentencesMessage):
            self._renumber(message)
        elif isinstance(message, MovedMessage):
            self._move(message)
        elif isinstance(message, StepsMessage):
            self._have_room_for(message.sentence + 1)
            self.steps[message.sentence] = message
        elif isinstance(message, CompletenessMessage):
            self.completeness = message
        elif isinstance(message, LanguageMessage):
            self.looks_like = message.looks_like
        if isinstance(message, AnalysisMessage | SentencesMessage | ClosedMessage):
            self.answered = max(self.answered, *message.answers, -1)
            if self.error and self._takes_away(message, self.error):
                self.error = None
        self.is_closed = isinstance(message, ClosedMessage)

    def _takes_away(self, message: WholeMessage, error: ErrorMessage) -> bool:
        if error.code == "unsupported_script":
            return isinstance(message, AnalysisMessage)
        return (error.version or 0) <= self.answered

    def _renumber(self, message: SentencesMessage) -> None:
        """Remove and insert sentences, and renumber those behind."""
        first, gone, come = message.first, message.removed, message.added
        self._have_room_for(first + gone)
        self.sentences[first : first + gone] = [None] * come
        self.steps[first : first + gone] = [None] * come
        if gone != come:
            for place in range(first + come, len(self.sentences)):
                analysis, steps = self.sentences[place], self.steps[place]
                self.sentences[place] = analysis and replace(analysis, sentence=place)
                self.steps[place] = steps and replace(steps, sentence=place)

    def _move(self, moved: MovedMessage) -> None:
        """Shift sentences to other positions; nothing else has changed in them."""
        for place in range(moved.sentence, len(self.sentences)):
            if analysis := self.sentences[place]:
                first_word, start = analysis.first_word + moved.words, analysis.start + moved.units
                self.sentences[place] = replace(analysis, first_word=first_word, start=start)

    def _have_room_for(self, sentences: int) -> None:
        missing = [None] * (sentences - len(self.sentences))
        self.sentences += missing
        self.steps += missing


def _is_at_rest(analysis: AnalysisMessage) -> bool:
    return analysis.stage in ("settled", "final") or analysis.cut_short
