"""What the doors at the desk share while it serves: the models, the thread, and which paths there are."""

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
    """The models, which are there when the first work has its turn, and the turns."""

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
        """Refuses all where there are no models."""
        if self._failure:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, str(self._failure))


class Route(NamedTuple):
    """What answers requests of a method to paths; `refuse` makes an answer of a sentence and a status."""

    methods: tuple[str, ...]
    path: re.Pattern[str]
    work: Callable[[Request, Service], Work]
    refuse: Callable[[str, HTTPStatus], Answer] = text_answer
