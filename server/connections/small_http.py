"""Small HTTP server: the page, its files, and the state of the server, on the websocket port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from treewhile.server.connections.pages import Page, text_page
from treewhile.server.connections.static_files import StaticFile

SAFE: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

Pages = Mapping[str, Callable[[], Page]]


def is_upgrade(request: Request) -> bool:
    """Return whether a request asks for a websocket."""
    wanted = ",".join(request.headers.get_all("Upgrade")).lower()
    return "websocket" in [protocol.strip() for protocol in wanted.split(",")]


def answer(request: Request, files: Mapping[str, StaticFile], live: Pages) -> Response:
    """Return the answer to a plain HTTP request."""
    if request.method not in ("GET", "HEAD"):
        return _response(text_page(HTTPStatus.METHOD_NOT_ALLOWED, "use GET or HEAD"), Allow="GET, HEAD")
    response = _response(_page_at(request, files, live))
    if request.method == "HEAD":
        response.body = b""
    return response


def _page_at(request: Request, files: Mapping[str, StaticFile], live: Pages) -> Page:
    path = request.path.partition("?")[0]
    if path in live:
        return live[path]()
    if path in files:
        return files[path].page(request.headers)
    return text_page(HTTPStatus.NOT_FOUND, f"there is nothing here: try {', '.join(['/', *live])}")


def refusal(status: HTTPStatus, why: str, **more: str) -> Response:
    """Return the answer to a refused websocket request."""
    return _response(text_page(status, why), **more)


def _response(page: Page, **more: str) -> Response:
    headers = Headers(
        {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            **_about_body(page),
            **SAFE,
            **page.headers,
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
    )
    return Response(page.status, page.status.phrase, headers, page.body)


def _about_body(page: Page) -> dict[str, str]:
    if page.status is HTTPStatus.NOT_MODIFIED:
        return {}
    return {"Content-Length": str(len(page.body)), "Content-Type": page.content_type}
