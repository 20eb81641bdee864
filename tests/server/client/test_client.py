"""The client against real servers, over sockets that a test may cut."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from own_certificates import certificate_in
from waiting import PATIENCE, until
from websockets.asyncio.client import connect as connect_socket

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    MovedMessage,
    Open,
    OptionChanges,
    StepsMessage,
    WordView,
)
from treewhile.oracles.errors import InputError
from treewhile.server.client import client as clients
from treewhile.server.client import lines
from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document, Told
from treewhile.server.connections.admission import Certificate
from treewhile.server.errors import DisconnectedError, DocumentError
from treewhile.server.limits import Limits
from treewhile.server.load.typists import Crowd
from treewhile.server.process.server import Server

T = TypeVar("T", bound=Exception)
StartServer = Callable[..., Awaitable[Server]]

LIMITS = Limits()
QUICK = OptionChanges(levels=["L0", "L1"])
WORDS = ["the", "old", "dog", "sees", "the", "cat"]


def url_of(server: Server) -> str:
    return server.address.replace("http", "ws", 1)


async def error_of(document: Document, kind: type[T], match: str) -> T:
    """The error with which its analyses end."""
    with pytest.raises(kind, match=match) as caught:
        async for _ in document.analyses():
            pass
    return caught.value


async def settled(document: Document) -> list[AnalysisMessage]:
    """All analyses, once the last version has settled everywhere."""
    if has_settled(document):
        return [one for one in document.sentences if one]
    async with asyncio.timeout(PATIENCE):
        async for _ in document.messages():
            if has_settled(document):
                return [one for one in document.sentences if one]
    raise AssertionError("the document was closed")


def has_settled(document: Document) -> bool:
    stages = [one.stage if one else None for one in document.sentences]
    is_answered = document.answered == document.version
    return is_answered and {*stages} <= {"settled", "final"} and is_of_present_words(document)


async def finished(document: Document) -> list[AnalysisMessage]:
    """The analyses of whole sentences, as a pause may make them, too."""
    await document.finish()
    return await settled(document)


def is_of_present_words(document: Document) -> bool:
    """Whether what is known is about the words that there are."""
    forms = [word.form for one in document.sentences if one for word in one.words]
    return forms == document.words or "".join(forms) == "".join(document.text.split())


def trees(analyses: list[AnalysisMessage]) -> list[list[tuple[Any, ...]]]:
    return [[(word.form, word.tag, word.head, word.label) for word in one.words] for one in analyses]


async def fresh(client: Client, **content: Any) -> list[AnalysisMessage]:
    async with await client.open("fresh", options=QUICK, **content) as document:
        return await settled(document)


# --- analyses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
async def test_words_that_come_one_by_one_end_as_those_that_come_at_once(
    start: StartServer, encoding: Any
) -> None:
    async with connect(url_of(await start()), encoding=encoding) as client:
        document = await client.open("d", words=[], options=QUICK)
        for word in WORDS:
            await document.append(word)
            await settled(document)
        await document.append("barks", "very")
        assert await document.revoke(2) == document.version
        assert document.words == WORDS
        assert trees(await settled(document)) == trees(await fresh(client, words=WORDS))
        assert await document.finish() == len(WORDS) + 3
        assert [one.stage for one in await settled(document)] == ["final"]


async def test_a_text_after_random_edits_has_the_trees_of_one_that_is_opened_so(start: StartServer) -> None:
    source = random.Random(7)
    async with connect(url_of(await start())) as client:
        document = await client.open("d", text="the dog barks. ", options=QUICK)
        for _ in range(40):
            begin, end = sorted(source.choices(range(len(document.text) + 1), k=2))
            text = source.choice(["the cat 🎉", "old ", ". ", "\n\n", "sees"])
            await document.edit(begin, min(end, begin + 4), text)
            await asyncio.sleep(source.choice([0, 0.005]))
        await document.write("very old dog.")
        again = await client.open("fresh", text=document.text, options=QUICK)
        assert trees(await finished(document)) == trees(await finished(again))


async def test_steps_and_gold_are_answered(start: StartServer) -> None:
    async with connect(url_of(await start())) as client, await client.open("d", words=WORDS) as document:
        await settled(document)
        await document.give_gold(0, [3, 3, 4, 0, 6, 4])
        async with asyncio.timeout(PATIENCE):
            told = [await next_steps(document)]
            await document.step(0, told[0].optimal[0])
            told.append(await next_steps(document))
            await document.undo(0)
            told.append(await next_steps(document))
        assert [one.by_hand for one in told] == [False, True, False]
        assert all(one.reference == "gold" for one in told)


async def test_what_is_fixed_holds_until_it_is_freed(start: StartServer) -> None:
    async with connect(url_of(await start())) as client, await client.open("d", words=WORDS) as document:
        (before,) = await settled(document)
        head = next(one for one in (3, 4) if one != before.words[0].head)
        await document.fix(0, heads={1: head}, tags={2: "VERB"})
        await until_fixed(document)
        await document.append("very")
        (after,) = await settled(document)
        assert (after.words[0].head, after.words[1].tag) == (head, "VERB")


async def until_fixed(document: Document) -> None:
    async with asyncio.timeout(PATIENCE):
        async for analysis in document.analyses():
            if analysis.words[0].fixed:
                return


async def next_steps(document: Document) -> StepsMessage:
    async for message in document.messages():
        if isinstance(message, StepsMessage):
            return message
    raise AssertionError("the document was closed")


async def test_options_change_in_flight(start: StartServer) -> None:
    async with connect(url_of(await start())) as client, await client.open("d", words=WORDS) as document:
        await document.change_options(OptionChanges(prediction="none"))
        await document.append("very")
        assert all(isinstance(word.head, int | None) for one in await settled(document) for word in one.words)


async def test_a_name_is_free_again_after_close(start: StartServer) -> None:
    async with connect(url_of(await start())) as client:
        document = await client.open("d", words=["the"])
        with pytest.raises(InputError, match="is open: close it first"):
            await client.open("d", words=[])
        await document.close()
        with pytest.raises(InputError, match="is closed: open another one"):
            await document.append("dog")
        assert trees(await settled(await client.open("d", words=["a", "dog"])))[0][0][0] == "a"


@pytest.mark.slow
async def test_a_hurried_client_that_loses_its_wire_loses_nothing(start: StartServer, cable: Any) -> None:
    line, url = await cable(await start(replace(LIMITS, messages_a_second=2000, burst=100)))
    async with connect(url) as client:
        document = await client.open("d", words=[], options=OptionChanges(levels=["L0"]))
        for number in range(3000):
            if number in (500, 2000):
                line.cut()
            await (document.finish() if number % 20 == 19 else document.append(WORDS[number % 6]))
        said = document.words
        assert [word.form for one in await answered(document) for word in one.words] == said
        assert client.connections > 1


async def answered(document: Document) -> list[AnalysisMessage]:
    """All analyses, once every version is answered and every sentence known."""
    async with asyncio.timeout(2 * PATIENCE):
        while document.answered < document.version or None in document.sentences:
            await asyncio.sleep(0.02)
    return [one for one in document.sentences if one]


async def test_analyses_move_with_what_is_edited_before_them() -> None:
    said: list[Any] = []

    async def say(event: Any) -> None:
        said.append(event)

    document = Document(say, Open("d", 0, text="Peter came. She left."))
    for number, (first_word, start, words) in enumerate([(0, 0, 3), (3, 12, 3)]):
        document.take(analysis_of(number, first_word, start, words))
    await document.edit(0, 5, "Some guy")
    document.take(MovedMessage("d", 1, 1, 1, 3))
    document.take(analysis_of(0, 0, 0, 4, version=1, answers=[1]))
    assert [(one.first_word, one.start) for one in document.sentences if one] == [(0, 0), (4, 15)]
    assert document.answered == 1


def analysis_of(
    sentence: int, first_word: int, start: int, words: int, version: int = 0, answers: Sequence[int] = ()
) -> AnalysisMessage:
    """What a server may say of a sentence."""
    views = [WordView("x", 2 * at, 2 * at + 1, "NOUN", "_", 0, "root") for at in range(words)]
    about: dict[str, Any] = {"document": "d", "version": version, "number": sentence, "answers": [*answers]}
    place: dict[str, Any] = {"sentence": sentence, "first_word": first_word, "start": start}
    known: dict[str, Any] = {"words": views, "virtual": [], "conflicts": [], "stable_upto": 0}
    return AnalysisMessage(**about, **place, **known, stage="initial", levels=["L0"], score=None, seconds=0.0)


# --- mistakes -----------------------------------------------------------------------------------------------


async def test_what_the_words_do_not_allow_is_not_even_sent(start: StartServer) -> None:
    async with connect(url_of(await start())) as client:
        words, text = await client.open("words", words=["a"]), await client.open("text", text="a")
        too_much = (words.revoke(2), text.edit(0, 2, ""))
        unfit = (words.append(""), text.write("\0"))
        for wrong in (*too_much, *unfit, words.edit(0, 0, "a"), text.append("a")):
            with pytest.raises(InputError):
                await wrong
        assert (words.words, words.version, text.text, text.version) == (["a"], 0, "a", 0)


async def test_a_refused_change_is_taken_back_and_all_goes_on(start: StartServer) -> None:
    server = await start(limits=replace(LIMITS, characters=100))
    async with connect(url_of(server)) as client:
        document = await client.open("d", text="the dog ", options=QUICK)
        await document.write("barks " * 20)
        error = await error_of(document, DocumentError, "may have 100 characters")
        assert (error.told.code, document.text) == ("too_much", "the dog ")
        await document.write("sees")
        assert trees(await settled(document)) == trees(await fresh(client, text="the dog sees"))


async def test_letters_behind_the_first_that_is_too_much_are_taken_back_with_it(start: StartServer) -> None:
    server = await start(limits=replace(LIMITS, characters=20))
    async with connect(url_of(server)) as client:
        document = await client.open("d", text="the dog sees the cat", options=QUICK)
        for letter in "tle":
            await document.write(letter)
        assert (await error_of(document, DocumentError, "may have 20 characters")).told.code == "too_much"
        assert document.text == "the dog sees the cat"
        await document.edit(0, len(document.text), "it sees")
        assert trees(await settled(document)) == trees(await fresh(client, text="it sees"))


async def test_what_is_typed_at_a_server_that_does_not_answer_comes_to_it_in_one_piece(
    start: StartServer, cable: Any
) -> None:
    line, url = await cable(await start())
    async with connect(url) as client:
        document = await client.open("d", text="", options=QUICK)
        await answered(document)
        line.is_stuck = True
        for letter in "the old dog sees":
            await document.write(letter)
        assert document.text == "the old dog sees"
        line.is_stuck = False
        told = [one async for one in until_answered(document)]
        assert trees(await settled(document)) == trees(await fresh(client, text="the old dog sees"))
        assert {version for one in told for version in getattr(one, "answers", [])} - {0} == {1, 16}


async def until_answered(document: Document) -> AsyncIterator[Told]:
    """All that is said until the last version is answered."""
    async with asyncio.timeout(PATIENCE):
        async for message in document.messages():
            yield message
            if document.answered == document.version:
                return


async def test_a_request_is_about_what_was_typed_just_before(start: StartServer) -> None:
    async with connect(url_of(await start())) as client, await client.open("d", words=[]) as document:
        for word in WORDS:
            await document.append(word)
        await document.ask_steps(0)
        async with asyncio.timeout(PATIENCE):
            told = await next_steps(document)
        assert (told.version, told.n) == (document.version, len(WORDS))


async def test_a_document_that_is_refused_ends(start: StartServer) -> None:
    server = await start(limits=replace(LIMITS, documents=1))
    async with connect(url_of(server)) as client:
        await client.open("one", words=[])
        two = await client.open("two", words=[])
        with pytest.raises(DocumentError, match="1 documents are open"):
            async for _ in two.analyses():
                pass
        with pytest.raises(DocumentError):
            await two.append("a")


async def test_who_has_the_wrong_token_is_told_so_and_does_not_come_back(start: StartServer) -> None:
    server = await start(token="secret")
    with pytest.raises(DisconnectedError, match="the token is wrong") as caught:
        await connect(url_of(server), token="guess").__aenter__()
    assert (caught.value.code, caught.value.temporary) == (4401, False)
    async with connect(url_of(server), token="secret") as client:
        assert client.welcome.model == "tiny"


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1/", "http://127.0.0.1/", "nonsense"])
async def test_where_nobody_is_a_sentence_says_so(url: str) -> None:
    with pytest.raises(DisconnectedError, match=r"nobody answers|is no address"):
        await connect(url).__aenter__()


async def test_a_certificate_that_nobody_trusts_is_told_and_not_called_nobody(
    start: StartServer, tmp_path: Path
) -> None:
    server = await start(tls=Certificate(*certificate_in(tmp_path)))
    url = f"wss://localhost:{server.port}"
    with pytest.raises(
        DisconnectedError, match=r"not to be trusted \(self-signed certificate\): ask who runs"
    ):
        await connect(url).__aenter__()
    crowd = Crowd(url)
    await crowd.join([])
    assert crowd.told.refused == {"self-signed certificate": 1}


async def test_an_unknown_model_is_an_error(start: StartServer) -> None:
    with pytest.raises(DisconnectedError, match="there is no model 'xx'"):
        await connect(url_of(await start()), model="xx").__aenter__()


# --- lost connections ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("content", [{"words": ["the"]}, {"text": "the "}])
async def test_what_is_typed_while_the_wire_is_cut_arrives(
    start: StartServer, cable: Any, content: dict[str, Any]
) -> None:
    line, url = await cable(await start())
    async with connect(url) as client:
        document = await client.open("d", options=QUICK, **content)
        for word in WORDS:
            line.cut()
            await (document.append(word) if "words" in content else document.write(f"{word} "))
            await settled(document)
        assert client.welcome.resumed
        assert client.connections > 1
        now = {"words": document.words} if "words" in content else {"text": document.text}
        known = [one for one in document.sentences if one]
        assert trees(known) == trees(await fresh(client, **now))


async def test_a_server_that_knows_nothing_gets_the_present_words_and_sentences(
    start: StartServer, cable: Any
) -> None:
    first, second = await start(), await start()
    line, url = await cable(first)
    async with connect(url) as client:
        document = await client.open("d", words=["the", "dog", "barks"], options=QUICK)
        text = await client.open("t", text="the cat. ", options=OptionChanges(levels=["L0"]))
        await document.finish()
        await document.append("the", "old")
        await settled(document)
        line.port = second.port
        line.cut()
        await document.append("cat")
        await text.write("sees")
        analyses = await settled(document)
        assert [[word.form for word in one.words] for one in analyses] == [
            ["the", "dog", "barks"],
            ["the", "old", "cat"],
        ]
        assert not client.welcome.resumed
        assert [one.levels for one in await settled(text)][-1] == ["L0"]
        assert text.text == "the cat. sees"


async def test_documents_that_were_closed_in_the_meantime_are_closed_there_too(
    start: StartServer, cable: Any
) -> None:
    line, url = await cable(await start())
    async with connect(url) as client:
        document = await client.open("d", words=["the"], options=QUICK)
        await settled(document)
        port, line.port = line.port, 1
        line.cut()
        while client.is_connected:
            await asyncio.sleep(0.01)
        await document.close()
        other = await client.open("d", words=["a", "dog"], options=QUICK)
        line.port = port
        (analysis,) = await settled(other)
        assert [word.form for word in analysis.words] == ["a", "dog"]


async def test_a_server_that_holds_less_than_it_has_answered_is_told_all_again(
    start: StartServer, cable: Any
) -> None:
    server = await start()
    line, url = await cable(server)
    async with connect(url) as client:
        document = await client.open("d", words=WORDS[:2], options=QUICK)
        await document.append(*WORDS[2:])
        await settled(document)
        older = server.host.new_session(None)
        older.receive(Open("d", 0, words=WORDS[:2]))
        older.token = client.welcome.session
        server.host.store.add(older)
        line.cut()
        await document.append("barks")
        assert [word.form for one in await settled(document) for word in one.words] == [*WORDS, "barks"]
        assert client.welcome.resumed


@pytest.mark.slow
async def test_a_wire_that_says_nothing_is_given_up(start: StartServer, cable: Any) -> None:
    line, url = await cable(await start())
    async with connect(url, heartbeat=1) as client:
        document = await client.open("d", words=["the"], options=QUICK)
        await settled(document)
        line.is_dumb = True
        await document.append("dog")
        async with asyncio.timeout(PATIENCE):
            while client.is_connected:
                await asyncio.sleep(0.05)
        line.is_dumb = False
        await settled(document)
        assert client.connections == 2


@pytest.mark.alone  # a second of silence means a lost connection
async def test_a_wire_that_takes_no_more_is_given_up(
    start: StartServer, cable: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "connect_socket", narrow_socket)
    line, url = await cable(await start())
    async with connect(url, heartbeat=1) as client:
        monkeypatch.undo()  # the next socket is wide
        document = await client.open("d", text="", options=OptionChanges(levels=["L0"]))
        await answered(document)
        line.is_stuck = True
        writing = asyncio.create_task(write_much(document))
        await asyncio.sleep(0.5)
        assert not writing.done(), "the wire takes all of it"
        async with asyncio.timeout(PATIENCE):
            while client.connections == 1 and client.is_connected:
                await asyncio.sleep(0.05)
        line.is_stuck = False
        await writing
        await answered(document)
        assert client.connections > 1  # a machine that stands still may lose it again


async def narrow_socket(url: str, **options: Any) -> Any:
    """A websocket that takes little that nobody reads."""
    place = urlsplit(url)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    narrow.connect((place.hostname, place.port))
    narrow.setblocking(False)
    return await connect_socket(url, sock=narrow, **options)


async def write_much(document: Document) -> None:
    """More than a socket takes that nobody reads: the same text again and again."""
    for _ in range(20):
        await document.edit(0, len(document.text), "the dog sees. " * 7000)


async def test_attempts_to_come_back_become_rare(
    start: StartServer, cable: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = list[float]()

    def at_once(_: float, longest_pause: float) -> float:
        longest.append(longest_pause)
        return 0.0

    monkeypatch.setattr(clients, "uniform", at_once)
    line, url = await cable(await start())
    async with connect(url) as client:
        line.port = 1
        line.cut()
        await until(lambda: len(longest) > 8)
        assert not client.is_connected
    assert longest[:9] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


async def test_a_server_that_sends_away_for_good_ends_all_documents(start: StartServer) -> None:
    server = await start(limits=replace(LIMITS, message_bytes=500))
    async with connect(url_of(server)) as client:
        document = await client.open("d", text="", options=QUICK)
        await document.write("the " * 200)
        assert (await error_of(document, DisconnectedError, "a message is longer")).code == 1009
        with pytest.raises(DisconnectedError):
            await client.open("e", words=[])
