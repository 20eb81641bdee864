from __future__ import annotations

import asyncio
import http.client
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from treewhile.server.connections import small_http
from treewhile.server.process.server import Server

StartServer = Callable[..., Awaitable[Server]]


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    response.text = response.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return response


async def get(server: Server, path: str, method: str = "GET", **headers: str) -> Any:
    return await asyncio.to_thread(ask, server, path, method, **headers)


async def test_the_page_is_the_editor_and_may_load_nothing_from_elsewhere(start: StartServer) -> None:
    server = await start()
    response = await get(server, "/")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert 'src="page.js"' in response.text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    scripts = re.findall(r'(?:src|href)="([\w.-]+\.js)"', response.text)
    assert "page.js" in scripts
    for name in scripts:
        script = await get(server, f"/{name}")
        assert (script.status, script.headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")


async def test_asyncapi_health_readiness_and_version_are_json(start: StartServer) -> None:
    server = await start()
    for path in ("/asyncapi.json", "/healthz", "/readyz", "/version"):
        response = await get(server, path)
        assert (response.status, response.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(response.text)
    assert json.loads((await get(server, "/readyz")).text)["ready"] is True
    assert json.loads((await get(server, "/version")).text)["models"] == ["tiny"]
    assert json.loads((await get(server, "/healthz?verbose")).text)["loop_lag_ms"] >= 0


async def test_a_server_without_models_is_not_ready(start: StartServer) -> None:
    response = await get(await start(served={}), "/readyz")
    assert response.status == 503
    assert json.loads(response.text)["because"] == ["The models are being loaded."]


async def test_a_server_is_ready_while_its_kernels_are_plain_and_says_that_it_is_slow(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()
    for is_slow in (True, False):
        monkeypatch.setattr("treewhile.server.connections.host.are_kernels_plain", lambda: is_slow)  # noqa: B023
        response = await get(server, "/readyz")
        assert response.status == 200
        told = json.loads(response.text)
        assert told["levels"] == ["L0", "L1", "L2"]
        assert (told["share"] < 1) == bool(told["waits_for"]) == is_slow


async def test_what_is_not_there_and_what_is_not_allowed(start: StartServer) -> None:
    server = await start()
    assert (await get(server, "/nothing")).status == 404
    assert (await get(server, "/../pyproject.toml")).status == 404
    response = await get(server, "/", "POST")
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")
    head = await get(server, "/", "HEAD")
    assert (head.status, head.text) == (200, "")
    assert int(head.headers["Content-Length"]) > 0


async def test_websockets_have_their_path(start: StartServer) -> None:
    wanted = {"Connection": "Upgrade", "Upgrade": "websocket"}
    response = await get(await start(), "/elsewhere", **wanted)
    assert (response.status, response.text) == (404, "websockets connect to /\n")


@pytest.mark.parametrize("value", ["websocket", "WebSocket", "h2c, websocket"])
def test_an_upgrade_is_known_however_it_is_written(value: str) -> None:
    request = small_http.Request("/", small_http.Headers({"Upgrade": value}))
    assert small_http.is_upgrade(request)
