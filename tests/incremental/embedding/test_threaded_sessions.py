from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from treewhile.incremental import DocumentView, Interrupt, Model, Session, ThreadedSession
from treewhile.incremental.embedding.threaded_sessions import MOST_UNREAD
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions.messages import (
    Append,
    Close,
    ClosedMessage,
    Edit,
    ErrorMessage,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.oracles import InputError

PATIENCE = 30.0


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


class Waiting:
    """A search that finds nothing, and goes on until it is told to stop."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        self.begun.release()
        limit = time.monotonic() + PATIENCE
        while not interrupt.is_set and time.monotonic() < limit:
            time.sleep(0.001)
        assert interrupt.is_set, "nobody told it to stop"
        return None


class Broken:
    """A search that fails."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        raise ArithmeticError("one and one is three")


class BrokenError(Exception):
    """What a session raises that is no session's."""


class Defective(Session):
    """A session that breaks when a result comes."""

    def job_done(self, job: object, result: object) -> None:
        raise BrokenError


def read_until(session: ThreadedSession, view: DocumentView, version: int) -> None:
    while not view.has_settled(version):
        messages = session.take_messages(PATIENCE)
        assert messages, "nothing more came"
        for message in messages:
            view.receive(message)


# --- what it is for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_events_from_several_threads_end_as_in_one(model: Model, threads: int) -> None:
    names = [f"document {number}" for number in range(4)]
    views = {name: DocumentView(name) for name in names}

    def write(name: str) -> None:
        for version, word in enumerate(["the", "old", "dog", "sees", "the", "cat"], 1):
            session.receive(Append(name, version, [word]))
            time.sleep(random.Random(name + word).random() / 100)
        session.receive(Finish(name, 7))

    with ThreadedSession(Session(model), threads) as session:
        for name in names:
            session.receive(Open(name, 0, words=[]))
        writers = [threading.Thread(target=write, args=[name]) for name in names]
        for writer in writers:
            writer.start()
        for message in session.messages():
            for view in views.values():
                view.receive(message)
            if all(view.has_settled(7) for view in views.values()):
                break
        for writer in writers:
            writer.join()
    expected = [*model.parse(["the", "old", "dog", "sees", "the", "cat"]).heads]
    for view in views.values():
        [analysis] = view.sentences
        assert analysis
        assert [word.head for word in analysis.words] == expected


# --- work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_a_word_interrupts_a_search_elsewhere(model: Model, threads: int) -> None:
    searcher, view = Waiting(), DocumentView("b")
    with ThreadedSession(Session(model, searcher), threads) as session:
        session.receive(Open("a", 0, words=["the", "dog"]))
        assert searcher.begun.acquire(timeout=PATIENCE)
        session.receive(Open("b", 0, words=["cat"], options=OptionChanges(levels=["L0"])))
        read_until(session, view, 0)
        assert threads > 1 or searcher.begun.acquire(timeout=PATIENCE), "the search goes on afterwards"


def test_the_time_limit_of_a_search_is_kept_without_anybody_asking(model: Model) -> None:
    searcher = Waiting()

    def is_searched(document: str) -> bool:
        view = DocumentView(document)
        session.receive(Open(document, 0, words=["the", "dog"], options=OptionChanges(time_limit=0.02)))
        read_until(session, view, 0)
        assert view.sentences[0]
        return searcher.begun.acquire(blocking=False)

    with ThreadedSession(Session(model, searcher)) as session:
        assert any(map(is_searched, map(str, range(100)))), "a machine that stands still may leave no time"


def test_an_error_in_a_job_is_told_and_all_else_goes_on(model: Model) -> None:
    with ThreadedSession(Session(model, Broken())) as session:
        session.receive(Open("d", 0, words=["dog"]))
        error = next(message for message in session.messages() if isinstance(message, ErrorMessage))
        assert (error.code, error.temporary) == ("failed", True)
        assert "one and one is three" in error.message
        session.receive(Close("d"))
        assert any(isinstance(message, ClosedMessage) for message in session.messages())


def test_what_breaks_the_session_is_raised_where_it_is_read(model: Model) -> None:
    with ThreadedSession(Defective(model)) as session:
        session.receive(Open("d", 0, words=["dog"]))
        with pytest.raises(BrokenError):
            [*session.messages()]
        with pytest.raises(InputError, match="the session is closed"):
            session.receive(Close("d"))


# --- reading ------------------------------------------------------------------------------------------------


def test_who_does_not_wait_is_called_when_there_is_news(model: Model) -> None:
    news: queue.SimpleQueue[None] = queue.SimpleQueue()
    view = DocumentView("d")
    with ThreadedSession(Session(model), on_news=lambda: news.put(None)) as session:
        assert session.take_messages() == []
        session.receive(Open("d", 0, words=["dog"]))
        while not view.has_settled(0):
            news.get(timeout=PATIENCE)
            for message in session.take_messages():
                view.receive(message)
    assert len(view.sentences) == 1


def test_a_wait_ends_with_its_time_and_with_the_session(model: Model) -> None:
    session = ThreadedSession(Session(model))
    assert session.take_messages(timeout=0.01) == []
    closer = threading.Timer(0.05, session.close)
    closer.start()
    assert [*session.messages()] == []
    closer.join()


def test_who_reads_late_reads_only_the_newest_analyses(model: Model) -> None:
    with ThreadedSession(Session(model)) as session:
        session.receive(Open("d", 0, words=[]))
        view = DocumentView("d")
        read_until(session, view, 0)
        for version in range(1, 200):
            session.receive(Append("d", version, ["dog"]))
        deadline = time.monotonic() + PATIENCE
        while not view.has_settled(199) and time.monotonic() < deadline:
            time.sleep(0.1)
            messages = session.take_messages()
            assert len(messages) < 4
            for message in messages:
                view.receive(message)
        assert view.answered == 199


def test_errors_that_nobody_reads_are_bounded(model: Model) -> None:
    with closing(ThreadedSession(Session(model))) as session:
        for _ in range(MOST_UNREAD):
            session.receive({"type": "nonsense"})
        with pytest.raises(InputError, match="are unread: read messages"):
            session.receive({"type": "nonsense"})
        assert len(session.take_messages()) == MOST_UNREAD
        session.receive({"type": "nonsense"})
        assert len(session.take_messages()) == 1


def test_closing_ends_what_runs(model: Model) -> None:
    searcher = Waiting()
    session = ThreadedSession(Session(model, searcher))
    session.receive(Open("d", 0, words=["the", "dog"]))
    assert searcher.begun.acquire(timeout=PATIENCE)
    session.close()
    session.close()
    assert session.is_closed
    with pytest.raises(InputError, match="the session is closed"):
        session.receive(Open("e", 0, words=[]))


def test_without_threads_there_is_no_session(model: Model) -> None:
    with pytest.raises(InputError, match="0 threads run no job"):
        ThreadedSession(Session(model), threads=0)
    with pytest.raises(InputError, match="'en' is no session: give"):
        ThreadedSession("en")  # type: ignore[arg-type]


def test_random_histories_end_as_one_opening(make_model: Callable[..., Model]) -> None:
    source, model = random.Random(5), make_model(seed=5)
    text, view = "", DocumentView("d")
    with ThreadedSession(Session(model), threads=2) as session:
        session.receive(Open("d", 0, text=""))
        for version in range(1, 60):
            start = source.randint(0, len(text))
            end = min(len(text), start + source.choice([0, 0, 2, 9]))
            new = source.choice(["The dog barks. ", "cat", " ", "\n\n", "", "s."])
            session.receive(Edit("d", version, start, end, new))
            text = text[:start] + new + text[end:]
            time.sleep(source.choice([0, 0, 0.003]))
        session.receive(Edit("d", 60, 0, 0, "A "))
        read_until(session, view, 60)
        again = DocumentView("again")
        session.receive(Open("again", 0, text="A " + text))
        read_until(session, again, 0)
    trees = [
        [[(word.form, word.head, word.label) for word in one.words] for one in shown.sentences if one]
        for shown in (view, again)
    ]
    assert trees[0] == trees[1]
