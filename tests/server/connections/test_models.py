"""Several models at one server, each loaded when a client first uses it, over real sockets."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from kept_sessions import hello
from real_servers import RealServer
from waiting import until
from websockets.sync.client import connect

from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.parsing import read_parser
from treewhile.server.process.server import Server
from treewhile.server.work import engines as loading
from treewhile.server.work.engines import Engines
from treewhile.server.work.served_models import ServedModels

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

WORDS = ["the", "old", "dog", "sees", "the", "cat"]


@pytest.fixture
def files(model_file: Callable[..., Path], tmp_path: Path) -> dict[str, Path]:
    """Files of two models, of which only the second knows lemmas and when sentences end."""
    found = {"first": tmp_path / "first.safetensors", "second": tmp_path / "second.safetensors"}
    copyfile(model_file(seed=1), found["first"])
    file = read_model(model_file(seed=2, with_completeness=True, with_lemmas=True))
    write_model(found["second"], ModelFile(file.arrays, {**file.information, "language": "yy"}))
    return found


@pytest.fixture
def serve(start: StartServer, files: dict[str, Path]) -> Callable[..., Awaitable[Server]]:
    """Starts servers of both models, of which the first one is loaded."""

    async def serve(**options: Any) -> Server:
        server = await start(served=Engines(ServedModels([*map(str, files.values())])), **options)
        await server.preparations.load()
        return server

    return serve


def arcs_of(message: dict[str, Any]) -> list[tuple[int, str]]:
    return [(word["head"], word["label"]) for word in message["words"]]


def loaded(server: Server) -> set[str]:
    engines = server.preparations.engines
    assert {*engines.loaded} == {*engines.others}
    return {*engines.loaded}


async def final_arcs(wire: Any, document: str, **options: Any) -> list[tuple[int, str]]:
    """The heads and labels that a session ends with for a document of words."""
    chosen = {"levels": ["L0", "L1"], "deltas": False, **options}
    await wire.say("open", document=document, version=0, words=WORDS, options=chosen)
    await wire.say("finish", document=document, version=1)
    found = await wire.until("analysis", document=document, stage="final")
    return arcs_of(found)


def arcs_by(path: Path) -> list[tuple[int, str]]:
    analysis = read_parser(path).parse(WORDS)
    return [*zip(analysis.heads, analysis.labels, strict=True)]


async def test_a_model_is_loaded_when_a_document_first_names_it(
    serve: Callable[..., Awaitable[Server]], dial: Dial, files: dict[str, Path]
) -> None:
    log = io.StringIO()
    server = await serve(log=log)
    wire = await dial(server)
    welcome = await hello(wire)
    assert (welcome["model"], welcome["models"]) == ("first", ["first", "second"])
    assert welcome["languages"] == {"first": "xx", "second": "yy"}
    assert welcome["abilities"] == {"first": [], "second": ["completeness", "lemmas"]}
    assert await final_arcs(wire, "one") == arcs_by(files["first"])
    assert loaded(server) == {"first"}
    assert await final_arcs(wire, "two", model="second") == arcs_by(files["second"])
    assert await final_arcs(wire, "three", model="first") == arcs_by(files["first"])
    assert arcs_by(files["first"]) != arcs_by(files["second"])
    assert loaded(server) == {"first", "second"}
    assert log.getvalue().count('"loaded"') == 1


async def test_a_model_is_loaded_once_however_many_ask_and_others_go_on_meanwhile(
    serve: Callable[..., Awaitable[Server]], dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = list[str](), asyncio.Event()
    loop, load = asyncio.get_running_loop(), loading.load_engine

    def load_slowly(*given: Any) -> loading.Engine:
        begun.append(given[0])
        asyncio.run_coroutine_threadsafe(may_end.wait(), loop).result()
        return load(*given)

    server = await serve()
    monkeypatch.setattr(loading, "load_engine", load_slowly)
    one, two, other = [await dial(server) for _ in range(3)]
    await one.say("hello", model="second")
    await two.open("dog", model="second")
    await two.say("append", document="d", version=1, words=["barks"])
    await until(lambda: begun)
    await other.open("dog")
    await other.answered(0)
    may_end.set()
    assert (await one.until("welcome"))["language"] == "yy"
    await two.answered(1)
    assert len(begun) == 1


async def test_a_model_that_is_not_there_is_refused_and_nothing_is_opened(
    serve: Callable[..., Awaitable[Server]], dial: Dial
) -> None:
    wire = await dial(await serve())
    await wire.open("dog", version=3, model="third")
    told = await wire.until("error")
    assert (told["code"], told["document"], told["version"]) == ("unsupported", "d", 3)
    assert told["message"] == "there is no model 'third': name one of first, second"
    await wire.open("dog", version=4)
    await wire.answered(4)


async def test_an_open_document_keeps_its_model(serve: Callable[..., Awaitable[Server]], dial: Dial) -> None:
    wire = await dial(await serve())
    await wire.open("dog", model="second")
    await wire.say("options", document="d", options={"model": "second", "risk": 1})
    await wire.say("options", document="d", options={"model": "first", "risk": 0})
    told = await wire.until("error")
    assert told["code"] == "unsupported"
    assert told["message"] == "the document 'd' keeps its model: close it and open it again with another one"


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"nothing")])
async def test_a_file_that_cannot_be_loaded_is_told_and_tried_again(
    serve: Callable[..., Awaitable[Server]], dial: Dial, files: dict[str, Path], damage: Callable[[Path], Any]
) -> None:
    log, whole = io.StringIO(), files["second"].read_bytes()
    server = await serve(log=log)
    damage(files["second"])
    wire, other = await dial(server), await dial(server)
    await other.open("dog")
    await other.answered(0)
    await wire.open("dog", model="second")
    told = await wire.until("error")
    assert (told["code"], told["document"], told["temporary"]) == ("failed", "d", True)
    assert "second.safetensors" in told["message"]
    assert ": " in told["message"]
    await wire.say("hello", model="second")
    assert (await wire.until("error"))["code"] == "illegal"
    late = await dial(server)
    await late.say("hello", model="second")
    assert (await late.until("error"))["code"] == "failed"
    assert log.getvalue().count("a model could not be loaded") == 2
    await other.say("append", document="d", version=1, words=["barks"])
    await other.answered(1)
    files["second"].write_bytes(whole)
    await wire.open("dog", model="second", version=1)
    await wire.answered(1)
    await late.say("hello", model="second")
    assert (await late.until("welcome"))["model"] == "second"


@pytest.mark.parametrize("is_kept", [False, True])
async def test_a_session_that_is_resumed_has_its_documents_in_their_models(
    serve: Callable[..., Awaitable[Server]],
    dial: Dial,
    files: dict[str, Path],
    tmp_path: Path,
    is_kept: bool,
) -> None:
    sessions = tmp_path if is_kept else None
    server = await serve(sessions=sessions)
    wire = await dial(server)
    token = (await hello(wire))["session"]
    await wire.open(*WORDS[:-1], document="other", levels=["L0", "L1"], model="second", deltas=False)
    await wire.say("append", document="other", version=1, words=WORDS[-1:])
    await wire.answered(1)
    await wire.open("dog", document="own")
    await wire.answered(0)
    await wire.socket.close()
    await until(lambda: not server.entrance.connections)
    if is_kept:
        server = await serve(sessions=sessions)
        assert loaded(server) == {"first"}
    again = await dial(server)
    welcome = await hello(again, token)
    assert welcome["resumed"]
    held = {one["document"]: one.get("model") for one in welcome["documents"]}
    assert held == {"other": "second", "own": None}
    assert loaded(server) == {"first", "second"}
    await again.say("finish", document="other", version=2)
    found = await again.until("analysis", document="other", stage="final")
    assert arcs_of(found) == arcs_by(files["second"])


async def test_a_session_whose_model_cannot_be_loaded_waits_for_it(
    serve: Callable[..., Awaitable[Server]], dial: Dial, files: dict[str, Path], tmp_path: Path
) -> None:
    first = await serve(sessions=tmp_path)
    wire = await dial(first)
    token = (await hello(wire))["session"]
    await wire.open("dog", model="second")
    await wire.answered(0)
    await first.close()
    whole = files["second"].read_bytes()
    files["second"].write_bytes(b"nothing")
    server = await serve(sessions=tmp_path)
    early = await dial(server)
    await early.say("hello", resume=token)
    assert (await early.until("error"))["code"] == "failed"
    assert await early.close_code() == 1013
    files["second"].write_bytes(whole)
    assert (await hello(await dial(server), token))["resumed"]


async def test_models_that_were_loaded_are_loaded_again(
    serve: Callable[..., Awaitable[Server]], dial: Dial, files: dict[str, Path]
) -> None:
    server = await serve()
    engines = server.preparations.engines
    before = engines.loaded["first"]
    wire = await dial(server)
    await wire.open("dog", document="before")
    await wire.answered(0)
    copyfile(files["second"], files["first"])
    await engines.load_again()
    assert loaded(server) == {"first"}
    assert engines.loaded["first"] is not before
    assert await final_arcs(wire, "after", model="first") == arcs_by(files["second"])


@pytest.mark.slow
def test_each_worker_loads_a_model_for_its_own_clients(files: dict[str, Path]) -> None:
    with RealServer(files["first"], "--model", str(files["second"]), "--workers", "2") as server:
        for _ in range(4):  # at either worker
            with connect(server.address.replace("http", "ws"), proxy=None) as socket:
                options = {"model": "second", "levels": ["L0", "L1"], "deltas": False}
                opened = {"type": "open", "document": "d", "version": 0, "words": WORDS, "options": options}
                socket.send(json.dumps(opened))
                socket.send(json.dumps({"type": "finish", "document": "d", "version": 1}))
                message = json.loads(socket.recv(timeout=60))
                while message.get("stage") != "final":
                    message = json.loads(socket.recv(timeout=60))
                assert arcs_of(message) == arcs_by(files["second"])
