"""Servers in this process that share a folder, as workers do."""

from __future__ import annotations

import asyncio
import io
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.stores import session_file, session_writer
from treewhile.server.stores.session_database import SessionDatabase

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

LIMITS = Limits()
WORDS = ["the", "old", "dog", "sees"]


async def hello(wire: Any, token: str | None = None) -> dict[str, Any]:
    await wire.say("hello", **({"resume": token} if token else {}))
    welcome: dict[str, Any] = await wire.until("welcome")
    return welcome


async def typed(wire: Any) -> str:
    """The token of a session with a document of words, all of them acknowledged."""
    token: str = (await hello(wire))["session"]
    await wire.open(*WORDS)
    await wire.say("append", document="d", version=1, words=["cat"])
    await wire.answered(1)
    return token


async def test_another_server_goes_on_with_a_session(start: StartServer, dial: Dial, tmp_path: Path) -> None:
    one, other = await start(sessions=tmp_path), await start(sessions=tmp_path)
    first, second = await dial(one), await dial(other)
    token = await typed(first)
    welcome = await hello(second, token)
    assert (welcome["resumed"], welcome["epoch"], welcome["session"]) == (True, 2, token)
    assert held(welcome) == {"d": 1}
    assert [word["form"] for word in (await second.until("analysis"))["words"]] == [*WORDS, "cat"]
    await second.say("append", document="d", version=2, words=["barks"])
    await second.answered(2)
    assert await first.close_code() == 4409
    third = await dial(one)
    welcome = await hello(third, token)
    assert (welcome["epoch"], held(welcome)) == (3, {"d": 2})


async def test_the_same_server_goes_on_without_reading(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostedSession, "replay", lambda *_: pytest.fail("it was read from the disk"))
    server = await start(sessions=tmp_path)
    first, second = await dial(server), await dial(server)
    token = await typed(first)
    welcome = await hello(second, token)
    assert (welcome["resumed"], welcome["epoch"]) == (True, 2)
    assert held(welcome) == {"d": 1}
    assert await first.close_code() == 4409
    await second.say("append", document="d", version=2, words=["barks"])
    await second.answered(2)


async def test_a_server_that_ends_in_order_leaves_its_sessions(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    one = await start(sessions=tmp_path)
    wire = await dial(one)
    token = await typed(wire)
    await one.drain()
    assert await wire.close_code() == 1012
    welcome = await hello(await dial(await start(sessions=tmp_path)), token)
    assert (welcome["resumed"], held(welcome)) == (True, {"d": 1})


async def test_text_gold_and_steps_by_hand_are_resumed(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    first = await dial(await start(sessions=tmp_path))
    token = (await hello(first))["session"]
    await first.say("open", document="d", version=0, text="🎉 dog barks", positions="utf16")
    await first.say("edit", document="d", version=1, start=3, end=6, text="cat")
    await first.answered(1)
    await first.say("gold", document="d", version=1, sentence=0, heads=[3, 3, 0])
    await first.until("next_steps", reference="gold")
    await first.say("undo", document="d", version=1, sentence=0)
    told = await first.until("next_steps", by_hand=True)
    second = await dial(await start(sessions=tmp_path))
    assert (await hello(second, token))["resumed"] is True
    assert [word["form"] for word in (await second.until("analysis"))["words"]] == ["🎉", "cat", "barks"]
    await second.say("ask_steps", document="d", version=1, sentence=0)
    again = await second.until("next_steps")
    assert again.pop("entries_filled") >= told.pop("entries_filled"), "whose facts were found before, in part"
    assert again == told


async def test_answers_wait_for_the_disk_and_analyses_do_not(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    wire = await dial(await start(sessions=tmp_path))
    await hello(wire)
    await wire.open()
    await wire.answered(0)
    with locked(tmp_path):
        await wire.say("append", document="d", version=1, words=["dog"])
        said = await wire.until("analysis", version=1)
        assert "answers" not in said or said["answers"] == []
        await wire.say("ping", number=1)
        while (said := await wire.next())["type"] != "pong":
            assert not said.get("answers")
    assert (await wire.answered(1))["type"] == "sentences"


class locked:  # noqa: N801
    """A block in which nobody else can write."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / session_file.NAME, isolation_level=None)

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


async def test_draining_waits_until_all_is_acknowledged(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server = await start(sessions=tmp_path)
    wire = await dial(server)
    await typed(wire)
    with locked(tmp_path):
        await wire.say("append", document="d", version=2, words=["barks"])
        while (await wire.next()).get("version") != 2:
            pass
        draining = asyncio.create_task(server.drain())
        await asyncio.sleep(0.1)
        assert not draining.done()
    await wire.answered(2)
    assert await wire.close_code() == 1012
    await draining


async def test_what_is_over_is_gone_from_the_disk(start: StartServer, dial: Dial, tmp_path: Path) -> None:
    server = await start(replace(LIMITS, resume_seconds=0.0), sessions=tmp_path)
    wire = await dial(server)
    token = await typed(wire)
    await wire.socket.close()
    await until(lambda: len(server.host.store) == 0)
    await until(lambda: count(tmp_path) == 0)
    second = await dial(server)
    welcome = await hello(second, token)
    assert (welcome["resumed"], welcome["documents"]) == (False, [])
    assert welcome["session"] != token


async def test_a_session_is_resumed_whole_or_not_at_all(
    start: StartServer, dial: Dial, tmp_path: Path
) -> None:
    token = await typed(await dial(await start(sessions=tmp_path)))
    with sqlite3.connect(tmp_path / session_file.NAME) as connection:
        connection.execute("UPDATE changes SET events = zeroblob(20)")
    connection.close()
    welcome = await hello(await dial(await start(sessions=tmp_path)), token)
    assert (welcome["resumed"], welcome["documents"]) == (False, [])


async def test_sessions_of_a_model_that_is_gone_are_not_resumed(
    start: StartServer, dial: Dial, tmp_path: Path, engines: Any
) -> None:
    token = await typed(await dial(await start(sessions=tmp_path)))
    other = await start(served={"another": engines["tiny"]}, sessions=tmp_path)
    assert (await hello(await dial(other), token))["resumed"] is False


async def test_where_the_disk_fails_sessions_go_on_and_are_never_resumed_elsewhere(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = io.StringIO()
    server, other = await start(sessions=tmp_path, log=log), await start(sessions=tmp_path)
    wire = await dial(server)
    token = await typed(wire)
    monkeypatch.setattr(SessionDatabase, "write", raise_full)  # the other server writes nothing here
    for version, word in enumerate(["barks", "very", "old"], 2):
        await wire.say("append", document="d", version=version, words=[word])
        await wire.answered(version)
    assert log.getvalue().count("sessions are not kept") == 1
    assert "barks" not in log.getvalue()
    assert (await hello(await dial(other), token))["resumed"] is False
    welcome = await hello(await dial(server), token)
    assert (welcome["resumed"], held(welcome)) == (True, {"d": 4})


async def test_when_the_disk_is_well_again_new_sessions_are_kept(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_writer, "TRY_AGAIN_SECONDS", 0.05)
    log = io.StringIO()
    server, other = await start(sessions=tmp_path, log=log), await start(sessions=tmp_path)
    with monkeypatch.context() as failing:
        failing.setattr(SessionDatabase, "write", raise_full)
        failing.setattr(SessionDatabase, "try_out", raise_full)
        lost = await typed(await dial(server))
    await until(lambda: "kept again" in log.getvalue())
    kept = await typed(await dial(server))
    assert (await hello(await dial(other), kept))["resumed"] is True
    assert (await hello(await dial(other), lost))["resumed"] is False


def raise_full(database: SessionDatabase, *_: object) -> None:
    raise sqlite3.OperationalError("database or disk is full")


def count(folder: Path) -> int:
    with sqlite3.connect(folder / session_file.NAME) as connection:
        [[found]] = connection.execute("SELECT count(*) FROM sessions")
    connection.close()
    return int(found)


def held(welcome: dict[str, Any]) -> dict[str, int]:
    """The documents of a session with their versions."""
    return {one["document"]: one["version"] for one in welcome["documents"]}
