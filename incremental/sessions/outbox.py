"""Messages to be sent: changes of each document, and refusals and closings of the session.

Messages are made when they are fetched: several changes of a sentence until then become one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.sessions.analysis_views import Shown, message_of
from treewhile.incremental.sessions.asked_margins import margin_view
from treewhile.incremental.sessions.document_edits import Splice, splice_between
from treewhile.incremental.sessions.followed_steps import steps_message
from treewhile.incremental.sessions.messages import (
    MOST_BROKEN,
    AnyMessage,
    BrokenView,
    ClosedMessage,
    CompletenessMessage,
    ConstraintsMessage,
    ErrorMessage,
    Event,
    LanguageMessage,
    MarginsMessage,
    MistakesMessage,
    MovedMessage,
    RefusedError,
    SentencesMessage,
    refusal_of,
)
from treewhile.incremental.sessions.open_sentences import AttachedSentences, Move, OpenSentence
from treewhile.incremental.sessions.options import DocumentOptions

COMPLETENESS_DIGITS: Final = 4  # decimal places


class Notices:
    """Messages of a session that are not about changes of documents, in order."""

    def __init__(self) -> None:
        self.said: list[AnyMessage] = []

    def refuse(
        self, refused: RefusedError, document: str | None, version: int | None, sentence: int | None = None
    ) -> None:
        """Tell that something has failed: work on a version of a document, or what is no event."""
        code, why = refused.code, str(refused)
        self.said.append(ErrorMessage(code, why, document, version, refused.temporary, sentence))

    def refuse_event(self, refused: RefusedError, event: Event) -> None:
        self.said.append(refusal_of(refused.code, str(refused), event, refused.temporary))

    def close(self, document: str, answers: list[int]) -> None:
        self.said.append(ClosedMessage(document, answers))

    def taken(self) -> list[AnyMessage]:
        """Return all messages, once."""
        said, self.said = self.said, []
        return said


class Outbox:
    """Changes of a document that are to be sent."""

    __slots__ = (
        "_changes",
        "_completeness",
        "_grammar",
        "_language",
        "_margins_news",
        "_name",
        "_news",
        "_number",
        "_sentences",
        "_steps_news",
        "answers",
        "looks_like",
    )

    def __init__(self, name: str, sentences: AttachedSentences) -> None:
        self._name, self._sentences = name, sentences
        self.answers: list[int] = []  # versions that the last of the next analyses answers
        self._changes: list[Splice | Move] = []  # insertions, removals and moves of sentences
        self._news: dict[int, OpenSentence] = {}
        self._steps_news: dict[int, OpenSentence] = {}
        self._margins_news: dict[int, OpenSentence] = {}
        self._grammar: MistakesMessage | None = None  # answer to the last text of a grammar
        self._completeness: CompletenessMessage | None = None  # last message sent
        self.looks_like: str | None = None  # language of the text, if it is not the model's
        self._language: str | None = None  # the one that was sent last
        self._number = 0  # sequence number of the last analysis

    # --- in ------------------------------------------------------------------------------------------------

    def tell(self, sentence: OpenSentence) -> None:
        """Queue the analysis of a sentence."""
        self._news[sentence.number] = sentence

    def tell_steps(self, sentence: OpenSentence) -> None:
        """Queue the answer about the steps of a sentence."""
        self._steps_news[sentence.number] = sentence

    def tell_margins(self, sentence: OpenSentence) -> None:
        """Queue the margins that were asked about, to be sent after the analysis that they are about."""
        self._margins_news[sentence.number] = sentence

    def tell_grammar(self, message: MistakesMessage) -> None:
        """Queue the answer to the text of a grammar; one to an earlier text is dropped."""
        self._grammar = message

    def repeat_completeness(self) -> None:
        """Let the completeness of the last sentence be sent again."""
        self._completeness = None

    def repeat_language(self) -> None:
        """Let the language that the text looks like be sent again, if it is not the model's."""
        self._language = None

    def tell_splice(self, splice: Splice, gone: list[OpenSentence]) -> None:
        """Queue the insertion or removal of sentences."""
        self._changes.append(splice)
        for sentence in gone:
            self._news.pop(sentence.number, None)
            self._steps_news.pop(sentence.number, None)
            self._margins_news.pop(sentence.number, None)

    def tell_move(self, move: Move) -> None:
        """Queue the move of a sentence and all behind it, merged with the last move if at the same place."""
        last = self._changes[-1] if self._changes else None
        if isinstance(last, Move) and last.place == move.place:
            self._changes[-1] = Move(move.place, last.words + move.words, last.units + move.units)
        else:
            self._changes.append(move)

    def clear(self) -> None:
        """Drop all queued messages."""
        self.repeat_completeness()
        self.repeat_language()
        self.answers, self._changes = [], []
        self._grammar = None
        self._news, self._steps_news, self._margins_news = {}, {}, {}

    # --- out -----------------------------------------------------------------------------------------------

    @property
    def has_news(self) -> bool:
        """True if there may be messages; those about waiting words are sent after attaching."""
        has_language = self.looks_like != self._language
        has_more = self._news or self._changes or self.answers or self._steps_news or self._margins_news
        return bool(has_more) or has_language or self._grammar is not None

    def messages(self, options: DocumentOptions, now: float, words: float) -> tuple[list[AnyMessage], int]:
        """Return the messages to send, once: changes of sentences, then the newest analysis of each.

        Stop after sentences with `words` words in all, and leave the others. Also return the number of words
        sent.
        """
        messages: list[AnyMessage] = [self._change_message(change) for change in self._changes]
        self._changes = []
        if self._grammar is not None:
            messages.append(self._grammar)
            self._grammar = None
        if self.looks_like != self._language:
            self._language = self.looks_like
            messages.append(LanguageMessage(self._name, self._sentences.version, self.looks_like))
        if not (self._news or self._steps_news or self._margins_news or self.answers):
            return messages, 0
        news, told = self._taken_news(words, options.tells_analyses)
        may_answer = self.answers and not (self._sentences.waiting and self._awaits_words)
        last = len(news) - 1 if may_answer else None
        messages += [
            self._analysis_message(sentence, options, now, self._taken_answers() if number == last else [])
            for number, sentence in enumerate(news)
        ]
        if options.tells_constraints:
            messages += self._constraints_news(news)
        if self._steps_news:
            messages += self._taken_steps()
        if self._margins_news:
            messages += self._taken_margins(options)
        if options.tells_completeness:
            messages += self._completeness_news()
        if self.answers and not self._sentences.waiting:
            count = len(self._sentences.in_order)
            messages.append(
                self._sentences_message(self._taken_answers(), splice_between(count, 0, 0, count))
            )
        return messages, told

    def _taken_news(self, words: float, is_streamed: bool) -> tuple[list[OpenSentence], int]:
        """Return the first queued sentences, up to `words` words; and their number of words.

        An analysis that lacks something decided is not sent where L1 is to come: the next one has it.
        """
        told = 0
        if not is_streamed:
            self._news = {}
        taken: list[OpenSentence] = []
        while self._news and words > 0:
            number = next(iter(self._news))
            sentence = self._news.pop(number)
            if number not in self._sentences.waiting and not sentence.lacks_corrections:
                taken.append(sentence)
                length = len(sentence.words.forms)
                words, told = words - max(1, length), told + length
        return taken, told

    def _taken_steps(self) -> list[AnyMessage]:
        places, version = self._sentences.places, self._sentences.version
        taken, self._steps_news = self._steps_news, {}
        return [
            steps_message(sentence.steps, self._name, version, places[number])
            for number, sentence in taken.items()
        ]

    def _taken_margins(self, options: DocumentOptions) -> list[AnyMessage]:
        """Return the margins of analyses that were sent; those of others wait for their analysis."""
        due = [sentence for number, sentence in self._margins_news.items() if number not in self._news]
        for sentence in due:
            del self._margins_news[sentence.number]
        due = [sentence for sentence in due if not sentence.margins.missing(sentence.standing.shown[0])]
        places, version = self._sentences.places, self._sentences.version
        return [
            MarginsMessage(
                self._name,
                version,
                places[sentence.number],
                [margin_view(arc, options.prediction) for arc in sentence.margins.taken()],
            )
            for sentence in due
        ]

    def _constraints_news(self, news: Sequence[OpenSentence]) -> list[AnyMessage]:
        """Return the constraints that the analyses of searches break, for sentences that are sent now."""
        places, version = self._sentences.places, self._sentences.version
        return [
            ConstraintsMessage(
                self._name,
                version,
                places[sentence.number],
                sentence.standing.score,
                [BrokenView(*one[:3], [*one.words], one.x) for one in sentence.standing.broken[:MOST_BROKEN]],
            )
            for sentence in news
            if "L2" in sentence.standing.levels
        ]

    def _completeness_news(self) -> list[AnyMessage]:
        """Return the completeness of the last sentence, if its words are attached and it has changed."""
        message = completeness_message(self._name, self._sentences)
        if message is None or message == self._completeness:
            return []
        self._completeness = message
        return [message]

    @property
    def _awaits_words(self) -> bool:
        """True if a sentence that was sent has other words, which are still to be sent."""
        by_number = self._sentences.by_number
        waiting = [by_number[number] for number in self._sentences.waiting if number in by_number]
        return any(sentence.said is not None for sentence in waiting)

    def _taken_answers(self) -> list[int]:
        answers, self.answers = self.answers, []
        return answers

    def _change_message(self, change: Splice | Move) -> AnyMessage:
        if isinstance(change, Move):
            return MovedMessage(self._name, self._sentences.version, *change)
        return self._sentences_message([], change)

    def _sentences_message(self, answers: list[int], splice: Splice) -> SentencesMessage:
        return SentencesMessage(self._name, self._sentences.version, answers, *splice[1:])

    def _analysis_message(
        self, sentence: OpenSentence, options: DocumentOptions, now: float, answers: list[int]
    ) -> AnyMessage:
        self._number += 1
        attached, standing = sentence.attached, sentence.standing
        place = self._sentences.places[sentence.number]
        begin = self._sentences.begins[place]
        assert attached is not None
        assert begin is not None
        shared = {
            "document": self._name,
            "version": self._sentences.version,
            "number": self._number,
            "answers": answers,
            "sentence": place,
            "first_word": begin.word,
            "start": begin.place,
            "stage": sentence.stage,
            "levels": [*standing.levels],
            "stable_upto": sentence.stable_words(options),
            "score": standing.score,
            "seconds": round(now - sentence.since, 6),
            "cut_short": sentence.refinement.cut_short,
            "whole": attached.is_closed,
            "proven": standing.is_proven and sentence.stage in ("settled", "final"),
        }
        constituents = standing.constituents if options.tells_constituents else None
        lemmas = standing.lemmas(options.lemmas)
        shown = Shown(
            sentence.words,
            standing.shown,
            standing.conflicts,
            constituents,
            lemmas,
            standing.corrections,
            options.prediction,
        )
        message, sentence.said = message_of(shown, shared, sentence.said, options.deltas)
        return message


def completeness_message(document: str, sentences: AttachedSentences) -> CompletenessMessage | None:
    """Return the current message; None while words wait, or if the model does not predict completeness."""
    last = sentences.in_order[-1] if sentences.in_order else None
    if last is None or last.attached is None or last.attached.completeness is None:
        return None
    if not sentences.is_up_to_date(last):
        return None
    may_end, ends = last.attached.completeness()
    place = len(sentences.in_order) - 1
    rounded = [round(chance, COMPLETENESS_DIGITS) for chance in (may_end, ends)]
    return CompletenessMessage(document, sentences.version, place, len(last.forms), *rounded)
