"""Hostile HTTP at the port of a server: it gets one sentence, and those who type notice nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode

import pytest
from http_clients import ask, ask_with_form
from own_certificates import certificate_in
from real_servers import RealServer
from websockets.sync.client import connect

from treewhile.server.doors.desk.exchanges import exchange
from treewhile.server.doors.desk.requests import Answer, Request, text_answer

PATIENCE = 60.0
ALL = {"tokenizer": "", "tagger": "", "parser": ""}
HOST = b"Host: localhost\r\n"
CHUNKED = b"POST /process HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


def said(served: RealServer, request: bytes) -> bytes:
    """All that comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
        client.sendall(request)
        return all_of(client)


def all_of(client: socket.socket) -> bytes:
    """All that comes until the other side has said everything."""
    answer = b""
    while more := client.recv(1 << 16):
        answer += more
    return answer


def is_well(served: RealServer) -> bool:
    """Whether the server answers over HTTP and over websockets."""
    reply = ask_with_form(f"{served.address}process", data="Dogs bark.", **ALL)
    with connect(served.address.replace("http", "ws"), proxy=None) as typist:
        typist.send(json.dumps({"type": "open", "document": "d", "version": 0, "words": ["Dogs"]}))
        return reply.status == 200 and '"sentences"' in str(typist.recv(timeout=PATIENCE))


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /process\r\n\r\n", b"400"),
        (b"GET /process HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /models HTTP/1.1\r\n" + HOST + b"\r\n", b"200"),
        (b"DELETE /models HTTP/1.1\r\n" + HOST + b"\r\n", b"405"),
        (b"GET /parser/models/nothing HTTP/1.1\r\n" + HOST + b"\r\n", b"404"),
        (b"GET /process?data=" + b"x" * 200_000, b"431"),
        (b"GET /models HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 200_000, b"431"),
        (b"POST /process HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999\r\n\r\nx", b"413"),
        (b"POST /process HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\nx", b"400"),
        (b"POST /process HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", b"400"),
        (CHUNKED + b"\r\nnot hexadecimal\r\n", b"400"),
        (CHUNKED + FORM + b"\r\n6\r\ndata=x\r\n0\r\n\r\n", b"400"),
        (CHUNKED + b"\r\n" + b"100000\r\n" + b"x" * (1 << 20) + b"\r\n" + b"", b""),
        (
            b"GET /models HTTP/1.1\r\n" + HOST + b"\r\n" * 2 + b"GET /models HTTP/1.1\r\n" + HOST + b"\r\n",
            b"200",
        ),
    ],
)
def test_hostile_requests_have_their_status(served: RealServer, request_bytes: bytes, status: bytes) -> None:
    if not status:  # one that never ends: its client leaves
        with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
            client.sendall(request_bytes)
    else:
        answer = said(served, request_bytes)
        assert answer.startswith(b"HTTP/1.1 " + status), answer[:200]
        assert answer.count(b"HTTP/1.1 " + status) == 1
    assert is_well(served)


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "8bit"])
def test_parts_of_a_form_may_be_encoded_as_in_mail(served: RealServer, encoding: str) -> None:
    text = {"base64": "RG9ncyBiYXJrLg==", "quoted-printable": "Dogs bark=2E", "8bit": "Dogs bark."}[encoding]
    part = (
        f'Content-Disposition: form-data; name="data"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{text}'
    )
    body = f"--line\r\n{part}\r\n--line--\r\n".encode()
    query = urlencode(ALL)
    kind = "multipart/form-data; boundary=line"
    reply = ask(f"{served.address}process?{query}", body, Content_Type=kind)
    assert "# text = Dogs bark.\n" in reply.json["result"]


@pytest.mark.parametrize(
    "body",
    [
        b"--line\r\n",
        b"--line\r\n\r\nx\r\n--line--\r\n",
        b'--line\r\nContent-Disposition: form-data; name="data"\r\n\r\nDogs',
        b'--line\r\nContent-Disposition: form-data; name="data"\r\n\r\n\xff\r\n--line--\r\n',
        b'--line\r\nContent-Disposition: form-data; name="data"\r\n\r\nx\r\n' * 70 + b"--line--\r\n",
    ],
)
def test_forms_in_parts_that_are_none_are_told_in_a_sentence(served: RealServer, body: bytes) -> None:
    reply = ask(f"{served.address}process", body, Content_Type="multipart/form-data; boundary=line")
    assert (reply.status, reply.text.count("\n")) == (400, 1)


def test_a_client_is_told_to_go_on_where_it_waits_for_that(served: RealServer) -> None:
    head = b"POST /process HTTP/1.1\r\n" + HOST + FORM + b"Expect: 100-continue\r\nContent-Length: 6\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
        client.sendall(head)
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 100")
        client.sendall(b"data=1")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 ")


async def test_an_exchange_ends_once_its_client_has_the_answer() -> None:
    async def answer(request: Request) -> Answer:
        return text_answer(request.path, HTTPStatus.OK)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchanges.append(asyncio.ensure_future(exchange(reader, writer, answer)))

    exchanges: list[asyncio.Future[None]] = []
    async with await asyncio.start_server(serve, "127.0.0.1") as server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"GET /models HTTP/1.1\r\n" + HOST + b"\r\n")
        assert (await reader.read()).endswith(b"/models\n")
        assert not exchanges[0].done(), "its client may still be sending"
        writer.close()
        await exchanges[0]


def test_requests_may_come_byte_by_byte(served: RealServer) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
        for byte in b"GET /models HTTP/1.1\r\n" + HOST + b"\r\n":
            client.sendall(bytes([byte]))
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
def test_many_who_leave_at_once_do_no_harm(served: RealServer) -> None:
    def leave(_: int) -> None:
        with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
            client.sendall(b"POST /process HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\nhalf")

    with ThreadPoolExecutor(16) as threads:
        assert len([*threads.map(leave, range(200))]) == 200
    assert is_well(served)


def test_many_short_requests_wait_for_their_turns(served: RealServer) -> None:
    address = f"{served.address}process?data=hello&tokenizer="
    with ThreadPoolExecutor(40) as clients:
        answers = [*clients.map(ask, [address] * 80)]
    assert {answer.status for answer in answers} == {200}


def test_pages_and_websockets_have_their_paths_as_before(served: RealServer) -> None:
    assert ask(served.address).status == 200
    assert ask(f"{served.address}readyz").json["ready"] is True
    assert ask(f"{served.address}models.js").status == 404


@pytest.mark.slow
def test_the_token_and_the_origin_count_here_too() -> None:
    with RealServer("en", "--token", "secret", "--origin", "https://trees.example") as server:
        models = f"{server.address}models"
        assert ask(models).status == 401
        assert ask(models, Authorization="Bearer wrong").status == 401
        assert ask(models, Authorization="Bearer secret").status == 200
        assert ask(models, Authorization="Basic YW55OnNlY3JldA==").status == 200
        refused = ask(models, Authorization="Bearer secret", Origin="https://evil.example")
        assert refused.status == 403
        opened = ask(models, Authorization="Bearer secret", Origin="https://trees.example")
        assert opened.headers["Access-Control-Allow-Origin"] == "https://trees.example"


def desks_of(server: RealServer) -> set[int]:
    """The processes at the desk, which are children of the server; one that is to end may still have work."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):  # it has just ended
            if entry.name.isdigit() and b"treewhile.server.doors.desk" in (entry / "cmdline").read_bytes():
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                found |= {int(entry.name)} if int(parent) == server.process.pid else set()
    return found


@pytest.mark.slow
def test_doors_are_open_under_tls(tmp_path: Path) -> None:
    cert, key = certificate_in(tmp_path)
    with RealServer("en", "--cert", str(cert), "--key", str(key)) as server:
        trusting = ssl.create_default_context(cafile=cert)
        form = urlencode({"data": "Dogs bark.", **ALL}).encode()
        reply = said_to(server, trusting, form)
        assert reply.startswith(b"HTTP/1.1 200")
        assert b"bark" in reply


def said_to(server: RealServer, trusting: ssl.SSLContext, form: bytes) -> bytes:
    """All that comes back for a form under TLS."""
    length = f"Content-Length: {len(form)}\r\n\r\n".encode()
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=300) as plain,
        trusting.wrap_socket(plain, server_hostname="localhost") as client,
    ):
        client.sendall(b"POST /process HTTP/1.1\r\n" + HOST + FORM + length + form)
        return all_of(client)


class Begun:
    """A request that is on its way: the desk has heard half of it."""

    def __init__(self, server: RealServer) -> None:
        form = urlencode({"data": "Dogs bark.", **ALL}).encode()
        self.rest = form[5:]
        self.client = socket.create_connection(("127.0.0.1", server.port), timeout=300)
        length = f"Expect: 100-continue\r\nContent-Length: {len(form)}\r\n\r\n".encode()
        self.client.sendall(b"POST /process HTTP/1.1\r\n" + HOST + FORM + length)
        assert self.client.recv(1 << 16).startswith(b"HTTP/1.1 100")
        self.client.sendall(form[:5])

    def finish(self) -> bytes:
        """All that is answered."""
        with self.client:
            self.client.sendall(self.rest)
            return all_of(self.client)


def is_ready(server: RealServer) -> bool:
    """Whether it takes work, and has not begun to end."""
    with suppress(OSError):
        return ask(f"{server.address}readyz").status == 200
    return False


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_on_its_way_is_answered_when_the_server_is_told_to_end(workers: str) -> None:
    with RealServer("en", "--workers", workers, "--drain-seconds", "60") as server:
        assert ask(f"{server.address}models").status == 200
        begun = Begun(server)
        server.process.send_signal(signal.SIGTERM)
        while is_ready(server):
            pass
        answer = begun.finish()
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"bark" in answer
        server.process.communicate(timeout=300)
        assert server.process.returncode == 0


def takes_clients(server: RealServer) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_on_its_way_is_answered_when_all_is_loaded_anew(workers: str) -> None:
    with RealServer("en", "--workers", workers) as server:
        assert ask(f"{server.address}models").status == 200
        before, begun = desks_of(server), Begun(server)
        server.process.send_signal(signal.SIGHUP)
        while desks_of(server) <= before:
            ask(f"{server.address}models")
        answer = begun.finish()
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"bark" in answer
        assert is_well(server)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_desk_that_is_killed_is_there_again_with_the_next_request(workers: str) -> None:
    with RealServer("en", "--workers", workers) as server:
        models = f"{server.address}models"
        assert ask(models).status == 200
        (before,) = desks_of(server)
        os.kill(before, signal.SIGKILL)
        assert ask(models).status == 200
        assert before not in desks_of(server)


@pytest.mark.slow
def test_without_http_there_is_nothing_at_these_paths() -> None:
    with RealServer("en", "--no-http") as server:
        assert ask(f"{server.address}models").status == 404
