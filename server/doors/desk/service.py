"""State that the doors of the desk share: models, the worker thread, and the type of routes."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from treewhile.oracles.errors import InputError
from treewhile.server.doors.desk.parsing import Models
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, Work, text_answer
from treewhile.server.doors.desk.turns import Turns
from treewhile.server.work.engines import load_engines
from treewhile.server.work.served_models import ServedModels


class Service:
    """Models, loaded before the first work, and the queue of work."""

    def __init__(self, served: ServedModels) -> None:
        self._served = served
        self._failure: InputError | None = None
        self.models = Models()
        self.turns = Turns(self._load)

    def _load(self) -> None:
        try:
            engines = load_engines(*self._served)
        except InputError as error:
            self._failure = error
        else:
            self.models.update((name, engine.model) for name, engine in engines.items())

    def check(self) -> None:
        """Raise RequestError if the models could not be loaded."""
        if self._failure:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, str(self._failure))


class Route(NamedTuple):
    """Handler for requests by method and path; `refuse` makes an answer from a sentence and a status."""

    methods: tuple[str, ...]
    path: re.Pattern[str]
    work: Callable[[Request, Service], Work]
    refuse: Callable[[str, HTTPStatus], Answer] = text_answer
