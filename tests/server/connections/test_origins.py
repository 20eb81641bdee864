from __future__ import annotations

import pytest
from cases import each

from treewhile.server.connections.admission import is_allowed, is_loopback, is_origin


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "anything"),
        ("http://127.0.0.1:8080", "127.0.0.1:8080"),
        ("http://localhost:8080", "LOCALHOST:8080"),
        ("http://[::1]:8080", "[::1]:8080"),
        ("https://pages.example", "127.0.0.1:8080"),
    ],
)
def test_programs_own_pages_and_named_ones_may_connect(origin: str | None, host: str) -> None:
    assert is_allowed(origin, host, ["https://Pages.example"], only_loopback=True)


@each(
    "origin, host",
    [
        ("http://evil.example", "127.0.0.1:8080"),
        ("http://evil.example:8080", "evil.example:8080"),  # a name that was made to point here
        ("http://127.0.0.1:9090", "127.0.0.1:8080"),
        ("https://pages.example.evil", "127.0.0.1:8080"),
        ("null", "127.0.0.1:8080"),
        ("null", ""),
        ("", ""),
        ("http://[", "["),
    ],
)
def test_other_pages_may_not(origin: str, host: str) -> None:
    assert not is_allowed(origin, host, ["https://pages.example"], only_loopback=True)


@each(
    "origin, has_tls, only_loopback, may",
    [
        ("http://127.0.0.1:8080", False, True, True),
        ("https://127.0.0.1:8080", False, True, False),
        ("https://127.0.0.1:8080", True, True, True),
        ("http://127.0.0.1:8080", True, True, False),
        ("http://127.0.0.1:8080", True, False, False),
        ("https://127.0.0.1:8080", False, False, True),  # TLS may end at another server
        ("ftp://127.0.0.1:8080", False, False, False),
    ],
)
def test_own_pages_came_as_the_server_sends_them(
    origin: str, has_tls: bool, only_loopback: bool, may: bool
) -> None:
    assert is_allowed(origin, "127.0.0.1:8080", [], only_loopback, has_tls) is may


@pytest.mark.parametrize(
    "named", ["*", "null", "https://a.example", "http://[::1]:80", "HTTPS://A.example:1"]
)
def test_origins_are_what_browsers_send(named: str) -> None:
    assert is_origin(named)


@each(
    "named",
    [
        "",
        "foo",
        "a.example",
        "https://",
        "https://a.example/",
        "https://a.example/x",
        "http://a:99999",
        "http://[",
        "https://a.example?x",
        "//a.example",
        "https:a",
        "http://a:0",
        " https://a.example",
    ],
)
def test_other_names_are_no_origins(named: str) -> None:
    assert not is_origin(named)


def test_a_server_for_all_takes_pages_of_any_name_it_is_called_by() -> None:
    assert is_allowed("https://trees.example", "trees.example", [], only_loopback=False)
    assert not is_allowed("https://evil.example", "trees.example", [], only_loopback=False)


def test_a_star_allows_all() -> None:
    assert is_allowed("null", "x", ["*"], only_loopback=True)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)],
)
def test_loopback_names_are_known(name: str, is_one: bool) -> None:
    assert is_loopback(name) is is_one
