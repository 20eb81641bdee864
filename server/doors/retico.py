"""Door to retico: a module that turns words into words and arcs of a tree, as incremental units.

asr.subscribe(syntax := SyntaxModule())
syntax.subscribe(whatever_takes_syntax_units)
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any, Final

from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference
from treewhile.incremental.transcripts.listener import listener_options
from treewhile.incremental.transcripts.threaded_listeners import ThreadedListener
from treewhile.incremental.transcripts.units import Unit
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles.errors import InputError
from treewhile.server.doors.speech import cached_model
from treewhile.server.errors import needs

with needs("retico"):
    from retico_core import AbstractModule, IncrementalUnit, UpdateMessage, UpdateType
    from retico_core.text import SpeechRecognitionIU, TextIU

KINDS: Final = {"add": UpdateType.ADD, "revoke": UpdateType.REVOKE, "commit": UpdateType.COMMIT}


class SyntaxIU(IncrementalUnit):
    """Incremental unit of a word or an arc, with a WordUnit or an ArcUnit as payload."""

    @staticmethod
    def type() -> str:
        return "Syntax IU"


class SyntaxModule(AbstractModule):
    """Module that reads added, revoked and committed units of text and gives units of words and arcs.

    A turn ends once all its words are committed; among units of a recognizer, one has to be final.

    options  options of the analyses: see `Listener`
    """

    @staticmethod
    def name() -> str:
        return "Treewhile Syntax Module"

    @staticmethod
    def description() -> str:
        return "A module that parses words while they come"

    @staticmethod
    def input_ius() -> list[Any]:
        return [SpeechRecognitionIU, TextIU]

    @staticmethod
    def output_iu() -> Any:
        return SyntaxIU

    def __init__(
        self, model: str = DEFAULT_MODEL, *, options: OptionChanges | None = None, **others: Any
    ) -> None:
        super().__init__(**others)
        self._model, self._options = model, listener_options(options)
        self._open: dict[Any, list[str]] = {}  # words of uncommitted units, in order
        self._given: dict[Unit, SyntaxIU] = {}  # units that may still be revoked or committed
        self._listener: ThreadedListener | None = None
        self._heard: Any = None

    def setup(self) -> None:
        """Prepare parsing."""
        self._listener = ThreadedListener(Session(cached_model(self._model)), options=self._options)
        threading.Thread(target=self._tell, args=(self._listener,), daemon=True).start()

    def shutdown(self) -> None:
        """Stop parsing."""
        if self._listener:
            self._listener.close()

    def process_update(self, update_message: Any) -> None:
        """Pass words to the parser; its units are sent from another thread."""
        for unit, kind in update_message:
            self._heard = unit
            if self._listener:
                self._hear(self._listener, unit, kind)

    def _hear(self, listener: ThreadedListener, unit: Any, kind: Any) -> None:
        if kind is UpdateType.ADD:
            words = (unit.get_text() or "").split()
            with suppress(InputError):  # far too long: the conversation continues without an analysis
                listener.hear(Difference(words))
                self._open[unit.iuid] = words
        elif kind is UpdateType.REVOKE and unit.iuid in self._open:
            units = [*self._open]
            behind = [word for one in units[units.index(unit.iuid) + 1 :] for word in self._open[one]]
            listener.hear(Difference(behind, len(self._open.pop(unit.iuid)) + len(behind)))
        elif kind is UpdateType.COMMIT and self._open.pop(unit.iuid, None) is not None and not self._open:
            listener.hear(Difference(is_final=True))
            if getattr(unit, "final", True):
                listener.end_turn()

    def _tell(self, listener: ThreadedListener) -> None:
        for update in listener.updates():
            if update.units:
                self.append(self._message(update))

    def _message(self, update: Update) -> Any:
        message = UpdateMessage()
        for kind, unit in update.units:
            message.add_iu(self._unit_of(kind, unit), KINDS[kind])
        if update.is_over:  # units of the next turn may be there already
            self._given = {unit: given for unit, given in self._given.items() if unit.turn > update.turn}
        return message

    def _unit_of(self, kind: str, unit: Unit) -> Any:
        if kind == "add":
            self._given[unit] = self.create_iu(self._heard)
        given = self._given[unit] if kind != "revoke" else self._given.pop(unit)
        given.payload = unit
        given.revoked, given.committed = kind == "revoke", kind == "commit"
        return given
