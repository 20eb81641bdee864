"""Folders over HTTP, for pages that come from somewhere else than the server."""

from __future__ import annotations

import functools
import http.server
import threading
from pathlib import Path


class PageServer:
    """Serves a folder over HTTP."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(QuietHandler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""
