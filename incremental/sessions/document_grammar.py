"""Grammar of a document: one with a name, or a text that is edited, and the job that compiles it."""

from __future__ import annotations

from typing import NamedTuple

from treewhile.incremental.search import CompiledGrammar, Grammars, Searcher
from treewhile.incremental.sessions.jobs import Clock, Job, Rank
from treewhile.incremental.sessions.messages import MistakesMessage, MistakeView, RefusedError
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt


class Choice(NamedTuple):
    """Grammar that a client wants: a text with the client's number for it, or a name, or none."""

    name: str | None
    text: str | None = None
    number: int = 0

    @property
    def is_default(self) -> bool:
        return self.name is None and self.text is None


class Compile(Job):
    """Job that makes the searcher of a document, off the event loop; None if it does not begin."""

    rank = Rank.L2

    def __init__(
        self, document: str, version: int, clock: Clock | None, grammars: Grammars, choice: Choice
    ) -> None:
        super().__init__(document, version, None, clock)
        self.grammars, self.choice = grammars, choice

    def _work(self, interrupt: Interrupt) -> CompiledGrammar | None:
        if interrupt.is_set:
            return None
        if self.choice.text is not None:
            return self.grammars.edited(self.choice.text)
        assert self.choice.name is not None
        return CompiledGrammar(self.grammars.named(self.choice.name))


class DocumentGrammar:
    """Grammar of one document: the one that is wanted, and the one in use until that is compiled.

    default  searcher of documents that choose no grammar
    awaits   True from a choice on until its searcher is there; searches wait meanwhile
    """

    __slots__ = ("_running", "_wanted", "awaits", "default", "grammars")

    def __init__(self, grammars: Grammars | None, default: Searcher | None, name: str | None) -> None:
        self.grammars, self.default = grammars, default
        self.check(name)
        self._wanted = Choice(name)
        self._running: Compile | None = None
        self.awaits = name is not None

    @property
    def size(self) -> int:
        """Length of the text, in characters."""
        return len(self._wanted.text or "")

    def check(self, name: str | None) -> None:
        """Refuse the name of a grammar that is not offered."""
        names = self.grammars.names if self.grammars else ()
        if name is not None and name not in names:
            instead = f"name one of {known}" if (known := ", ".join(names)) else "leave it out"
            raise RefusedError("unsupported", f"there is no grammar {name!r:.40}: {instead}")

    def choose(self, name: str | None) -> bool:
        """Want the grammar with a name, or the default one; return whether that changes what is searched."""
        if name == self._wanted.name:
            return False
        self._wanted = self._wanted._replace(name=name)
        if self._wanted.text is not None:  # which counts until it is taken back
            return False
        return self._begin()

    def edit(self, text: str | None, number: int) -> None:
        """Want a text, or None for the grammar with a name again."""
        if text is not None and not (self.grammars and self.grammars.may_edit):
            what = "this server takes no grammars from its clients"
            raise RefusedError("unsupported", f"{what}: name one that it offers")
        self._wanted = self._wanted._replace(text=text, number=number)
        self._begin()

    def _begin(self) -> bool:
        """Begin to wait for what is wanted; return whether there is nothing to wait for."""
        self.awaits = not self._wanted.is_default
        return not self.awaits

    def job(self, document: str, version: int, clock: Clock | None) -> Compile | None:
        """Return the job that is needed now, once; one at a time."""
        if not self.awaits or self._running is not None:
            return None
        assert self.grammars is not None
        self._running = Compile(document, version, clock, self.grammars, self._wanted)
        return self._running

    def take(self, job: Compile, result: object) -> tuple[Searcher | None, MistakesMessage | None]:
        """Return the searcher to use from now on, None for no other one, and what is to be said of a text.

        RefusedError if a grammar cannot be had; what was used before stays.
        """
        self._running = None
        if job.choice != self._wanted or result is None:  # another one is wanted by now, or it never ran
            return None, None
        self.awaits = False
        if not isinstance(result, CompiledGrammar):
            raise _failure(job.choice, result)
        if job.choice.text is None:
            return result.searcher, None
        mistakes = [MistakeView(*one) for one in result.mistakes]
        is_used = result.searcher is not None
        told = MistakesMessage(job.document, job.choice.number, mistakes, result.constraints, is_used)
        return result.searcher, told


def _failure(choice: Choice, result: object) -> RefusedError:
    why = str(result) if isinstance(result, InputError) else f"it failed ({type(result).__name__})"
    what = "the text of a grammar" if choice.text is not None else f"the grammar {choice.name!r:.40}"
    return RefusedError("failed", f"{what} cannot be used at present: {why}"[:400], temporary=True)
