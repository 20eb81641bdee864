"""Grammars of documents: by name, and edited texts, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from kept_sessions import hello
from waiting import until

from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.sessions.messages import LONGEST_GRAMMAR
from treewhile.server.process.server import Server
from treewhile.server.work.engines import Engines
from treewhile.server.work.served_models import ServedModels

StartServer = Callable[..., Awaitable[Server]]
Serve = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

WORDS = ["dog", "the", "barks"]
HEADS_FIRST = """
include predictors
constraint "one root" penalty 0, X and Y under one head: not is_root(X.head)
constraint "heads first" penalty 0, X: X.direction = right
"""
HEADS_LAST = HEADS_FIRST.replace("right", "left").replace("first", "last")
FIRST, LAST = [0, 1, 1], [3, 3, 0]  # heads of the words


@pytest.fixture
def serve(start: StartServer, model_file: Callable[..., Path], tmp_path: Path) -> Serve:
    """Starts servers with a model, searched under one grammar and offered with another one."""
    model = tmp_path / "tiny.safetensors"
    file = read_model(model_file())
    write_model(model, ModelFile(file.arrays, file.information))
    files = [tmp_path / "heads_first.constraints", tmp_path / "heads_last.constraints"]
    for path, text in zip(files, (HEADS_FIRST, HEADS_LAST), strict=True):
        path.write_text(text)

    async def serve(edits: bool = True, given: int = 2, **options: Any) -> Server:
        grammars = {"tiny": [*map(str, files[:given])]}
        served = ServedModels([str(model)], grammars=grammars, edits_grammars=edits)
        server = await start(served=Engines(served), **options)
        await server.preparations.load()
        return server

    return serve


async def opened(wire: Any, document: str = "d", **options: Any) -> None:
    chosen = {"deltas": False, **options}
    await wire.say("open", document=document, version=0, words=WORDS, options=chosen)
    await wire.say("finish", document=document, version=1)


async def heads(wire: Any, document: str = "d") -> list[int]:
    """The heads of the next analysis that a search ends with."""
    while True:
        found = await wire.until("analysis", document=document, stage="final")
        if "L2" in found["levels"]:
            return [word["head"] for word in found["words"]]


async def told(wire: Any, number: int) -> dict[str, Any]:
    message: dict[str, Any] = await wire.until("mistakes", number=number)
    return message


# --- by name ------------------------------------------------------------------------------------------------


async def test_a_document_says_under_which_grammar_it_is_searched(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    offered = (await hello(wire))["grammars"]["tiny"]
    assert offered[:2] == ["heads_first", "heads_last"]
    assert {"universal", "general"} < {*offered}
    await opened(wire)
    assert await heads(wire) == FIRST
    await opened(wire, "other", grammar="heads_last")
    assert await heads(wire, "other") == LAST


async def test_a_document_whose_grammar_changes_is_searched_anew(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    await opened(wire)
    assert await heads(wire) == FIRST
    for grammar, expected in (("heads_last", LAST), (None, FIRST), ("heads_first", FIRST)):
        await wire.say("options", document="d", options={"grammar": grammar})
        while await heads(wire) != expected:
            pass


async def test_a_grammar_that_is_not_offered_is_refused_and_changes_nothing(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    await opened(wire, grammar="heads")
    error = await wire.until("error", version=0)
    assert error["code"] == "unsupported"
    assert error["message"].startswith("there is no grammar 'heads': name one of heads_first, heads_last, ")
    await opened(wire, "other", grammar="heads_last")
    assert await heads(wire, "other") == LAST
    await wire.say("options", document="other", options={"grammar": "/etc/passwd", "levels": ["L0"]})
    assert (await wire.until("error", document="other"))["code"] == "unsupported"
    await wire.say("ask_analyses", document="other")
    assert await heads(wire, "other") == LAST


async def test_a_file_that_has_become_unreadable_is_told_and_the_search_goes_on(
    serve: Serve, dial: Dial, tmp_path: Path
) -> None:
    wire = await dial(await serve())
    (tmp_path / "heads_last.constraints").write_text("constraint")
    await opened(wire, grammar="heads_last")
    error = await wire.until("error")
    assert (error["code"], error["temporary"]) == ("failed", True)
    assert "the grammar 'heads_last' cannot be used at present" in error["message"]
    assert await heads(wire) == FIRST


# --- edited -------------------------------------------------------------------------------------------------


async def test_the_text_of_a_grammar_acts_at_once_and_on_its_document_alone(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    assert (await hello(wire))["edits_grammars"]
    for document in ("d", "other"):
        await opened(wire, document)
        assert await heads(wire, document) == FIRST
    await wire.say("edit_grammar", document="d", text=HEADS_LAST, number=1)
    answer = await told(wire, 1)
    assert (answer["mistakes"], answer["is_used"], answer["constraints"]) == ([], True, 7)
    assert await heads(wire) == LAST
    await opened(wire, "third")
    assert await heads(wire, "third") == FIRST
    await wire.say("edit_grammar", document="d", text=None, number=2)
    assert not (await told(wire, 2))["is_used"]
    assert await heads(wire) == FIRST


async def test_a_text_that_is_taken_back_does_not_act_where_the_named_grammar_is_unreadable(
    serve: Serve, dial: Dial, tmp_path: Path
) -> None:
    wire = await dial(await serve())
    (tmp_path / "heads_last.constraints").write_text("constraint")
    await opened(wire, grammar="heads_last")
    assert (await wire.until("error"))["code"] == "failed"
    assert await heads(wire) == FIRST
    await wire.say("edit_grammar", document="d", text=HEADS_LAST, number=1)
    assert (await told(wire, 1))["is_used"]
    assert await heads(wire) == LAST
    await wire.say("edit_grammar", document="d", text=None, number=2)
    assert (await wire.until("error"))["code"] == "failed"
    await wire.say("ask_analyses", document="d")
    assert await heads(wire) == FIRST


async def test_broken_text_keeps_the_last_good_one_and_is_answered_with_all_mistakes(
    serve: Serve, dial: Dial
) -> None:
    wire = await dial(await serve())
    await opened(wire)
    await wire.say("edit_grammar", document="d", text=HEADS_LAST, number=1)
    assert (await told(wire, 1))["is_used"]
    assert await heads(wire) == LAST
    broken = "constraint a penalty 2, X: X.label = det\nconstraint b penalty 0.5, X: X.label = subj\n@"
    await wire.say("edit_grammar", document="d", text=broken, number=2)
    answer = await told(wire, 2)
    assert not answer["is_used"]
    assert [(one["line"], one["column"]) for one in answer["mistakes"]] == [(1, 22), (2, 40), (3, 1)]
    assert "did you mean" in answer["mistakes"][1]["message"]
    await wire.say("ask_analyses", document="d")
    assert await heads(wire) == LAST


async def test_the_broken_constraints_are_told_after_each_search(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    await opened(wire, streams=["analyses", "constraints"])
    message = await wire.until("constraints")
    assert "heads first" not in [one["constraint"] for one in message["broken"]]
    both = HEADS_FIRST + 'section mine\nconstraint "no root barks" penalty 0.5, X:\n  X.position != 3\n'
    await wire.say("edit_grammar", document="d", text=both, number=1)
    expected = {"constraint": "no root barks", "section": "mine", "penalty": 0.5, "words": [1, 3], "x": 3}
    while expected not in (await wire.until("constraints"))["broken"]:
        pass


async def test_a_server_that_takes_no_texts_refuses_them(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve(edits=False))
    assert "edits_grammars" not in await hello(wire)
    await opened(wire)
    await wire.say("edit_grammar", document="d", text=HEADS_LAST)
    error = await wire.until("error", document="d")
    assert (error["code"], error["message"]) == (
        "unsupported",
        "this server takes no grammars from its clients: name one that it offers",
    )
    await wire.say("ask_analyses", document="d")
    assert await heads(wire) == FIRST


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('include "secret.constraints"', "'secret.constraints' is a file, and this text has no folder"),
        ('include "/etc/x.constraints"', "is a file, and this text has no folder"),
        ('table VERBS "/etc/passwd"', "is a file, and this text has no folder"),
        ("include general\ninclude general2", "no grammar named 'general2' is installed"),
        (f"constraint a penalty 0.5, X: {'(' * 200}true{')' * 200}", "100 levels"),
        ("\n".join(f"constraint c{n} penalty 0.5, X: true" for n in range(301)), "more than 300 constraints"),
        (
            "\n".join(
                f"constraint c{n} penalty 0.5, X and Y of any kind: some Z anywhere: (Z.tag = X.tag)"
                for n in range(40)
            ),
            "combinations of words",
        ),
        (
            "define D(N): N.tag in {A, B} or "
            + " or ".join("N.tag = NOUN" for _ in range(300))
            + "\n"
            + "\n".join(f"constraint c{n} penalty 0.5, X: D(X)" for n in range(100)),
            "more than 20000 terms",
        ),
        (
            "\n".join(
                f'constraint c{n} penalty 0.5, X: X.lower matches "(.|.)*a{{{300 + n}}}"' for n in range(10)
            ),
            "more than 2000 states",
        ),
        (
            "define F0(N): N.tag = DET\n"
            + "\n".join(f"define F{n}(N): F{n - 1}(N) and F{n - 1}(N)" for n in range(1, 11))
            + "\n"
            + "\n".join(f"define G{n}(N): F10(N)" for n in range(1000)),
            "takes too long",
        ),
    ],
)
async def test_a_text_reads_no_files_and_is_bounded(
    serve: Serve, dial: Dial, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "secret.constraints").write_text(HEADS_LAST)
    wire = await dial(await serve())
    await opened(wire)
    await wire.say("edit_grammar", document="d", text=text, number=1)
    answer = await told(wire, 1)
    assert not answer["is_used"]
    assert any(message in one["message"] for one in answer["mistakes"]), answer["mistakes"]


async def test_a_text_that_is_too_long_is_refused_and_the_session_lives(serve: Serve, dial: Dial) -> None:
    wire = await dial(await serve())
    await opened(wire)
    await wire.say("edit_grammar", document="d", text="#" * (LONGEST_GRAMMAR + 1), number=1)
    assert (await wire.until("error"))["code"] == "bad_event"
    await wire.say("edit_grammar", document="d", text="#" * LONGEST_GRAMMAR, number=2)
    assert (await told(wire, 2))["is_used"]


async def test_others_type_on_while_a_grammar_is_compiled(serve: Serve, dial: Dial) -> None:
    server = await serve()
    wire, other = await dial(server), await dial(server)
    await opened(wire)
    await other.open("the")
    await other.answered(0)
    large = "include english\n" + "\n".join(
        f"constraint c{n} penalty 0.5, X: X.tag = DET or X.tag = NOUN or X.head.tag = VERB"
        for n in range(150)
    )
    waited = []
    await wire.say("edit_grammar", document="d", text=large, number=1)
    compiled = asyncio.create_task(told(wire, 1))
    version = 0
    while not compiled.done():
        version += 1
        start = perf_counter()
        await other.say("append", document="d", version=version, words=["dog"])
        await other.answered(version)
        waited.append(perf_counter() - start)
        await asyncio.sleep(0.01)
    assert compiled.result()["is_used"], compiled.result()
    assert len(waited) > 3
    assert sorted(waited)[len(waited) // 2] < 0.1


# --- kept ---------------------------------------------------------------------------------------------------


async def test_a_resumed_session_keeps_its_grammars(serve: Serve, dial: Dial) -> None:
    server = await serve()
    wire = await dial(server)
    token = (await hello(wire))["session"]
    await opened(wire, "named", grammar="heads_last")
    await opened(wire, "edited")
    await wire.say("edit_grammar", document="edited", text=HEADS_LAST, number=1)
    await told(wire, 1)
    again = await dial(server)
    assert (await hello(again, token))["resumed"]
    assert await heads(again, "named") == LAST
    await again.say("ask_analyses", document="edited")
    assert await heads(again, "edited") == LAST


@pytest.mark.slow
async def test_a_stored_session_has_its_grammars_or_is_none(serve: Serve, dial: Dial, tmp_path: Path) -> None:
    place = tmp_path / "sessions"
    place.mkdir()
    one = await serve(sessions=place)
    wire = await dial(one)
    token = (await hello(wire))["session"]
    await opened(wire, "named")
    await wire.say("options", document="named", options={"grammar": "heads_last"})
    await opened(wire, "edited")
    await wire.say("edit_grammar", document="edited", text=HEADS_FIRST, number=1)
    await wire.say("edit_grammar", document="edited", text=HEADS_LAST, number=2)
    await told(wire, 2)
    await wire.say("append", document="edited", version=2, words=["the"])
    await wire.answered(2)  # analyses may come before the events are stored; answers come after
    await wire.socket.close()
    await until(lambda: not one.entrance.connections)
    other = await serve(sessions=place)
    again = await dial(other)
    assert (await hello(again, token))["resumed"]
    assert await heads(again, "named") == LAST
    await again.socket.close()
    await until(lambda: not other.entrance.connections)
    without = await dial(await serve(given=1, sessions=place))
    assert not (await hello(without, token))["resumed"]
