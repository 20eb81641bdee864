"""`treewhile serve` as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Timer
from typing import IO, Any
from urllib.parse import urlsplit

import pytest
from cases import each
from click.testing import CliRunner
from own_certificates import certificate_in
from process_lists import builders
from real_servers import SERVE
from websockets.sync.client import ClientConnection, connect

from treewhile.incremental.parsers.parsing import read_parser
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.server.client.client import connect as open_client
from treewhile.server.commands import treewhile
from treewhile.server.commands.serve import LIMITS
from treewhile.server.limits import Limits

PATIENCE = 120  # seconds, for kernels that have to be compiled first
IN_TIME = 2  # seconds in which a server answers what needs no kernels, and ends
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Running:
    """A server that says things."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*SERVE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )

    @property
    def stdout(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout

    def until(self, what: str) -> str:
        """The next line with these words, which a server that is ended for its silence has not said."""
        silence = Timer(3 * PATIENCE, self.process.kill)
        silence.start()
        try:
            for line in self.stdout:
                if what in line:
                    return line
        finally:
            silence.cancel()
        raise AssertionError(f"it ended before it said {what!r}: {self.errors()}")

    def errors(self) -> str:
        assert self.process.stderr
        return self.process.stderr.read()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@pytest.fixture
def serve(model_file: Callable[..., Path]) -> Iterator[Callable[..., Running]]:
    """Starts servers with a tiny model; none outlives its test."""
    path = str(model_file())
    started: list[Running] = []

    def run(*arguments: str, **environment: str) -> Running:
        started.append(Running("--model", path, *arguments, **environment))
        return started[-1]

    yield run
    for server in started:
        with contextlib.suppress(ProcessLookupError):
            server.process.kill()
        server.process.communicate()


def holds_back(pid: int, number: int) -> bool:
    """Whether a process waits with a signal, but not with all, as each does before it runs its program."""
    status = Path(f"/proc/{pid}/status").read_text()
    held = int(status.split("SigBlk:")[1].split()[0], 16)
    return bool(held >> number - 1 & 1) and not held >> signal.SIGUSR1 - 1 & 1


def address_in(line: str) -> str:
    return line.split("open ")[1].split(" ")[0]


def say(socket_address: str, **message: object) -> list[dict[str, object]]:
    with connect(socket_address) as client:
        client.send(json.dumps(message))
        return [json.loads(client.recv(timeout=PATIENCE)) for _ in range(2)]


@pytest.mark.slow
def test_it_says_where_it_is_when_it_is_ready_and_drains_when_told_to_end(
    serve: Callable[..., Running],
) -> None:
    server = serve("--port", "0")
    address = address_in(server.until("ready"))
    server.until("loaded in")
    with urllib.request.urlopen(address + "readyz", timeout=PATIENCE) as response:
        assert json.load(response)["ready"] is True
    with connect(address.replace("http", "ws")) as client:
        client.send('{"type": "open", "document": "d", "version": 0, "words": ["secret"]}')
        assert json.loads(client.recv(timeout=PATIENCE))["type"] == "sentences"
        server.process.send_signal(signal.SIGTERM)
        while json.loads(client.recv(timeout=PATIENCE))["type"] != "goodbye":
            pass
        with contextlib.suppress(Exception):
            client.recv(timeout=PATIENCE)
        assert client.protocol.close_code == 1012
    assert server.process.wait(60) == 0
    lines = [json.loads(line) for line in server.errors().splitlines()]
    assert [line["event"] for line in lines] == ["listening", "draining", "closed"]
    assert "secret" not in str(lines)


@pytest.mark.slow
def test_what_is_opened_or_comes_back_while_it_starts_is_searched_before_it_is_settled(
    serve: Callable[..., Running], tmp_path: Path
) -> None:
    hello: dict[str, object] = {"type": "hello"}
    opening = [
        {"type": "open", "document": "d", "version": 0, "words": ["the", "dog", "barks"]},
        {"type": "finish", "document": "d", "version": 1},
        {"type": "append", "document": "d", "version": 2, "words": ["cat"]},
    ]
    for messages in (opening, []):
        server = serve("--port", "0", "--sessions", str(tmp_path))
        with connect(address_in(server.until("ready")).replace("http", "ws")) as client:
            for message in (hello, *messages):
                client.send(json.dumps(message))
            hello["resume"] = json.loads(client.recv(timeout=PATIENCE))["session"]
            assert levels_in_the_end(client, sentences=2, version=2) == [["L0", "L1", "L2"]] * 2
        server.end(signal.SIGKILL)


@pytest.mark.slow
def test_what_is_fixed_outlasts_a_server_that_is_killed(
    serve: Callable[..., Running], tmp_path: Path
) -> None:
    text = "The dog sees a cat. It barks at the old"
    about: dict[str, object] = {"document": "d", "version": 0}
    server = serve("--model", "en", "--port", "0", "--sessions", str(tmp_path))
    with connect(address_in(server.until("ready")).replace("http", "ws")) as client:
        client.send('{"type": "hello", "model": "en"}')
        token = json.loads(client.recv(timeout=PATIENCE))["session"]
        client.send(json.dumps({**about, "type": "open", "text": text, "options": {"deltas": False}}))
        words_in_the_end(client)
        fix = {**about, "type": "fix", "sentence": 0, "heads": {"4": 3}, "labels": {"5": "iobj"}}
        client.send(json.dumps(fix))
        assert fixed_in(words_in_the_end(client)) == {4: ["head"], 5: ["label"]}
        edit = {**about, "type": "edit", "version": 1, "start": len(text), "end": len(text), "text": " man"}
        client.send(json.dumps(edit))
        levels_in_the_end(client, sentences=1, version=1)
    server.end(signal.SIGKILL)
    server = serve("--model", "en", "--port", "0", "--sessions", str(tmp_path))
    with connect(address_in(server.until("ready")).replace("http", "ws")) as client:
        client.send(json.dumps({"type": "hello", "resume": token}))
        words = words_in_the_end(client)
        assert fixed_in(words) == {4: ["head"], 5: ["label"]}
        assert (words[3]["head"], words[4]["label"]) == (3, "iobj")


def words_in_the_end(client: ClientConnection) -> list[dict[str, Any]]:
    """The words of the first sentence once it is final."""
    while True:
        told = json.loads(client.recv(timeout=PATIENCE))
        if told.get("stage") == "final" and told["sentence"] == 0:
            return list(told["words"])


def fixed_in(words: list[dict[str, Any]]) -> dict[int, list[str]]:
    return {number: word["fixed"] for number, word in enumerate(words, 1) if "fixed" in word}


def levels_in_the_end(client: ClientConnection, sentences: int, version: int) -> list[list[str]]:
    """The levels that so many sentences have gone through once nothing improves them, and all is answered."""
    found: dict[int, list[str]] = {}
    answered: list[int] = []
    while len(found) < sentences or version not in answered:
        told = json.loads(client.recv(timeout=PATIENCE))
        answered += told.get("answers", [])
        if told.get("stage") in ("settled", "final"):
            found[told["sentence"]] = told["levels"]
    return [found[place] for place in sorted(found)]


@pytest.mark.alone  # since plain searches, at a low priority, take minutes where others use all cores
@pytest.mark.parametrize("workers", ["1", "2"])
def test_on_a_fresh_machine_all_levels_are_served_while_kernels_are_built(
    serve: Callable[..., Running], workers: str, tmp_path: Path
) -> None:
    server = serve("--model", "en", "--port", "0", "--workers", workers, NUMBA_CACHE_DIR=str(tmp_path))
    with connect(address_in(server.until("ready")).replace("http", "ws")) as client:
        client.send('{"type": "hello", "model": "en"}')
        client.send('{"type": "open", "document": "d", "version": 0, "text": "The dog sees a cat. It"}')
        assert levels_in_the_end(client, sentences=1, version=0) == [["L0", "L1", "L2"]]
        while not builders(tmp_path):
            time.sleep(0.05)
    assert server.end() == 0
    assert [line for line in server.errors().splitlines() if not line.startswith("{")] == []
    while builders(tmp_path):
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_may_be_told_to_end_while_it_starts(
    serve: Callable[..., Running], number: int, workers: str
) -> None:
    for seconds in (0.0, 0.4, 0.8):  # what it does then depends on the machine
        server = serve("--port", "0", "--workers", workers)
        while not holds_back(server.process.pid, signal.SIGHUP):
            time.sleep(0.005)
        time.sleep(seconds)
        assert server.end(number) == 0
        assert [line for line in server.errors().splitlines() if not line.startswith("{")] == []


@pytest.mark.alone
@pytest.mark.parametrize(("workers", "kept"), [("1", True), ("2", True), ("1", False)])
def test_it_ends_in_time_while_it_compiles_whatever_its_clients_do(
    serve: Callable[..., Running], tmp_path: Path, workers: str, kept: bool
) -> None:
    cache = tmp_path if kept else Path(os.devnull, "nothing")  # then the server compiles for itself
    server = serve("--port", "0", "--workers", workers, NUMBA_CACHE_DIR=str(cache))
    address = address_in(server.until("ready"))
    where = urlsplit(address).hostname, urlsplit(address).port
    with (
        socket.create_connection(where),
        socket.create_connection(where) as mute,
        connect(address.replace("http", "ws")) as client,
    ):
        mute.sendall(HANDSHAKE)
        assert mute.recv(4096).startswith(b"HTTP/1.1 101 ")
        client.send('{"type": "hello"}')
        assert json.loads(client.recv(timeout=PATIENCE))["type"] == "welcome"
        client.send('{"type": "open", "document": "d", "version": 0, "text": "the dog sees a cat"}')
        client.send('{"type": "ping", "number": 1}')
        while json.loads(client.recv(timeout=IN_TIME))["type"] != "pong":
            """The server says how far it is."""
        begin = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - begin < IN_TIME
        while json.loads(client.recv(timeout=0))["type"] != "goodbye":
            """It had said more."""


@pytest.mark.slow
def test_a_model_that_cannot_be_used_ends_the_start(tmp_path: Path) -> None:
    path = tmp_path / "broken.safetensors"
    path.write_bytes(b"no model")
    for workers in ("1", "2"):
        command = [*SERVE, "--port", "0", "--workers", workers, "--model", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 1
        [line] = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        assert line.startswith("treewhile: ")
        assert str(path) in line


@pytest.mark.slow
def test_flags_are_environment_variables_too(serve: Callable[..., Running]) -> None:
    server = serve(TREEWHILE_PORT="0", TREEWHILE_TOKEN="abc")
    address = address_in(server.until("ready")).replace("http", "ws")
    with connect(address) as client:
        client.send('{"type": "hello", "token": "abc"}')
        assert json.loads(client.recv(timeout=PATIENCE))["type"] == "welcome"
    assert server.end() == 0


@pytest.mark.slow
def test_a_port_that_is_taken_is_one_line(serve: Callable[..., Running]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = serve("--port", str(port))
        assert server.process.wait(PATIENCE) == 1
    assert server.errors().startswith(f"treewhile: cannot listen at 127.0.0.1 port {port} (")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--workers", "0"], 2, "--workers"),
        (["--trees", "any"], 2, "'any' is not one of 'projective', 'mh4'"),
        (["--port", "99999"], 2, "--port"),
        (["--key", "key.pem"], 2, "--cert"),
        (["--cert", "none.pem"], 1, "cannot read the certificate or its key, none.pem: No such file"),
        (["--documents", "0"], 2, "--documents"),
        (["--sessions", "/dev/null/folder"], 1, "cannot keep sessions"),
        (["--sessions", "/dev/null/folder", "--workers", "2"], 1, "cannot keep sessions"),
        (["--sessions", "mysql://here"], 1, "'mysql' keeps no sessions: give a folder, nats://HOST"),
        (["--sessions", "redis://u:secret@127.0.0.1:1"], 1, "start redis://127.0.0.1:1 or give another"),
    ],
)
def test_wrong_flags_are_explained(
    serve: Callable[..., Running], arguments: list[str], code: int, message: str
) -> None:
    server = serve("--port", "0", *arguments)
    assert server.process.wait(PATIENCE) == code
    errors = server.errors()
    assert message in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_metrics_have_their_own_port(serve: Callable[..., Running]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve("--port", "0", "--admin-port", str(port))
    address = address_in(server.until("ready")).replace("http", "ws")
    assert say(address, type="open", document="d", version=0, words=["dog"])
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as response:
        text = response.read().decode()
    assert 'treewhile_jobs_total{level="L0"} 1.0' in text
    assert "treewhile_first_analysis_seconds_count 1.0" in text
    assert server.end() == 0


@pytest.mark.slow
def test_crossing_edges_are_served_where_they_are_asked_for(
    serve: Callable[..., Running], model_file: Callable[..., Path]
) -> None:
    model, words = read_parser(model_file()), ["the", "old", "dog", "sees", "a", "cat", "."] * 3
    best = {trees: model.with_trees(trees).parse(words).heads for trees in ("projective", "mh4")}
    assert best["mh4"] != best["projective"]
    servers = {
        "projective": serve("--port", "0"),
        "mh4": serve("--port", "0", "--workers", "2", TREEWHILE_TREES="mh4"),
    }
    for trees, server in servers.items():
        address = address_in(server.until("ready")).replace("http", "ws")
        assert asyncio.run(heads_in_the_end(address, words)) == best[trees]
        assert server.end() == 0


async def heads_in_the_end(address: str, words: Sequence[str]) -> tuple[object, ...]:
    """The heads of best parses that are served for a whole sentence."""
    async with asyncio.timeout(PATIENCE), open_client(address) as client:
        document = await client.open("d", words=words, options=OptionChanges(levels=["L0", "L1"]))
        analyses = document.analyses()
        await document.finish()
        while (analysis := await anext(analyses)).stage != "final":
            pass
        return tuple(word.head for word in analysis.words)


@pytest.mark.slow
def test_tls_by_certificate_files(serve: Callable[..., Running], tmp_path: Path) -> None:
    cert, key = certificate_in(tmp_path)
    server = serve("--port", "0", "--cert", str(cert), "--key", str(key))
    port = address_in(server.until("https:")).rsplit(":", 1)[1].strip("/")
    trusting = ssl.create_default_context(cafile=cert)
    with connect(f"wss://localhost:{port}/", ssl=trusting) as client:
        client.send('{"type": "ping", "number": 1}')
        assert json.loads(client.recv(timeout=PATIENCE)) == {"type": "pong", "number": 1}
    assert server.end() == 0


@pytest.mark.slow
def test_a_certificate_is_renewed_while_people_type(serve: Callable[..., Running], tmp_path: Path) -> None:
    cert, key = certificate_in(tmp_path)
    server = serve("--port", "0", "--cert", str(cert), "--key", str(key))
    port = int(address_in(server.until("https:")).rsplit(":", 1)[1].strip("/"))
    server.until("loaded in")
    before = ssl.get_server_certificate(("localhost", port))
    with connect(f"wss://localhost:{port}/", ssl=ssl.create_default_context(cafile=cert)) as client:
        key.write_text("of another certificate, for a moment")
        server.process.send_signal(signal.SIGHUP)
        assert "the certificate cannot be used" in server.until("nothing new was loaded")
        assert ssl.get_server_certificate(("localhost", port)) == before
        certificate_in(tmp_path)
        server.process.send_signal(signal.SIGHUP)
        server.until("loaded in")
        assert ssl.get_server_certificate(("localhost", port)) == cert.read_text() != before
        client.send('{"type": "ping", "number": 1}')
        assert json.loads(client.recv(timeout=PATIENCE)) == {"type": "pong", "number": 1}
    assert server.end() == 0


def test_every_limit_is_a_flag() -> None:
    named = {name.replace("-", "_") for name in LIMITS}
    assert named | {"first_message_seconds", "token_seconds", "handshake_seconds"} == set(Limits.__slots__)


@each(
    "arguments, message",
    [
        (
            ["--origin", "foo"],
            "'foo' is no origin: give one like https://trees.example, without a path, or *.",
        ),
        (["--origin", "https://a.example/"], "'https://a.example/' is no origin"),
        (["--resume-seconds", "nan"], "nan is no number that can be counted to"),
        (["--drain-seconds", "inf"], "inf is not in the range"),
        (["--messages-a-second", "inf"], "inf is no number that can be counted to"),
        (["--slow-reader-seconds", "1e300"], "1e+300 is not in the range"),
        (["--threads", "100000"], "100000 is not in the range 1<=x<=256"),
        (["--workers", "100000"], "100000 is not in the range 1<=x<=256"),
    ],
)
def test_flags_that_mean_nothing_are_refused(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(treewhile, ["serve", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize("name", ["TREEWHILE_ORIGIN", "TREEWHILE_ORIGINS"])
def test_several_origins_stand_in_one_variable(name: str) -> None:
    result = CliRunner().invoke(treewhile, ["serve", "--port", "0"], env={name: "https://a.example foo"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'foo' is no origin" in result.stderr


def test_models_stand_in_a_variable() -> None:
    result = CliRunner().invoke(treewhile, ["serve", "--port", "0"], env={"TREEWHILE_MODEL": "none"})
    assert result.exit_code == 1
    assert "'none'" in result.stderr
