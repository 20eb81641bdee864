"""The conversations of tests/vectors/transcripts, with a running server."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from treewhile.server.process.server import Server

FOLDER = Path(__file__).parent.parent / "vectors" / "transcripts"

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]


def fits(pattern: Any, value: Any, names: dict[str, Any]) -> bool:
    """Whether a value is what a pattern says; names take their values when they come first."""
    if pattern == "*":
        return True
    if isinstance(pattern, str) and pattern.startswith("$"):
        return bool(names.setdefault(pattern, value) == value)
    if isinstance(pattern, dict) and isinstance(value, dict):
        told = {name: part for name, part in pattern.items() if name != "..."}
        is_complete = "..." in pattern or told.keys() == value.keys()
        return is_complete and all(
            name in value and fits(part, value[name], names) for name, part in told.items()
        )
    if isinstance(pattern, list) and isinstance(value, list):
        return len(pattern) == len(value) and all(
            fits(part, one, names) for part, one in zip(pattern, value, strict=True)
        )
    return bool(pattern == value)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
async def test_the_server_says_what_the_transcript_says(start: StartServer, dial: Dial, path: Path) -> None:
    title, blank, *lines = path.read_text().splitlines()
    assert title
    assert not blank
    server, names = await start(), dict[str, Any]()
    wire = await dial(server)
    for line in lines:
        kind, said = line[:2], line[2:]
        if kind == "> ":
            await wire.socket.send(re.sub(r"\$\w+", lambda found: names.get(found[0], found[0]), said))
        elif kind == "< ":
            message = await wire.next()
            assert fits(json.loads(said), message, names), f"{said}\nis not\n{json.dumps(message)}"
        elif said == "lost":
            wire.socket.transport.abort()
            wire = await dial(server)
        else:
            assert kind == "! "
            assert said == f"closed {await wire.close_code()}"


def test_patterns_are_judged_by_all_that_they_say() -> None:
    assert fits({"a": 1, "b": "*"}, {"a": 1, "b": 2}, {})
    assert not fits({"a": 1}, {"a": 1, "b": 2}, {})
    assert fits({"a": 1, "...": "*"}, {"a": 1, "b": 2}, {})
    assert not fits({"a": [1, 2]}, {"a": [1]}, {})
    names: dict[str, Any] = {}
    assert fits("$token", "x", names)
    assert not fits("$token", "y", names)
