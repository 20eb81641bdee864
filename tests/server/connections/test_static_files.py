"""Files of the page as browsers, proxies and scripts ask for them."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from websockets.datastructures import Headers

from treewhile.server.connections.static_files import StaticFile, accepts_gzip, read_files
from treewhile.server.process.server import Server

StartServer = Callable[..., Awaitable[Server]]


class Told(NamedTuple):
    """Answer of a server, with its bytes as they came."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(server: Server, path: str, method: str, headers: dict[str, str]) -> Told:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    told = Told(response.status, response.headers, response.read())
    connection.close()
    return told


async def get(server: Server, path: str, method: str = "GET", **headers: str) -> Told:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await asyncio.to_thread(ask, server, path, method, named)


async def test_a_client_that_takes_gzip_gets_the_same_page_in_fewer_bytes(start: StartServer) -> None:
    server = await start()
    for path in ("/", "/page.js", "/page.css", "/icon.svg", "/texts-de.json", "/asyncapi.json"):
        plain, zipped = await get(server, path), await get(server, path, Accept_Encoding="br, gzip")
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in plain.headers
        assert gzip.decompress(zipped.body) == plain.body
        assert len(zipped.body) < 0.7 * len(plain.body)
        for told in (plain, zipped):
            assert told.headers["Vary"] == "Accept-Encoding"
            assert told.headers["Content-Length"] == str(len(told.body))
            assert "default-src 'none'" in told.headers["Content-Security-Policy"]
            assert told.headers["X-Content-Type-Options"] == "nosniff"
        assert plain.headers["Content-Type"] == zipped.headers["Content-Type"]
        assert plain.headers["ETag"] != zipped.headers["ETag"]


async def test_a_client_that_has_a_file_gets_no_body_again(start: StartServer) -> None:
    server = await start()
    for encoding in ("gzip", "identity"):
        first = await get(server, "/page.js", Accept_Encoding=encoding)
        tag = first.headers["ETag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            for method in ("GET", "HEAD"):
                again = await get(server, "/page.js", method, Accept_Encoding=encoding, If_None_Match=known)
                assert (again.status, again.body) == (304, b"")
                assert again.headers["ETag"] == tag
                assert again.headers["Vary"] == "Accept-Encoding"
                assert "Content-Length" not in again.headers
        other = "identity" if encoding == "gzip" else "gzip"
        assert (await get(server, "/page.js", Accept_Encoding=other, If_None_Match=tag)).status == 200
    assert (await get(server, "/page.js", If_None_Match='"other"')).status == 200


async def test_head_tells_what_get_would_send(start: StartServer) -> None:
    server = await start()
    for headers in ({}, {"Accept_Encoding": "gzip"}):
        got, told = await get(server, "/page.js", **headers), await get(server, "/page.js", "HEAD", **headers)
        assert told.body == b""
        assert told.headers["Content-Length"] == str(len(got.body))
        assert told.headers.get("Content-Encoding") == got.headers.get("Content-Encoding")
        assert told.headers["ETag"] == got.headers["ETag"]


async def test_status_pages_are_never_kept(start: StartServer) -> None:
    server = await start()
    for path in ("/healthz", "/version", "/nothing"):
        told = await get(server, path, Accept_Encoding="gzip", If_None_Match="*")
        assert told.status != 304
        assert told.body
        assert told.headers["Cache-Control"] == "no-cache"
        assert "ETag" not in told.headers
        assert "Content-Encoding" not in told.headers


@pytest.mark.parametrize(
    ("value", "is_accepted"),
    [
        ("gzip", True),
        ("GZIP;Q=0.5", True),
        ("x-gzip", True),
        ("*", True),
        ("deflate, gzip; q=0.001, br", True),
        ("gzip;q=1.0, identity;q=0.5", True),
        ("identity;q=1, gzip;q=0.5", False),
        ("gzip;q=0, *", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000, x-gzip;q=0", False),
        ("*;q=0", False),
        ("identity", False),
        ("br, zstd", False),
        ("", False),
        ("gzip;q=high", False),
        ("gzip;q=-1", False),
        (",,;;,=", False),
    ],
)
def test_weights_of_encodings_count(value: str, is_accepted: bool) -> None:
    assert accepts_gzip(Headers({"Accept-Encoding": value})) == is_accepted
    assert not accepts_gzip(Headers())


def test_what_gzip_makes_no_smaller_is_sent_as_it_is() -> None:
    asked = Headers({"Accept-Encoding": "gzip"})
    for body in (random.Random(33).randbytes(5000), b"", b"short"):
        page = StaticFile(body, "image/png").page(asked)
        assert page.body == body
        assert {"Content-Encoding", "Vary"}.isdisjoint(page.headers)


def test_only_names_that_change_with_their_contents_are_kept_for_a_year(tmp_path: Path) -> None:
    names = {"chunk-ABC23XYZ.js": True, "moments_part-OEPLDQYQ.js": True, "page.js": False}
    names |= {"dep-tree.js": False, "names-de.json": False, "texts-de.json": False, "page-abcdefgh.js": False}
    for name in names:
        (tmp_path / name).write_text(name * 20)
    for name, is_kept in names.items():
        caching = read_files(tmp_path)[f"/{name}"].page(Headers()).headers.get("Cache-Control", "")
        assert ("immutable" in caching) == is_kept, name


def test_the_built_page_has_scripts_that_are_kept_for_a_year() -> None:
    kept = [path for path, file in read_files().items() if "Cache-Control" in file.page(Headers()).headers]
    assert len(kept) > 5
    assert all(path.startswith("/") and path.endswith(".js") for path in kept)


def test_without_an_editor_the_page_says_how_to_connect(tmp_path: Path) -> None:
    assert b"treewhile.v1+json" in read_files(tmp_path)["/"].body


def test_files_have_their_types_and_index_is_the_page(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("index.html", "lib/tree.js", "tree.svg", "x.unknown"):
        (tmp_path / name).write_text(name)
    files = read_files(tmp_path)
    assert files["/"].body == b"index.html"
    assert files["/lib/tree.js"].content_type.startswith("text/javascript")
    assert files["/tree.svg"].content_type == "image/svg+xml; charset=utf-8"
    assert files["/x.unknown"].content_type == "application/octet-stream"


def test_no_folder_means_no_files(tmp_path: Path) -> None:
    assert [*read_files(tmp_path / "none")] == ["/"]
