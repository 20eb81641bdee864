from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from treewhile.incremental.sessions.messages import Append, Event, Gold, Open
from treewhile.oracles.errors import InputError
from treewhile.server.stores.session_database import MOST_EVENTS, SessionDatabase, Written
from treewhile.server.stores.session_file import NAME, prepare
from treewhile.server.stores.takeovers import Taken, key_of

KEY = key_of("token")
OPENING = Open("d", 0, words=["dog"])


def write(database: SessionDatabase, *events: Event, first: int = 1, key: bytes = KEY) -> set[bytes]:
    number = first + len(events) - 1
    with database.transaction():
        return database.write([Written(key, first, number, "tiny", 1, events)])


def take(database: SessionDatabase, key: bytes = KEY, oldest: float = 0.0) -> Taken | None:
    with database.transaction():
        return database.take(key, oldest)


def test_what_one_has_written_another_takes_and_the_first_cannot_write_any_more(tmp_path: Path) -> None:
    one, other = SessionDatabase(tmp_path), SessionDatabase(tmp_path)
    assert not write(one, OPENING)
    assert not write(one, Append("d", 1, ["cat"]), first=2)
    assert take(other) == Taken(1, "tiny", 2, [Open("d", 1, words=["dog", "cat"])])
    assert write(one, Append("d", 2, ["old"]), first=3) == {KEY}
    assert one.has_lost()
    with one.transaction():
        assert one.lost() == [KEY]
    assert not one.has_lost()
    assert not write(other, Append("d", 2, ["the"]), first=3)
    taken = take(one)
    assert taken
    assert (taken.epoch, taken.number) == (2, 3)


def test_its_owner_takes_a_session_without_its_events(tmp_path: Path) -> None:
    database = SessionDatabase(tmp_path)
    write(database, OPENING)
    assert take(database) == Taken(1, "tiny", 1, None)
    assert take(database) == Taken(2, "tiny", 1, None)


def test_the_dead_leave_their_sessions_for_a_time(tmp_path: Path) -> None:
    dead = SessionDatabase(tmp_path)
    write(dead, OPENING)
    os.utime(tmp_path / dead.owner.name, (1000, 1000))
    living = SessionDatabase(tmp_path)
    with living.transaction():
        living.sweep(oldest=1001, most=10)
    assert len(rows(tmp_path)) == 1, "its owner lives, whatever the time is"
    dead.close()
    with living.transaction():
        living.sweep(oldest=999, most=10)
    assert len(rows(tmp_path)) == 1
    with living.transaction():
        living.sweep(oldest=1001, most=10)
    assert rows(tmp_path) == []
    assert [path.name for path in tmp_path.glob("owner-*")] == [living.owner.name]


def test_a_session_that_was_left_too_long_ago_is_not_taken(tmp_path: Path) -> None:
    one, other = SessionDatabase(tmp_path), SessionDatabase(tmp_path)
    write(one, OPENING)
    with one.transaction():
        one.leave([KEY], 1000)
    assert take(other, oldest=1001) is None
    assert rows(tmp_path) == []


def test_of_too_many_those_left_first_go(tmp_path: Path) -> None:
    database = SessionDatabase(tmp_path)
    keys = [key_of(str(number)) for number in range(5)]
    for at, key in enumerate(keys):
        write(database, OPENING, key=key)
        with database.transaction():
            database.leave([key], 1000 + at)
    with database.transaction():
        database.sweep(oldest=0, most=2)
    assert sorted(rows(tmp_path)) == sorted(keys[3:])


def test_nobody_gets_sessions_that_are_not_whole(tmp_path: Path) -> None:
    broken, other = SessionDatabase(tmp_path), SessionDatabase(tmp_path)
    write(broken, OPENING)
    broken.owner.disown()
    assert take(other) is None
    write(broken, OPENING, key=key_of("second"))
    broken.close()
    with other.transaction():
        other.sweep(oldest=0, most=10)
    assert rows(tmp_path) == []


def test_changes_without_their_beginning_are_refused(tmp_path: Path) -> None:
    assert write(SessionDatabase(tmp_path), Append("d", 1, ["cat"]), first=2) == {KEY}
    assert rows(tmp_path) == []


def test_damaged_events_are_not_taken(tmp_path: Path) -> None:
    one, other = SessionDatabase(tmp_path), SessionDatabase(tmp_path)
    write(one, OPENING)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("UPDATE changes SET events = substr(events, 1, length(events) - 1)")
    connection.close()
    assert take(other) is None


def test_long_sessions_are_folded_and_those_that_cannot_be_are_given_up(tmp_path: Path) -> None:
    database = SessionDatabase(tmp_path)
    write(database, OPENING, *(Append("d", version, ["cat"]) for version in range(1, 300)))
    with database.transaction():
        assert database.fold(KEY)
    taken = take(SessionDatabase(tmp_path))
    assert taken
    assert taken.number == 300
    assert taken.events == [Open("d", 299, words=["dog", *["cat"] * 299])]
    write(database, OPENING, *[Gold("d", 0, 0, [0])] * (MOST_EVENTS + 1), key=key_of("gold"))
    with database.transaction():
        assert not database.fold(key_of("gold"))


def test_an_end_torn_off_costs_what_was_written_last_and_nothing_else(tmp_path: Path) -> None:
    database = SessionDatabase(tmp_path)
    for number in range(1, 6):
        write(database, OPENING if number == 1 else Append("d", number, ["cat"]), first=number)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (tmp_path / NAME, tmp_path / f"{NAME}-wal", tmp_path / database.owner.name):
        (copy / path.name).write_bytes(path.read_bytes())
    with open(copy / f"{NAME}-wal", "r+b") as file:
        file.truncate((copy / f"{NAME}-wal").stat().st_size - 1000)
    assert not prepare(copy)
    taken = take(SessionDatabase(copy))
    assert taken
    assert taken.number == 4


def test_other_formats_are_refused(tmp_path: Path) -> None:
    prepare(tmp_path)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(InputError, match="were written in format 7, and this treewhile writes 1"):
        prepare(tmp_path)


def test_what_is_no_database_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"rubbish" * 1000)
    assert prepare(tmp_path)
    assert not prepare(tmp_path)


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot keep sessions .*: give another folder"):
        prepare(tmp_path / "file" / "folder")


def test_only_their_owner_reads_the_files_and_no_token_stands_in_them(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    prepare(folder)
    database = SessionDatabase(folder)
    write(database, OPENING, key=key_of("a-secret-token"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert b"a-secret-token" not in path.read_bytes()


def rows(folder: Path) -> list[bytes]:
    with sqlite3.connect(folder / NAME) as connection:
        found = [key for [key] in connection.execute("SELECT key FROM sessions")]
    connection.close()
    return found
