"""HTTP requests and answers of doors: parameters and JSON, errors and pages."""

from __future__ import annotations

import base64
import binascii
import io
import quopri
from collections.abc import Generator, Mapping
from email.message import Message
from http import HTTPStatus
from typing import Final, NamedTuple, TypeAlias, TypeVar
from urllib.parse import parse_qsl

import msgspec
from multipart import MultipartError, MultipartParser, MultipartPart

from treewhile.oracles.errors import InputError

MOST_FIELDS: Final = 64  # in a form
Struct = TypeVar("Struct", bound=msgspec.Struct)


class RequestError(InputError):
    """Error about a request, with its HTTP status, and headers for the client."""

    def __init__(self, status: HTTPStatus, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Request(NamedTuple):
    """HTTP request; names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Answer(NamedTuple):
    """HTTP answer."""

    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = {}


# Work yields whenever other requests may have their turn, and returns the answer.
Work: TypeAlias = Generator[None, None, Answer]


def json_answer(content: object, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    return Answer(msgspec.json.encode(content), "application/json", status)


def text_answer(sentence: str, status: HTTPStatus) -> Answer:
    """Return an answer with one sentence."""
    return Answer(f"{sentence}\n".encode(), status=status)


def parameters(request: Request) -> dict[str, str]:
    """Return the parameters of the query and of a form in the body; the form takes precedence."""
    found = _pairs(request.query.encode())
    kind = Message()
    kind["content-type"] = request.headers.get("content-type", "")
    if not request.body:
        return found
    if kind.get_content_type() == "application/x-www-form-urlencoded":
        return {**found, **_pairs(request.body)}
    boundary = kind.get_boundary()
    if kind.get_content_type() == "multipart/form-data" and boundary:
        return {**found, **_parts(request.body, boundary)}
    what = f"the body is {kind['content-type']!r:.80}, which is no form here"
    instead = "send application/x-www-form-urlencoded or multipart/form-data"
    raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{what}: {instead}")


def json_of(request: Request, kind: type[Struct]) -> Struct:
    """Return the JSON of a request; raise InputError with the reason and place of a fault."""
    try:
        return msgspec.json.decode(request.body, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"this is not the JSON that belongs here: {error}") from None


def _pairs(form: bytes) -> dict[str, str]:
    try:
        return dict(
            parse_qsl(form.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
        )
    except ValueError as error:
        raise InputError(f"the parameters are no form in UTF-8 ({error}): encode them as one") from None


def _parts(body: bytes, boundary: str) -> dict[str, str]:
    """Return the parts of a multipart form by name, without writing any to the disk."""
    size = len(body) + 1
    limits = {"part_limit": MOST_FIELDS, "spool_limit": size, "memory_limit": size}
    try:
        parts = [*MultipartParser(io.BytesIO(body), boundary, len(body), **limits)]
    except MultipartError as error:
        what = f"the body is no form of at most {MOST_FIELDS} parts ({error})"
        raise InputError(f"{what}: send a whole one, with a name for each part") from None
    return {part.name: _text(part) for part in parts}


def _text(part: MultipartPart) -> str:
    try:
        return _decoded(part.raw, part.headers.get("content-transfer-encoding", "").lower()).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise InputError(
            f"the part {part.name!r:.40} of the form is no text in UTF-8: encode it so"
        ) from None


def _decoded(content: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return base64.b64decode(content)
    return quopri.decodestring(content) if encoding == "quoted-printable" else content
