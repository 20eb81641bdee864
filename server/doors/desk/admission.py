"""Admission of requests by token and origin."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from treewhile.server.connections.origins import is_allowed
from treewhile.server.connections.tokens import is_token, shown
from treewhile.server.doors.desk.requests import Answer, Request, RequestError
from treewhile.server.process.desk import DeskSettings

PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type",
    "Access-Control-Max-Age": "600",
}


def check(request: Request, settings: DeskSettings) -> None:
    """Raise RequestError for a request that is not allowed."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if not is_allowed(origin, host, settings.origins, settings.only_loopback, settings.has_tls):
        what = f"pages from {origin!r:.80} may not ask here: start the server with --origin"
        raise RequestError(HTTPStatus.FORBIDDEN, what)
    is_preflight = request.method == "OPTIONS"  # browsers send no token with preflight requests
    if not is_preflight and not is_token(shown(request.headers.get("authorization")), settings.token):
        what = 'the token is missing or wrong: send "Authorization: Bearer ...", or it as the password'
        raise RequestError(HTTPStatus.UNAUTHORIZED, what, WWW_Authenticate='Bearer realm="treewhile"')


def opened(request: Request, answer: Answer) -> Answer:
    """Return the answer with headers that let an allowed page read it."""
    origin = request.headers.get("origin")
    if origin is None or answer.status is HTTPStatus.FORBIDDEN:
        return answer
    more = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    return answer._replace(headers={**answer.headers, **more})
