from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from treewhile.incremental import AsyncSession, DocumentView, Interrupt, Model, Session
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions.messages import AnyMessage, Append, Close, ErrorMessage, Open
from treewhile.oracles import InputError

PATIENCE = 30.0


class Broken:
    """A search that fails."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        raise ArithmeticError("one and one is three")


class Defective(Session):
    """A session that breaks when a result comes."""

    def job_done(self, job: object, result: object) -> None:
        raise ArithmeticError("one and one is three")


async def one_of(session: AsyncSession) -> AnyMessage:
    return await anext(session.messages())


async def test_words_come_while_messages_are_read(model: Model) -> None:
    view, is_read = DocumentView("d"), asyncio.Event()

    async def write() -> None:
        for version in range(1, 30):
            session.receive(Append("d", version, ["dog"]))
            if version % 5 == 0:
                is_read.clear()
                await is_read.wait()

    async with AsyncSession(Session(model), threads=2) as session, asyncio.timeout(PATIENCE):
        session.receive(Open("d", 0, words=[]))
        writer = asyncio.create_task(write())
        async for message in session.messages():
            view.receive(message)
            is_read.set()
            if view.has_settled(29):
                break
        await writer
    [analysis] = view.sentences
    assert analysis
    assert len(analysis.words) == 29


async def test_messages_end_with_the_context_and_so_do_its_threads(model: Model) -> None:
    before = threading.active_count()

    async def read(messages: AsyncIterator[AnyMessage]) -> list[AnyMessage]:
        return [message async for message in messages]

    async with AsyncSession(Session(model)) as session:
        session.receive(Open("d", 0, text="The dog barks"))
        await anext(session.messages())
        reader = asyncio.create_task(read(session.messages()))
        await asyncio.sleep(0.01)
        assert threading.active_count() > before
    assert await asyncio.wait_for(reader, PATIENCE) is not None
    with pytest.raises(InputError, match="the session is closed"):
        session.receive(Close("d"))


async def test_a_reader_may_be_cancelled_and_another_one_goes_on(model: Model) -> None:
    async with AsyncSession(Session(model)) as session, asyncio.timeout(PATIENCE):
        first = asyncio.create_task(one_of(session))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        session.receive(Open("d", 0, words=["dog"]))
        message = await one_of(session)
    assert message.document == "d"


async def test_an_error_in_a_job_is_told_and_what_breaks_the_session_is_raised(model: Model) -> None:
    async with AsyncSession(Session(model, Broken())) as session, asyncio.timeout(PATIENCE):
        session.receive(Open("d", 0, words=["dog"]))
        async for message in session.messages():
            if isinstance(message, ErrorMessage):
                assert message.code == "failed"
                break
    async with AsyncSession(Defective(model)) as session, asyncio.timeout(PATIENCE):
        session.receive(Open("d", 0, words=["dog"]))
        with pytest.raises(ArithmeticError):
            [message async for message in session.messages()]
