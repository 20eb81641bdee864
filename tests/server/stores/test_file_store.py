"""Servers in this process that share a folder, as workers do."""

from __future__ import annotations

import asyncio
import io
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from kept_sessions import held, hello, typed
from waiting import until

from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.stores import session_file
from treewhile.server.stores.session_file import SessionFile
from treewhile.server.stores.sqlite_shelf import SqliteShelf

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

LIMITS = Limits()


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


async def test_where_the_file_is_broken_sessions_go_on_and_are_never_resumed_elsewhere(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = io.StringIO()
    server, other = await start(sessions=tmp_path, log=log), await start(sessions=tmp_path)
    wire = await dial(server)
    token = await typed(wire)
    monkeypatch.setattr(SessionFile, "transaction", raise_broken)  # the other server writes nothing here
    for version, word in enumerate(["barks", "very", "old"], 2):
        await wire.say("append", document="d", version=version, words=[word])
        await wire.answered(version)
    assert log.getvalue().count("sessions are not kept") == 1
    assert "barks" not in log.getvalue()
    assert (await hello(await dial(other), token))["resumed"] is False
    welcome = await hello(await dial(server), token)
    assert (welcome["resumed"], held(welcome)) == (True, {"d": 4})


@pytest.mark.slow
async def test_a_full_disk_keeps_waiting_what_a_bound_allows_and_nobody_gets_a_part(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, others_log = io.StringIO(), io.StringIO()
    server, other = await start(sessions=tmp_path, log=log), await start(sessions=tmp_path, log=others_log)
    wire = await dial(server)
    token = await typed(wire)
    with monkeypatch.context() as failing:
        failing.setattr(SessionFile, "transaction", raise_full)
        await wire.say("append", document="d", version=2, words=["barks"])
        await until(lambda: "acknowledged when the store has them" in log.getvalue())
        stranger = await dial(other)
        await stranger.say("hello", resume=token)
        assert await stranger.close_code() == 1013
        failing.setattr(SqliteShelf, "bounds", SqliteShelf.bounds._replace(behind=0))
        await wire.answered(2)
    assert log.getvalue().count("sessions are not kept from now on") == 1
    assert (await hello(await dial(other), token))["resumed"] is False
    well_again = "the store answers again", "new sessions are kept again"  # the bound is that of both servers
    assert any(event in others_log.getvalue() for event in well_again)


def raise_full(database: SessionFile, *_: object) -> None:
    raise sqlite3.OperationalError("database or disk is full")


async def test_when_the_file_is_well_again_new_sessions_are_kept(
    start: StartServer, dial: Dial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = io.StringIO()
    server, other = await start(sessions=tmp_path, log=log), await start(sessions=tmp_path)
    await typed(await dial(other))
    with monkeypatch.context() as failing:
        failing.setattr(SessionFile, "transaction", raise_broken)
        lost = await typed(await dial(server))
    await until(lambda: "kept again" in log.getvalue())
    kept = await typed(await dial(server))
    assert (await hello(await dial(other), kept))["resumed"] is True
    assert (await hello(await dial(other), lost))["resumed"] is False


def raise_broken(database: SessionFile, *_: object) -> None:
    raise sqlite3.DatabaseError("database disk image is malformed")
