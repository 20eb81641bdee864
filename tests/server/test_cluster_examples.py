"""The examples of docs/how-to/cluster: balancers pass people on; files fit each other and the server."""

from __future__ import annotations

import json
import os
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from free_ports import free_port
from own_certificates import certificate_in
from real_servers import RealServer
from store_servers import nats
from waiting import PATIENCE
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from treewhile.server.commands.serve import command
from treewhile.server.process.server import Server

EXAMPLES = Path(__file__).parents[2] / "docs" / "how-to" / "cluster"
ROOT = EXAMPLES.parents[2]
COMPOSE = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())
METRIC = re.compile(r"treewhile_\w+")


Dial = Callable[[], ClientConnection]


@pytest.fixture
def two(model_file: Callable[..., Path], tmp_path: Path) -> Iterator[list[RealServer]]:
    store = nats(tmp_path / "store")
    with ExitStack() as running:
        options = ("--sessions", store.address, "--no-http", "--origin", "*")
        yield [running.enter_context(RealServer(model_file(), *options)) for _ in range(2)]
    store.kill()


@pytest.fixture
def sockets() -> Iterator[ExitStack]:
    with ExitStack() as sockets:
        yield sockets


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    return found or pytest.skip(f"{name} is missing: apt-get install {name}")


def placed(example: str, servers: list[RealServer]) -> str:
    """An example whose nodes are these servers."""
    text = (EXAMPLES / example).read_text()
    for number, server in enumerate(servers, 1):
        text = text.replace(f"node-{number}:8080", f"127.0.0.1:{server.port}")
    return text


def nginx(folder: Path, servers: list[RealServer], port: int) -> list[str]:
    site = placed("nginx.conf", servers).replace("listen 443", f"listen 127.0.0.1:{port}")
    site = site.replace("/etc/ssl/parse.example.org.pem", f"{folder}/cert.pem")
    site = site.replace("/etc/ssl/parse.example.org.key", f"{folder}/key.pem")
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; error_log {folder}/errors; daemon off;\n"
        f"events {{}}\nhttp {{ access_log off; client_body_temp_path {folder}/body;\n{site}}}\n"
    )
    return [program("nginx"), "-p", str(folder), "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"]


def haproxy(folder: Path, servers: list[RealServer], port: int) -> list[str]:
    text = placed("haproxy.cfg", servers).replace("bind :443", f"bind 127.0.0.1:{port}")
    both = folder / "both.pem"
    both.write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    (folder / "haproxy.cfg").write_text(text.replace("/etc/ssl/parse.example.org.pem", str(both)))
    return [program("haproxy"), "-db", "-f", str(folder / "haproxy.cfg")]


def dialled(sockets: ExitStack, dial: Dial) -> ClientConnection:
    """A connection; TimeoutError if there is none.

    Over TLS websockets 17.4 may wait for ever where one is refused and the line stays open.
    """
    return ThreadPoolExecutor(1).submit(lambda: sockets.enter_context(dial())).result(timeout=10)


def joined(sockets: ExitStack, dial: Dial, token: str | None = None) -> tuple[ClientConnection, Any]:
    """A connection by way of the balancer, and its welcome; it is tried again until there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket = dialled(sockets, dial)
        except (OSError, WebSocketException):
            time.sleep(0.05)
            continue
        socket.send(json.dumps({"type": "hello", **({"resume": token} if token else {})}))
        return socket, json.loads(socket.recv(timeout=PATIENCE))
    raise AssertionError("nobody answers behind the balancer")


def acknowledge(socket: ClientConnection, version: int, **change: Any) -> None:
    socket.send(json.dumps({"document": "d", "version": version, **change}))
    while version not in json.loads(socket.recv(timeout=PATIENCE)).get("answers", []):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("balancer", [nginx, haproxy])
def test_people_go_on_behind_a_balancer_when_their_server_is_killed(
    balancer: Callable[..., list[str]], two: list[RealServer], sockets: ExitStack, tmp_path: Path
) -> None:
    certificate_in(tmp_path)
    port = free_port()
    process = subprocess.Popen(balancer(tmp_path, two, port))
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    dial = partial(connect, f"wss://localhost:{port}", ssl=trusted, proxy=None)
    try:
        people = [joined(sockets, dial) for _ in range(4)]
        for socket, _ in people:
            acknowledge(socket, 0, type="open", words=["Peter"])
        two[0].kill()
        for _, welcome in people:
            again, resumed = joined(sockets, dial, welcome["session"])
            assert resumed["resumed"]
            assert [one["version"] for one in resumed["documents"]] == [0]
            acknowledge(again, 1, type="append", words=["sleeps"])
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


@pytest.mark.slow
def test_a_server_that_comes_back_behind_nginx_takes_everybody_at_once(
    two: list[RealServer], sockets: ExitStack, tmp_path: Path
) -> None:
    certificate_in(tmp_path)
    port = free_port()
    process = subprocess.Popen(nginx(tmp_path, two, port))
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    dial = partial(connect, f"wss://localhost:{port}", ssl=trusted, proxy=None)
    try:
        people = [joined(sockets, dial)[1] for _ in range(4)]
        two[0].kill()
        people = [joined(sockets, dial, welcome["session"])[1] for welcome in people]
        two[0].start()
        two[1].kill()
        for _ in people:
            sockets.enter_context(dial())  # at the first try
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def test_the_files_of_compose_are_there_and_its_options_are_the_servers() -> None:
    assert {*COMPOSE["services"]} == {"node-1", "node-2", "nats", "balancer", "prometheus"}
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for service in COMPOSE["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            name = source.removeprefix("./")
            assert source in COMPOSE["volumes"] or name.endswith(".pem") or (EXAMPLES / name).exists()
        assert {*service.get("depends_on", [])} <= {*COMPOSE["services"]}
    node = COMPOSE["services"]["node-1"]
    assert {word for word in node["command"] if word.startswith("--")} <= options
    assert (EXAMPLES / node["build"]).resolve() == ROOT
    assert "[cluster]" in (ROOT / "Dockerfile").read_text()


def test_prometheus_asks_the_servers_at_their_port_for_metrics() -> None:
    settings = yaml.safe_load((EXAMPLES / "prometheus.yml").read_text())
    [job] = settings["scrape_configs"]
    node = COMPOSE["services"]["node-1"]["command"]
    port = node[node.index("--admin-port") + 1]
    assert job["static_configs"][0]["targets"] == [f"node-1:{port}", f"node-2:{port}"]


async def test_every_metric_of_the_board_is_one_of_the_server(
    start: Callable[..., Awaitable[Server]],
) -> None:
    server = await start()
    there = {sample.name for metric in server.metrics.registry.collect() for sample in metric.samples}
    there |= {
        f"{metric.name}_total" for metric in server.metrics.registry.collect() if metric.type == "counter"
    }
    board = json.loads((EXAMPLES / "grafana.json").read_text())
    named = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in METRIC.findall(target["expr"])
    }
    assert named
    assert named <= there
