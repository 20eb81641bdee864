"""Listener between a recognizer and a session: hypotheses go in, updates come out; it does no I/O.

    recognizer                       listener                        session
    hear, voice, silence,     ->     events                   ->     receive
    end_turn, discard_turn
    updates                   <-     receive                  <-     messages_to_send

Each turn is a document of text, so the session segments words and sentences: the final analyses of a turn are
exactly those of its text, whatever the hypotheses on the way.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.sessions.messages import AnyEvent, AnyMessage, OptionChanges, Stream
from treewhile.incremental.transcripts.hypotheses import Difference, Hypothesis
from treewhile.incremental.transcripts.turns import Turn
from treewhile.incremental.transcripts.updates import Update, length_of, text_of
from treewhile.oracles.errors import InputError

STREAMS: Final[tuple[Stream, ...]] = ("analyses", "completeness")
OPTIONS: Final = OptionChanges(streams=[*STREAMS])
SHOWN: Final = (*STREAMS, "constituents")  # streams that add to updates


def listener_options(given: OptionChanges | None) -> OptionChanges:
    """Return the options with the listener's own streams; an InputError for unsuitable ones."""
    if given is None:
        return OPTIONS
    if not isinstance(given, OptionChanges):
        raise InputError(f"{given!r:.40} are no options: give OptionChanges")
    streams = [*(_checked(given).streams or ())]
    hidden = next((stream for stream in streams if stream not in SHOWN), None)
    if hidden is not None:
        raise InputError(f"updates have no room for the stream {hidden!r}: leave it out")
    return replace(given, streams=[*STREAMS, *(stream for stream in streams if stream not in STREAMS)])


def _checked(given: OptionChanges) -> OptionChanges:
    try:
        return msgspec.convert(msgspec.to_builtins(given), OptionChanges)
    except (msgspec.ValidationError, TypeError) as error:
        why, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`") or "one of them"
        raise InputError(f"the option {name} of a listener does not fit: {why}") from None


LONGEST_NAME: Final = 100  # characters
LONGEST_TURN: Final = 20_000  # number of final characters after which a new turn begins by itself
MOST_WAITING: Final = 8  # number of ended turns whose last analyses are still to come

State = Literal["present", "behind", "away"]


class Listener:
    """Listener to one speaker, with updates word by word.

        listener = Listener()
        listener.hear(Hypothesis("peter drives"))
        for event in listener.events():
            session.receive(event)
        for message in session.messages_to_send():  # while the session's jobs run
            listener.receive(message)
        for update in listener.updates():
            print(update.text, [reading.analysis for reading in update.readings])

    Nothing that a recognizer says stops it: `transcript` has the rules. After `updates` there may be events
    again, since documents are closed.

    name     begins the names of its documents
    options  of the analyses, such as OptionChanges(stability=0.9, keep_promises=True); of the streams only
             "constituents" can be added to those that it reads
    now      the time, in seconds on any clock: what tells it has updates that know how late they are
    """

    def __init__(self, name: str = "speech", *, options: OptionChanges | None = None) -> None:
        if not name or len(name) > LONGEST_NAME:
            raise InputError(f"the name of a listener has 1 to {LONGEST_NAME} characters, not {len(name)}")
        self._name, self._options = name, listener_options(options)
        self._turns = [self._turn(0)]
        self._let_go: list[Update] = []

    @property
    def _present(self) -> Turn:
        return self._turns[-1]

    @property
    def state(self) -> State:
        """State of the analyses of what was heard: present or behind; away if there is no connection."""
        return "behind" if any(turn.is_behind for turn in self._turns) else "present"

    @property
    def turn(self) -> int:
        """Number of the current turn, counted from 0."""
        return self._present.number

    def is_current(self, update: Update | None) -> bool:
        """Return whether an update is about all that was heard in the current turn; None if nothing was."""
        words = self._present.transcript.words
        return not words if update is None else (update.turn, update.text) == (self.turn, text_of(words))

    # --- what is heard -------------------------------------------------------------------------------------

    def hear(self, hypothesis: Hypothesis | Difference) -> bool:
        """Process a hypothesis, and return whether it is about the current turn, and not late.

        A very long turn ends by itself, once its words are final.
        """
        transcript = self._present.transcript
        is_new = transcript.hear(hypothesis)
        stays = isinstance(hypothesis, Difference) or hypothesis.is_final
        if stays and length_of(transcript.words) > LONGEST_TURN:
            self.end_turn()
        return is_new

    def voice(self) -> None:
        """Note that the speaker begins to speak: the next hypothesis is new, even if it repeats words.

        Only an interim hypothesis that has the words of the last turn, and more, continues that turn.
        """
        self._present.transcript.voice()

    def silence(self, at: float | None = None) -> None:
        """Note a silence since a time on the recognizer's clock: interim words count as final.

        An update follows, even without changes.
        """
        self._present.transcript.silence(at)
        self._present.pause()

    def end_turn(self, now: float | None = None) -> None:
        """End the turn; later hypotheses belong to the next one."""
        if self._present.has_begun:
            self._present.end(now)
            self._begin_turn(now)

    def discard_turn(self, now: float | None = None) -> None:
        """Discard the current turn: its last update revokes all its units, and has no text."""
        if self._present.has_begun:
            self._present.discard(now)
            self._begin_turn(now)

    def _begin_turn(self, now: float | None) -> None:
        self._turns.append(self._turn(self.turn + 1, self._present))
        waiting = [turn for turn in self._turns[:-1] if not turn.is_over]
        self._let_go += [turn.let_go(now) for turn in waiting[:-MOST_WAITING]]

    def _turn(self, number: int, before: Turn | None = None) -> Turn:
        transcript = before.transcript if before else None
        return Turn(number, f"{self._name} {number}", self._options, transcript)

    # --- to and from a session -----------------------------------------------------------------------------

    def events(self) -> list[AnyEvent]:
        """Return the events that the session does not have yet, once."""
        events = [event for turn in self._turns for event in turn.events()]
        self._turns = [turn for turn in self._turns if not turn.is_over]
        return events

    def receive(self, message: AnyMessage) -> None:
        """Process a message of the session; messages about other documents are ignored."""
        for turn in self._turns:
            if message.document in (turn.document, None):
                turn.receive(message)

    def see(self, view: DocumentView, version: int) -> None:
        """Use a view that has folded the messages already, with the version of the last change.

        This is for a client that reconnects by itself, and numbers changes anew when it sends them again.
        """
        for turn in self._turns:
            if view.document == turn.document:
                turn.see(view, version)

    def updates(self, now: float | None = None) -> list[Update]:
        """Return the updates of each turn since the last call, if their words have analyses.

        Turns end in order, even if a later one has its last analyses first.
        """
        told, self._let_go = self._let_go, []
        may_be_over = True
        for turn in self._turns:
            update = turn.update(may_be_over, now)
            told += [update] if update else []
            may_be_over = may_be_over and turn.is_over
        return told
