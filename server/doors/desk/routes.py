"""Dispatch of requests to doors by path, and handling of errors."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from treewhile.oracles.errors import InputError
from treewhile.server.doors import arborator, inception, udpipe
from treewhile.server.doors.desk import admission
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, Work, text_answer
from treewhile.server.doors.desk.service import Route, Service
from treewhile.server.logs import Log, place_of
from treewhile.server.process.desk import DeskSettings

ROUTES = (*udpipe.ROUTES, *arborator.ROUTES, *inception.ROUTES)
BROKEN = "something is broken here, and the log of the server says where: nothing was done"


class Answering:
    """Request handler of all doors."""

    def __init__(self, service: Service, settings: DeskSettings, log: Log) -> None:
        self._service, self._settings, self._log = service, settings, log

    async def answer(self, request: Request) -> Answer:
        """Return the answer to any request."""
        return admission.opened(request, await self._answer(request))

    async def _answer(self, request: Request) -> Answer:
        refuse = next((route.refuse for route in ROUTES if route.path.fullmatch(request.path)), text_answer)
        try:
            admission.check(request, self._settings)
            if request.method == "OPTIONS":
                return Answer(status=HTTPStatus.NO_CONTENT, headers=admission.PREFLIGHT)
            working = self._service.turns.begin(self._work(route_for(request), request), len(request.body))
            return await asyncio.wrap_future(working)
        except RequestError as error:
            refused = refuse(str(error), error.status)
            return refused._replace(headers={**refused.headers, **error.headers})
        except InputError as error:
            return refuse(str(error), HTTPStatus.BAD_REQUEST)
        except Exception as error:
            self._log.error("request failed", error=place_of(error))
            return refuse(BROKEN, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _work(self, route: Route, request: Request) -> Work:
        self._service.check()
        return (yield from route.work(request, self._service))


def route_for(request: Request) -> Route:
    """Return the route of a request; raise RequestError if its path or method is unknown."""
    found = [route for route in ROUTES if route.path.fullmatch(request.path)]
    for route in found:
        if request.method in route.methods:
            return route
    if found:
        allowed = ", ".join(sorted({method for route in found for method in route.methods}))
        raise RequestError(HTTPStatus.METHOD_NOT_ALLOWED, f"use {allowed}", Allow=allowed)
    raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing at this address: look into the documentation")
