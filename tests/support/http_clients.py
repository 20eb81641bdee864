"""Requests over HTTP as the scripts of others send them, and what comes back, whatever the status is."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, NamedTuple


class Reply(NamedTuple):
    status: int
    headers: Any
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


def ask(address: str, body: bytes | None = None, **headers: str) -> Reply:
    """What a server answers to GET, or to POST where there is a body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, body, named)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return Reply(response.status, response.headers, response.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, error.headers, error.read().decode())


def ask_with_form(address: str, **parameters: str) -> Reply:
    return ask(address, urllib.parse.urlencode(parameters).encode())


def ask_with_json(address: str, content: object) -> Reply:
    return ask(address, json.dumps(content).encode(), Content_Type="application/json")


def ask_with_parts(address: str, **parameters: str) -> Reply:
    """A form in parts, as `curl -F` and UDPipe's own client send it."""
    parts = "".join(
        f'--line\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in parameters.items()
    )
    kind = "multipart/form-data; boundary=line"
    return ask(address, f"{parts}--line--\r\n".encode(), Content_Type=kind)
