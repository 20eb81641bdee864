from __future__ import annotations

from collections.abc import Awaitable, Callable

from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.process.server import Server
from treewhile.server.stores.session_store import MemoryStore

StartServer = Callable[..., Awaitable[Server]]


async def sessions(start: StartServer, count: int) -> list[HostedSession]:
    server = await start()
    return [server.host.new_session(None) for _ in range(count)]


async def test_tokens_differ_and_lead_to_their_sessions(start: StartServer) -> None:
    store = MemoryStore(60, 10)
    made = await sessions(start, 3)
    for session in made:
        store.add(session)
    assert [await store.find(session.token) for session in made] == made
    assert len({session.token for session in made}) == 3
    assert await store.find("another") is None


async def test_sessions_without_a_socket_end_after_a_time_others_do_not(start: StartServer) -> None:
    store = MemoryStore(60, 10)
    lost, back, there = await sessions(start, 3)
    for session in (lost, back, there):
        store.add(session)
    for session in (lost, back):
        session.leave()
        session.left_at = 1000
        store.leave(session)
    await store.find(back.token)
    store.expire(1059)
    assert len(store) == 3
    store.expire(1060)
    assert [await store.find(session.token) for session in (lost, back, there)] == [None, back, there]


async def test_those_that_wait_longest_make_room(start: StartServer) -> None:
    store = MemoryStore(60, 2)
    made = await sessions(start, 3)
    for session in made:
        store.add(session)
        store.leave(session)
    assert [await store.find(session.token) for session in made] == [None, *made[1:]]


async def test_a_session_that_was_removed_is_gone(start: StartServer) -> None:
    store = MemoryStore(60, 2)
    [session] = await sessions(start, 1)
    store.add(session)
    store.remove(session)
    store.leave(session)
    assert len(store) == 0
    assert await store.find(session.token) is None
