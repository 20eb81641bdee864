"""Bodies and headers of HTTP answers."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec


class Page(NamedTuple):
    """Body and headers of an HTTP answer."""

    body: bytes
    content_type: str
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = {}


def json_page(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(msgspec.json.encode(value), "application/json", status)


def text_page(status: HTTPStatus, text: str) -> Page:
    return Page(f"{text}\n".encode(), "text/plain; charset=utf-8", status)
