"""Files of the page, compressed and named by their contents, so that browsers load none of them twice.

Whatever costs time happens when a file is first asked for: a server starts no later for it, and there are
never more than two bodies of a file in memory.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
from functools import cached_property
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Final

from websockets.datastructures import Headers

from treewhile.server.connections.pages import Page

# An installation has only the built files in this folder.
BESIDE: Final = Path(__file__).resolve().parents[2] / "web"
WEB: Final = BESIDE / "built" if (BESIDE / "built").is_dir() else BESIDE

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

# Of gzip: 23 ms for the whole page; level 9 takes 30 ms and saves 0.2%, level 4 takes 13 ms and loses 4%.
LEVEL: Final = 6
LEAST_SAVED: Final = 0.1  # share of a file; where gzip saves less, it is not worth the browser's time
NAMED_BY_CONTENTS: Final = re.compile(r"-[A-Z0-9]{8}\.js$")  # by web/build.mjs
FOR_EVER: Final = "max-age=31536000, immutable"
GZIP: Final = ("gzip", "x-gzip")


class StaticFile:
    """File that stays the same while the server runs, in the encodings that clients may ask for."""

    def __init__(self, body: bytes, content_type: str, name: str = "") -> None:
        self.body, self.content_type = body, content_type
        self._caching = {"Cache-Control": FOR_EVER} if NAMED_BY_CONTENTS.search(name) else {}

    def page(self, asked: Headers) -> Page:
        """Return the answer to a request with these headers: the file, or that the client has it."""
        coding = "gzip" if self.gzipped and accepts_gzip(asked) else ""
        tag = f'"{self._digest}{coding and "-" + coding}"'
        headers = {"ETag": tag, **self._caching, **({"Vary": "Accept-Encoding"} if self.gzipped else {})}
        if is_known(tag, asked):
            return Page(b"", self.content_type, HTTPStatus.NOT_MODIFIED, headers)
        if coding:
            return Page(self.gzipped, self.content_type, headers={**headers, "Content-Encoding": coding})
        return Page(self.body, self.content_type, headers=headers)

    @cached_property
    def gzipped(self) -> bytes:
        """Compressed body; empty where that does not help."""
        smaller = gzip.compress(self.body, LEVEL, mtime=0)
        return smaller if len(smaller) <= (1 - LEAST_SAVED) * len(self.body) else b""

    @cached_property
    def _digest(self) -> str:
        return sha256(self.body).hexdigest()[:32]


def read_files(folder: Path = WEB) -> dict[str, StaticFile]:
    """Return the files of a folder by path; index.html is also the page of `/`."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = {f"/{path.relative_to(folder).as_posix()}": _file(path) for path in paths}
    return {"/": files.get("/index.html", StaticFile(PAGE, "text/html; charset=utf-8")), **files}


def _file(path: Path) -> StaticFile:
    guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    is_text = guessed.startswith("text/") or guessed in ("application/json", "image/svg+xml")
    return StaticFile(path.read_bytes(), f"{guessed}; charset=utf-8" if is_text else guessed, path.name)


def accepts_gzip(asked: Headers) -> bool:
    """Return whether a client takes gzip, and likes it no less than plain bytes."""
    weights = dict(map(_weighted, _listed(asked, "Accept-Encoding")))
    gzipped = max((weights[name] for name in GZIP if name in weights), default=weights.get("*", 0.0))
    return gzipped > 0 and gzipped >= weights.get("identity", 0.0)


def _weighted(coding: str) -> tuple[str, float]:
    """Return an encoding with its weight; one that is no number counts as 0."""
    name, *parameters = [part.strip() for part in coding.lower().split(";")]
    weight = next((value for value in parameters if value.startswith("q=")), "q=1")[2:]
    return name, float(weight) if re.fullmatch(r"[01](\.\d*)?", weight) else 0.0


def is_known(tag: str, asked: Headers) -> bool:
    """Return whether a client has what is marked with an entity tag."""
    known = [one.removeprefix("W/") for one in _listed(asked, "If-None-Match")]
    return tag in known or "*" in known


def _listed(asked: Headers, name: str) -> list[str]:
    return [one.strip() for one in ",".join(asked.get_all(name)).split(",") if one.strip()]
