from __future__ import annotations

import io
import urllib.parse
from collections.abc import Callable
from typing import Any

import pytest
from http_clients import Reply, ask, ask_with_form, ask_with_json, ask_with_parts
from real_servers import RealServer

from treewhile.incremental import read_sentences

ALL = {"tokenizer": "", "tagger": "", "parser": ""}
TEXT = "The old dog barks. It is late."
TREEBANK = "1\tDogs\tdog\tX\t_\t_\t_\t_\t_\tmine=yes\n2\tbark\tbark\tX\t_\t_\t_\t_\t_\t_\n"


def address(served: RealServer, path: str = "process") -> str:
    return f"{served.address}{path}"


def heads(reply: Reply) -> list[list[int | None]]:
    return [one.heads for one in read_sentences(io.StringIO(reply.json["result"]))]


def test_a_script_gets_trees_by_changing_the_address(served: RealServer) -> None:
    reply = ask_with_form(address(served), data=TEXT, model="english-ewt-ud-2.15-241121", **ALL)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
    assert reply.json["model"] == "en"
    assert heads(reply) == [[3, 3, 4, 0, 4], [3, 3, 0, 3]]
    assert "# text = The old dog barks.\n" in reply.json["result"]
    assert "SpaceAfter=No" in reply.json["result"]


@pytest.mark.parametrize("ask_in", [ask_with_form, ask_with_parts])
def test_forms_of_both_kinds_and_addresses_say_the_same(
    served: RealServer, ask_in: Callable[..., Reply]
) -> None:
    query = urllib.parse.urlencode({"data": TEXT, **ALL})
    by_address = ask(f"{address(served)}?{query}")
    assert ask_in(address(served), data=TEXT, **ALL).json == by_address.json


def test_the_models_are_listed(served: RealServer) -> None:
    told = ask(address(served, "models")).json
    assert told == {
        "models": {name: ["tokenizer", "tagger", "parser"] for name in ("en", "nl")},
        "default_model": "en",
    }


def test_a_language_chooses_the_model(served: RealServer) -> None:
    for asked in ("nl", "dutch", "dutch-alpino-ud-2.12"):
        assert ask_with_form(address(served), data="x", model=asked, **ALL).json["model"] == "nl"
    refused = ask_with_form(address(served), data="x", model="czech", **ALL)
    assert refused.status == 400
    assert refused.text == "there is no model 'czech', nor one for its language: ask for en, nl\n"


def test_what_is_not_asked_for_stays_as_it_is(served: RealServer) -> None:
    untouched = ask_with_form(address(served), data=TREEBANK).json["result"]
    assert TREEBANK in untouched
    [sentence] = read_sentences(
        io.StringIO(ask_with_form(address(served), data=TREEBANK, parser="").json["result"])
    )
    assert [word.upos for word in sentence.words] == ["X", "X"]
    assert sentence.heads == [2, 0]
    assert sentence.words[0].misc == "mine=yes"
    [sentence] = read_sentences(
        io.StringIO(ask_with_form(address(served), data=TREEBANK, tagger="").json["result"])
    )
    assert [word.upos for word in sentence.words] == ["NOUN", "VERB"]
    assert sentence.heads == [None, None]


@pytest.mark.parametrize(
    ("given", "lengths"),
    [
        ({"input": "horizontal", "data": "Dogs bark .\nIt rains\n"}, [3, 2]),
        ({"input": "vertical", "data": "Dogs\nbark\n.\n\nIt\nrains\n"}, [3, 2]),
        ({"input": "generic_tokenizer", "data": TEXT}, [5, 4]),
        ({"tokenizer": "presegmented", "data": "It rains. It snows.\nDogs bark"}, [6, 2]),
        ({"tokenizer": "", "data": " \n"}, []),
        ({"input": "conllu", "data": ""}, []),
    ],
)
def test_inputs_are_read_in_each_format(
    served: RealServer, given: dict[str, Any], lengths: list[int]
) -> None:
    reply = ask_with_form(address(served), parser="", **given)
    assert reply.status == 200
    found = reply.json["result"] and read_sentences(io.StringIO(reply.json["result"]))
    assert [len(one.words) for one in found] == lengths


def test_outputs_are_written_in_each_format(served: RealServer) -> None:
    flat = ask_with_form(address(served), data=TEXT, tokenizer="", output="horizontal").json["result"]
    assert flat == "The old dog barks .\nIt is late .\n"
    column = ask_with_form(address(served), data="It rains", tokenizer="", output="vertical").json["result"]
    assert column == "It\nrains\n\n"


def test_text_without_a_full_stop_is_parsed_however_long_it_is(served: RealServer) -> None:
    found = ask_with_form(address(served), data="word " * 2500, tagger="", parser="", tokenizer="").json
    assert [row.split("\t")[0] for row in found["result"].split("\n") if row[:1].isdigit()][-1] == "500"
    assert found["result"].count("\troot\t") == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "there is no parameter data"),
        ({"data": "x", "output": "matxin"}, "there is no output 'matxin' here"),
        ({"data": "x", "input": "epe"}, "there is no input 'epe' here"),
        ({"data": "1\tDogs\n"}, "the data:1"),
        ({"data": "word " * 2100, "input": "horizontal"}, "2048 words at most, not 2100"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    served: RealServer, given: dict[str, str], said: str
) -> None:
    reply = ask_with_form(address(served), tagger="", parser="", **given)
    assert (reply.status, reply.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert said in reply.text
    assert reply.text.count("\n") == 1


def test_bodies_that_are_no_forms_are_refused(served: RealServer) -> None:
    assert ask_with_json(address(served), {"data": "x"}).status == 415
    not_closed = b'--line\r\nContent-Disposition: form-data; name="data"\r\n\r\nx'
    kind = "multipart/form-data; boundary=line"
    assert ask(address(served), not_closed, Content_Type=kind).status == 400
    assert ask(address(served), b"data=%ff").status == 400
