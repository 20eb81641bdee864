"""Engines of a server: its models, each with its searcher, loaded when they are first used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter
from types import MappingProxyType
from typing import Final, TypeVar

from treewhile.incremental.constraints.search.offered_grammars import OfferedGrammars, offered_names
from treewhile.incremental.constraints.search.searcher import GRAMMARS, searcher_for
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.jobs import Clock
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS, DocumentOptions
from treewhile.incremental.sessions.session import NO_OTHERS, OtherModel, OtherModels, Session
from treewhile.oracles.errors import InputError
from treewhile.server.logs import Log
from treewhile.server.work.served_models import ModelFacts, ServedModels, facts_in_file, facts_of, short_name

T = TypeVar("T")
NO_FILES: Final[Mapping[str, str]] = MappingProxyType({})


class Engine:
    """Model with its searcher, under the installed grammar for its language or the first one that is given.

    grammars  those that documents can choose
    """

    def __init__(
        self,
        name: str,
        model: Model,
        files: Mapping[str, str] = NO_FILES,
        edits_grammars: bool = False,
    ) -> None:
        self.name, self.model = name, model
        self.grammars = OfferedGrammars(model, files, edits_grammars)
        self.searcher = self.grammars.named(next(iter(files))) if files else searcher_for(model)

    def new_session(
        self,
        clock: Clock = perf_counter,
        options: DocumentOptions = DEFAULT_OPTIONS,
        others: OtherModels = NO_OTHERS,
    ) -> Session:
        return Session(self.model, self.searcher, clock, options, others=others, grammars=self.grammars)


def load_engine(
    name: str,
    trees: str | None = None,
    files: Mapping[str, str] = NO_FILES,
    edits_grammars: bool = False,
) -> Engine:
    """Return the engine of a model by its name or path, ready for sessions; any thread may call this.

    Grammars are given as names or files, and read anew each time.
    """
    engine = Engine(short_name(name), load_model(name, trees), files, edits_grammars)
    engine.new_session()
    return engine


class Engines:
    """Models of a server by name, the default first, and the engines of those that were used.

    facts    languages and abilities of all models, by name
    loaded   engines, by name; all but that of the default model are loaded when a client first uses them
    others   models and searchers of these engines, for the documents of all sessions
    """

    def __init__(self, models: ServedModels) -> None:
        self._paths, self._models = models.by_name, models
        self.facts: dict[str, ModelFacts] = {}
        self.loaded: dict[str, Engine] = {}
        self.others: dict[str, OtherModel] = {}
        self._coming: dict[str, asyncio.Task[Engine]] = {}

    @classmethod
    def holding(cls, loaded: Mapping[str, Engine]) -> Engines:
        """Return engines of models that are all loaded."""
        engines = cls(ServedModels([*loaded]))
        engines.keep(loaded)
        return engines

    @property
    def names(self) -> list[str]:
        """Names of all models, the default first."""
        return [*self._paths]

    @property
    def edits_grammars(self) -> bool:
        """True if clients may bring grammars of their own."""
        return self._models.edits_grammars

    def grammars_of(self, name: str) -> list[str]:
        """Return the names of the grammars that documents of a model can choose."""
        return offered_names(self._models.grammar_files(name))

    def abilities_of(self, name: str) -> list[str]:
        """Return what a model knows, and whether people are told of mistakes in its language."""
        facts = self.facts[name]
        tells_mistakes = facts.language in GRAMMARS or bool(self._models.grammar_files(name))
        return [*facts.abilities, *(["mistakes"] if tells_mistakes else [])]

    @property
    def default(self) -> str:
        """Name of the default model."""
        return next(iter(self._paths))

    @property
    def is_ready(self) -> bool:
        """True once the engine of the default model is loaded."""
        return bool(self._paths) and self.default in self.loaded

    def told_of_loading(self, seconds: float) -> str:
        """Return the line that reports the models that are loaded."""
        others = [name for name in self._paths if name not in self.loaded]
        later = f"; {', '.join(others)}: loaded when first used" if others else ""
        return f"{', '.join(self.loaded)}: loaded in {seconds:.1f} s{later}"

    def load(self, *names: str) -> dict[str, Engine]:
        """Return new engines of models, and read the facts about all models; any thread may call this."""
        self.facts |= {name: facts_in_file(path) for name, path in self._paths.items()}
        return {name: self._load_now(name) for name in names}

    def _load_now(self, name: str) -> Engine:
        files, models = self._models.grammar_files(name), self._models
        return load_engine(self._paths[name], models.trees, files, models.edits_grammars)

    def keep(self, engines: Mapping[str, Engine]) -> None:
        """Use engines for new documents, in place of earlier ones of the same names."""
        self.loaded.update(engines)
        for name, engine in engines.items():
            self.others[name] = OtherModel(engine.model, engine.searcher, engine.grammars)
            self.facts[name] = facts_of(engine.model.information)

    async def get(self, name: str, log: Log) -> Engine:
        """Return the engine of a model, which is loaded if it was not, at most once at a time.

        Raise InputError if that fails; the next call tries again.
        """
        if name in self.loaded:
            return self.loaded[name]
        if name not in self._coming:
            self._coming[name] = coming = asyncio.create_task(self._load(name, log))
            coming.add_done_callback(lambda _: self._coming.pop(name))
        return await asyncio.shield(self._coming[name])

    async def _load(self, name: str, log: Log) -> Engine:
        start = perf_counter()
        try:
            engine = await beside_loop(lambda: self._load_now(name))
        except InputError as error:
            log.error("a model could not be loaded", model=name, error=str(error))
            raise
        self.keep({name: engine})
        log.info("loaded", model=name, seconds=round(perf_counter() - start, 3))
        return engine

    async def load_again(self) -> None:
        """Load all engines again that were loaded; if that fails, nothing changes."""
        if self._coming:
            await asyncio.wait(self._coming.values())
        self.keep(await beside_loop(lambda: self.load(*self.loaded)))


async def beside_loop(work: Callable[[], T]) -> T:
    """Return the result of a function in a thread of its own, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def tell(say: Callable[..., None], what: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if future.done() else say(what))

    def do() -> None:
        try:
            tell(future.set_result, work())
        except BaseException as error:
            tell(future.set_exception, error)

    threading.Thread(target=do, name="getting ready", daemon=True).start()
    return await future
