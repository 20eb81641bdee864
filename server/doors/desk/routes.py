"""Dispatch of requests to doors by path, with admission by token and origin, and handling of errors."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

from treewhile.oracles.errors import InputError
from treewhile.server.connections.admission import is_allowed, is_token, shown
from treewhile.server.doors import arborator, inception, udpipe
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, text_answer
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
        return _opened(request, await self._answer(request))

    async def _answer(self, request: Request) -> Answer:
        refuse = next((route.refuse for route in ROUTES if route.path.fullmatch(request.path)), text_answer)
        try:
            _check(request, self._settings)
            if request.method == "OPTIONS":
                return Answer(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)
            working = self._service.turns.begin(
                route_for(request).work(request, self._service), len(request.body)
            )
            return await asyncio.wrap_future(working)
        except RequestError as error:
            refused = refuse(str(error), error.status)
            return refused._replace(headers={**refused.headers, **error.headers})
        except InputError as error:
            return refuse(str(error), HTTPStatus.BAD_REQUEST)
        except Exception as error:
            self._log.error("request failed", error=place_of(error))
            return refuse(BROKEN, HTTPStatus.INTERNAL_SERVER_ERROR)


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


# --- admission ----------------------------------------------------------------------------------------------

PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type",
    "Access-Control-Max-Age": "600",
}


def _check(request: Request, settings: DeskSettings) -> None:
    """Raise RequestError for a request that is not allowed."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if not is_allowed(origin, host, settings.origins, settings.only_loopback, settings.has_tls):
        what = f"pages from {origin!r:.80} may not ask here: start the server with --origin"
        raise RequestError(HTTPStatus.FORBIDDEN, what)
    is_preflight = request.method == "OPTIONS"  # browsers send no token with preflight requests
    if not is_preflight and not is_token(shown(request.headers.get("authorization")), settings.token):
        what = 'the token is missing or wrong: send "Authorization: Bearer ...", or it as the password'
        raise RequestError(HTTPStatus.UNAUTHORIZED, what, WWW_Authenticate='Bearer realm="treewhile"')


def _opened(request: Request, answer: Answer) -> Answer:
    """Return the answer with headers that let an allowed page read it."""
    origin = request.headers.get("origin")
    if origin is None or answer.status is HTTPStatus.FORBIDDEN:
        return answer
    more = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    return answer._replace(headers={**answer.headers, **more})
