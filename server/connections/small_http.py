"""Small HTTP server: the page, its files, and the state of the server, on the websocket port."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

# An installation has only the built files in this folder.
BESIDE: Final = Path(__file__).resolve().parents[2] / "web"
WEB: Final = BESIDE / "built" if (BESIDE / "built").is_dir() else BESIDE

SAFE: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

PAGE: Final = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>treewhile</title>
<h1>treewhile is running</h1>
<p>There is no editor in this installation. Programs connect to this address by WebSocket, with the
subprotocol <code>treewhile.v1+json</code> or <code>treewhile.v1+msgpack</code>, and send, for a start:</p>
<pre>{"type": "open", "document": "letter", "version": 0, "words": ["Peter", "drives", "a"]}</pre>
<p>All messages stand in <a href="asyncapi.json">asyncapi.json</a>.</p>
"""


class Page(NamedTuple):
    """Body and headers of an HTTP answer."""

    body: bytes
    content_type: str
    status: HTTPStatus = HTTPStatus.OK


def json_page(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(msgspec.json.encode(value), "application/json", status)


Pages = Mapping[str, Callable[[], Page]]


def read_files(folder: Path = WEB) -> dict[str, Page]:
    """Return the files of a folder by path; index.html is also the page of `/`."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    pages = {f"/{path.relative_to(folder).as_posix()}": _file(path) for path in files}
    return {"/": pages.get("/index.html", Page(PAGE, "text/html; charset=utf-8")), **pages}


def _file(path: Path) -> Page:
    guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = guessed.startswith("text/") or guessed in ("application/json", "image/svg+xml")
    return Page(path.read_bytes(), f"{guessed}; charset=utf-8" if is_text else guessed)


def is_upgrade(request: Request) -> bool:
    """Return whether a request asks for a websocket."""
    wanted = ",".join(request.headers.get_all("Upgrade")).lower()
    return "websocket" in [protocol.strip() for protocol in wanted.split(",")]


def answer(request: Request, files: Mapping[str, Page], live: Pages) -> Response:
    """Return the answer to a plain HTTP request."""
    if request.method not in ("GET", "HEAD"):
        return _response(text_page(HTTPStatus.METHOD_NOT_ALLOWED, "use GET or HEAD"), Allow="GET, HEAD")
    path = request.path.partition("?")[0]
    page = live[path]() if path in live else files.get(path)
    if page is None:
        page = text_page(HTTPStatus.NOT_FOUND, f"there is nothing here: try {', '.join(['/', *live])}")
    response = _response(page)
    if request.method == "HEAD":
        response.body = b""
    return response


def refusal(status: HTTPStatus, why: str, **more: str) -> Response:
    """Return the answer to a refused websocket request."""
    return _response(text_page(status, why), **more)


def text_page(status: HTTPStatus, text: str) -> Page:
    return Page(f"{text}\n".encode(), "text/plain; charset=utf-8", status)


def _response(page: Page, **more: str) -> Response:
    headers = Headers(
        {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            "Content-Length": str(len(page.body)),
            "Content-Type": page.content_type,
            **SAFE,
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
    )
    return Response(page.status, page.status.phrase, headers, page.body)
