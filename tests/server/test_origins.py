from __future__ import annotations

import pytest

from treewhile.server.origins import is_allowed, is_loopback


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


@pytest.mark.parametrize(
    ("origin", "host"),
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
