from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from treewhile.oracles.errors import InputError
from treewhile.server.stores.records import key_of
from treewhile.server.stores.session_file import NAME, SessionFile, prepare
from treewhile.server.stores.shelves import Addition, AwayError
from treewhile.server.stores.sqlite_shelf import SqliteShelf

KEY = key_of("a-secret-token")

Opened = Callable[..., Awaitable[SqliteShelf]]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Opens shelves of owners."""
    shelves = []

    async def new(owner: str, folder: Path = tmp_path) -> SqliteShelf:
        shelves.append(SqliteShelf(folder))
        await shelves[-1].open(owner)
        return shelves[-1]

    yield new
    for shelf in shelves:
        await shelf.close()


async def add(shelf: SqliteShelf, after: int = 0, is_whole: bool = True) -> int:
    [revision] = await shelf.add([Addition(KEY, b"record", after, is_whole)], 1.0)
    assert revision
    return revision


async def test_the_living_are_alive_whatever_the_time_is_and_the_dead_are_silent(
    opened: Opened, tmp_path: Path
) -> None:
    one, other = await opened("one"), await opened("other")
    await add(one)
    os.utime(tmp_path / "owner-one", (1000, 1000))
    assert (await other.silences())["one"] == 0
    await one.close()
    assert (await other.silences())["one"] > 1e9
    assert await other.keys() == [KEY]
    await other.forget({"one"})
    assert await other.keys() == []
    assert [path.name for path in tmp_path.glob("owner-*")] == ["owner-other"]


async def test_an_owner_who_found_the_disk_full_opens_the_file_later(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    with monkeypatch.context() as failing:
        failing.setattr(SessionFile, "transaction", raise_full)
        with pytest.raises(AwayError, match="full"):
            await opened("one")
    await add(await opened("one"))


def raise_full(*_: object) -> None:
    raise sqlite3.OperationalError("database or disk is full")


async def test_nobody_gets_sessions_that_are_not_whole(opened: Opened, tmp_path: Path) -> None:
    broken, other = await opened("broken"), await opened("other")
    await add(broken)
    await broken.give_up()
    with pytest.raises(AwayError):
        await broken.read(KEY, 1.0)
    assert (await other.read(KEY, 1.0)).records == []
    assert (await other.silences())["broken"] > 1e9, "the next who looks removes them"
    os.unlink(tmp_path / "owner-broken")
    assert (await other.read(KEY, 1.0)).records == []


async def test_an_end_torn_off_costs_what_was_written_last_and_nothing_else(
    opened: Opened, tmp_path: Path
) -> None:
    shelf, last = await opened("one"), 0
    for number in range(5):
        last = await add(shelf, last, is_whole=number == 0)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (tmp_path / NAME, tmp_path / f"{NAME}-wal", tmp_path / "owner-one"):
        (copy / path.name).write_bytes(path.read_bytes())
    with open(copy / f"{NAME}-wal", "r+b") as file:
        file.truncate((copy / f"{NAME}-wal").stat().st_size - 1000)
    assert not prepare(copy)
    assert len((await (await opened("other", copy)).read(KEY, 1.0)).records) == 4


async def test_other_formats_are_refused(opened: Opened, tmp_path: Path) -> None:
    prepare(tmp_path)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(InputError, match="were written in format 7, and this treewhile writes 2"):
        prepare(tmp_path)
    with pytest.raises(InputError, match="were written in format 7, and this treewhile writes 2"):
        await opened("one")


def test_what_is_no_database_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"rubbish" * 1000)
    assert prepare(tmp_path)
    assert not prepare(tmp_path)


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot keep sessions .*: give another folder"):
        prepare(tmp_path / "file" / "folder")


async def test_only_their_owner_reads_the_files_and_no_token_stands_in_them(
    opened: Opened, tmp_path: Path
) -> None:
    folder = tmp_path / "new"
    prepare(folder)
    await add(await opened("one", folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert b"a-secret-token" not in path.read_bytes()
