"""One HTTP/1.1 request and its answer on one connection, with limits of size and time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

import h11

from treewhile.server.doors.desk.requests import Answer, Request, RequestError, text_answer

MOST_HEAD: Final = 1 << 16  # bytes of headers and of the request line, in which clients of UDPipe send texts
MOST_BODY: Final = 4 << 20
HEAD_SECONDS, BODY_SECONDS = 10.0, 60.0
WRITE_SECONDS: Final = 10.0  # for a portion of the answer
PORTION: Final = 1 << 16
ALWAYS: Final = {"Connection": "close", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

TOO_LONG: Final = RequestError(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body may have {MOST_BODY} bytes at most: send it in pieces"
)
TOO_LATE: Final = RequestError(HTTPStatus.REQUEST_TIMEOUT, "the request did not end in time: send it at once")


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Callable[[Request], Awaitable[Answer]]
) -> None:
    """Read a request and write its answer; the work is cancelled if the client disconnects before."""
    conversation = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
    try:
        reply = await _answered(conversation, reader, writer, answer)
        if reply is not None:
            await _write(conversation, writer, reply)
            writer.write_eof()
            async with asyncio.timeout(WRITE_SECONDS):
                await _until_gone(reader)  # closing with unread data would discard the answer
    except (OSError, TimeoutError):  # the client is gone, or does not read
        pass
    finally:
        writer.close()


async def _answered(
    conversation: h11.Connection,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: Callable[[Request], Awaitable[Answer]],
) -> Answer | None:
    try:
        request = await _read(conversation, reader, writer)
    except RequestError as error:
        return text_answer(str(error), error.status)
    if request is None:
        return None
    answering, gone = asyncio.ensure_future(answer(request)), asyncio.ensure_future(_until_gone(reader))
    try:
        await asyncio.wait([answering, gone], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            return None
        return answering.result()._replace(body=b"") if request.method == "HEAD" else answering.result()
    finally:
        answering.cancel()
        gone.cancel()
        await asyncio.wait([answering, gone])  # a stream has one reader at a time


async def _until_gone(reader: asyncio.StreamReader) -> None:
    while await reader.read(PORTION):
        """More than one request is not for this connection."""


# --- reading ------------------------------------------------------------------------------------------------


async def _read(
    conversation: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Request | None:
    """Return the request, or None if the client disconnects before its end."""
    try:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await _next_event(conversation, reader)
        if not isinstance(head, h11.Request):
            return None
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(conversation, reader, writer, head)
    except TimeoutError:
        raise TOO_LATE from None
    except h11.RemoteProtocolError as error:
        what = f"this is no request over HTTP/1.1 ({error}): send one"
        raise RequestError(HTTPStatus(error.error_status_hint), what) from None
    if body is None:
        return None
    path, _, query = head.target.decode("latin-1").partition("?")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    return Request(head.method.decode("latin-1"), path, query, headers, body)


async def _next_event(conversation: h11.Connection, reader: asyncio.StreamReader) -> h11.Event | None:
    while (event := conversation.next_event()) is h11.NEED_DATA:
        data = await reader.read(PORTION)
        if not data:
            return None
        conversation.receive_data(data)
    assert isinstance(event, h11.Event)
    return event


async def _body(
    conversation: h11.Connection,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    head: h11.Request,
) -> bytes | None:
    """Return the whole body, or None if the client disconnects before its end."""
    if any(name == b"content-length" and int(value) > MOST_BODY for name, value in head.headers):
        raise TOO_LONG
    if conversation.they_are_waiting_for_100_continue:
        writer.write(conversation.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
    body = bytearray()
    while not isinstance(event := await _next_event(conversation, reader), h11.EndOfMessage):
        if not isinstance(event, h11.Data):
            return None
        body += event.data
        if len(body) > MOST_BODY:
            raise TOO_LONG
    return bytes(body)


# --- writing ------------------------------------------------------------------------------------------------


async def _write(conversation: h11.Connection, writer: asyncio.StreamWriter, answer: Answer) -> None:
    """Write an answer; raise TimeoutError if the client does not read."""
    headers = {
        **ALWAYS,
        "Date": formatdate(usegmt=True),
        "Content-Type": answer.content_type,
        **answer.headers,
    }
    if answer.status is not HTTPStatus.NO_CONTENT:
        headers["Content-Length"] = str(len(answer.body))
    status = answer.status
    response = h11.Response(status_code=status, headers=[*headers.items()], reason=status.phrase.encode())
    writer.write(conversation.send(response) or b"")
    for start in range(0, len(answer.body), PORTION):
        writer.write(conversation.send(h11.Data(data=answer.body[start : start + PORTION])) or b"")
        async with asyncio.timeout(WRITE_SECONDS):
            await writer.drain()
    writer.write(conversation.send(h11.EndOfMessage()) or b"")
    async with asyncio.timeout(WRITE_SECONDS):
        await writer.drain()
