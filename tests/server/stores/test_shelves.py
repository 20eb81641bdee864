"""What a store asks of a shelf, of each kind alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from store_servers import KINDS, PLACES, place_in
from waiting import PATIENCE, until

from treewhile.oracles.errors import InputError
from treewhile.server.stores.nats_shelf import NatsShelf
from treewhile.server.stores.places import new_shelf
from treewhile.server.stores.shelves import Addition, AwayError, Row, Shelf

KEY = b"0123456789abcdef"


@pytest.fixture(scope="module", params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | str]:
    store = PLACES[request.param](tmp_path_factory.mktemp(request.param))
    yield place_in(store)
    store.kill()


@pytest.fixture
async def shelf(place: Path | str, patient_shelves: None) -> AsyncIterator[Shelf]:
    shelf = new_shelf(place)
    await shelf.open("me")
    yield shelf
    for key in await shelf.keys():
        await shelf.remove(key, (await shelf.read(key, PATIENCE)).revision)
    await shelf.close()
    if isinstance(place, Path):
        (place / "owner-me").unlink(missing_ok=True)


async def add(
    shelf: Shelf, record: bytes, after: int = 0, is_whole: bool = True, seconds: float = PATIENCE
) -> int | None:
    [revision] = await shelf.add([Addition(KEY, record, after, is_whole)], seconds)
    return revision


async def test_records_stand_in_their_order_and_a_whole_one_begins_anew(shelf: Shelf) -> None:
    first = await add(shelf, b"one")
    assert first
    second = await add(shelf, b"two", first, is_whole=False)
    assert second
    assert second > first
    assert await shelf.read(KEY, PATIENCE) == Row(second, [b"one", b"two"])
    third = await add(shelf, b"three", second)
    found = await shelf.read(KEY, PATIENCE)
    assert (found.revision, found.records[-1]) == (third, b"three")


async def test_of_two_who_add_after_the_same_record_one_is_refused(shelf: Shelf) -> None:
    first = await add(shelf, b"one")
    assert first
    both = [Addition(KEY, b"mine", first, False), Addition(KEY, b"yours", first, False)]
    mine, yours = await shelf.add(both, PATIENCE)
    assert mine
    assert yours is None
    assert (await shelf.read(KEY, PATIENCE)).records == [b"one", b"mine"]
    assert await add(shelf, b"again", 0) is None


async def test_a_row_is_removed_by_who_knows_its_last_record(shelf: Shelf) -> None:
    first = await add(shelf, b"one")
    assert first
    second = await add(shelf, b"two", first, is_whole=False)
    assert second
    await shelf.remove(KEY, first)
    assert (await shelf.read(KEY, PATIENCE)).revision == second
    assert await shelf.keys() == [KEY]
    await shelf.remove(KEY, second)
    assert (await shelf.read(KEY, PATIENCE)).records == []
    assert await shelf.keys() == []
    third = await add(shelf, b"three", (await shelf.read(KEY, PATIENCE)).revision)
    assert third
    assert third > second, "nobody who knew it before its end can write"


async def test_owners_beat_are_told_and_forgotten(shelf: Shelf) -> None:
    await shelf.beat("me")
    await shelf.silences()
    await shelf.beat("me")
    assert (await shelf.silences())["me"] == 0
    await shelf.tell("me", KEY)
    told: list[bytes] = []
    while not told:
        await asyncio.sleep(0.01)
        told = await shelf.told("me")
    assert told == [KEY]
    assert await shelf.told("me") == []
    await shelf.forget({"me"})
    assert "me" not in await shelf.silences()
    assert await shelf.keys() == []


async def test_many_records_go_together(shelf: Shelf) -> None:
    keys = [bytes([number]) * 16 for number in range(200)]
    revisions = await shelf.add([Addition(key, key, 0, True) for key in keys], PATIENCE)
    assert len({*revisions} - {None}) == 200
    assert sorted(await shelf.keys()) == keys


@pytest.mark.slow
async def test_what_is_gone_is_away(tmp_path: Path) -> None:
    for kind, make in KINDS.items():
        gone = make(tmp_path / kind)
        shelf = new_shelf(gone.address)
        await shelf.open("me")
        gone.kill()
        with pytest.raises(AwayError):
            await add(shelf, b"one", seconds=1.0)
        await shelf.close()
        again = new_shelf(gone.address)
        with pytest.raises(AwayError):
            await again.open("me")
        await again.close()


async def test_a_shelf_that_is_closed_looks_for_its_store_no_more(tmp_path: Path) -> None:
    gone = KINDS["nats"](tmp_path)
    shelf = NatsShelf(gone.address)
    await shelf.open("me")
    gone.kill()
    looking = await until(lambda: [task for task in asyncio.all_tasks() if "_attempt_reconnect" in str(task)])
    vars(vars(shelf)["_client"])["_reconnection_task"] = None  # as if it missed that it is cancelled
    await shelf.close()
    await asyncio.wait_for(asyncio.wait(looking), PATIENCE)


async def test_records_of_another_format_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, make in KINDS.items():
        store = make(tmp_path / kind)
        module = f"treewhile.server.stores.{kind}_shelf.FORMAT"
        with monkeypatch.context() as later:
            later.setattr(module, b"7")
            later.setattr("treewhile.server.stores.shelves.FORMAT", b"7")
            later_shelf = new_shelf(store.address)
            await later_shelf.open("me")
            await later_shelf.close()
        shelf = new_shelf(store.address)
        with pytest.raises(InputError, match="written in format 7, and this treewhile writes 1"):
            await shelf.open("me")
        await shelf.close()
        store.kill()
