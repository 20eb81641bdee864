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


def test_text_in_an_unknown_script_is_refused(served: RealServer) -> None:
    refused = ask_with_form(address(served), data="אתמול קראתי ספר מעניין מאוד", model="en", **ALL)
    assert refused.status == 400
    assert refused.text.startswith("the text is in Hebrew letters, and the model knows Latin ones: ")


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


SPACED = "  The dog (old) barks.  It is\tlate .\r\nIt rains .\n\n\n \tNew dogs bark. It rains. \n"
LINES = " The dog barks . It is late\n  now .\n \nNew dogs bark .\n\t\n\nIt rains"


def of_tokens(conllu: str) -> list[str]:
    """The lines of comments, and of each row its form and MISC."""
    rows = [
        line.split("\t") for line in conllu.splitlines() if not line.startswith(("# generator", "# udpipe"))
    ]
    return ["\t".join(row if len(row) == 1 else [row[1], row[-1]]) for row in rows]


def of_udpipe(text: str, options: str) -> list[str]:
    """The same of UDPipe's own tokenizer, which knows no language."""
    udpipe = pytest.importorskip("ufal.udpipe")
    reader = udpipe.InputFormat.newInputFormat(f"generic_tokenizer={options}")
    writer, problem = udpipe.OutputFormat.newOutputFormat("conllu"), udpipe.ProcessingError()
    reader.setText(text)
    written, sentence = "", udpipe.Sentence()
    while reader.nextSentence(sentence, problem):
        written += writer.writeSentence(sentence)
        sentence = udpipe.Sentence()
    return of_tokens(written)


@pytest.mark.parametrize("options", ["", "ranges", "normalized_spaces", "ranges;normalized_spaces"])
@pytest.mark.parametrize(("text", "segmented"), [(SPACED, ""), (LINES, "presegmented;")])
def test_tokens_have_the_places_and_spaces_that_udpipe_gives_them(
    served: RealServer, text: str, segmented: str, options: str
) -> None:
    asked = segmented + options
    told = ask_with_form(address(served), data=text, tokenizer=asked, tagger="", parser="").json["result"]
    assert of_tokens(told) == of_udpipe(text, asked)
    assert of_tokens(told)[:2] == ["# newdoc", "# newpar"]
    generic = ask_with_form(address(served), data=text, input=f"generic_tokenizer={asked}").json["result"]
    assert of_tokens(generic) == of_tokens(told)


@pytest.mark.parametrize("segmented", ["", "presegmented;"])
def test_ranges_lead_to_the_tokens_in_the_text_that_was_sent(served: RealServer, segmented: str) -> None:
    text = "🎉 I cannot  go .\nDogs don\u2019t bark|meow."
    result = ask_with_form(address(served), data=text, tokenizer=f"{segmented}ranges").json["result"]
    rows = [line.split("\t") for line in result.splitlines() if "TokenRange" in line]
    places = [row[-1].partition("TokenRange=")[2].split(":") for row in rows]
    assert [text[int(start) : int(end)] for start, end in places] == [row[1] for row in rows]
    assert "".join(row[1] for row in rows) == "".join(text.split())
    assert any("-" in row[0] for row in rows), "one of them stands for several words"


def test_paragraphs_of_given_words_are_told(served: RealServer) -> None:
    data = "Dogs bark .\nIt rains\n\nCats meow\n"
    told = ask_with_form(address(served), data=data, input="horizontal").json["result"]
    marks = [line for line in told.splitlines() if line.startswith(("# new", "# sent"))]
    ids = [f"# sent_id = {number}" for number in (1, 2, 3)]
    assert marks == ["# newdoc", "# newpar", ids[0], ids[1], "# newpar", ids[2]]


@pytest.mark.parametrize(
    "known", [{"parser": "beam_search=5"}, {"output": "conllu=v2", "tokenizer": "ranges=1;"}]
)
def test_known_options_are_taken(served: RealServer, known: dict[str, str]) -> None:
    assert ask_with_form(address(served), data=TEXT, **{**ALL, **known}).status == 200


@pytest.mark.slow
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
        (
            {"data": "x", "tokenizer": "ranges;fast"},
            "tokenizer has no option 'fast' here: use normalized_spaces,",
        ),
        ({"data": "x", "tagger": "fast=1"}, "tagger has no option 'fast' here: leave it out"),
        (
            {"data": "x", "output": "horizontal=paragraphs"},
            "output horizontal has no option 'paragraphs' here",
        ),
        ({"data": "x", "output": "conllu=v1"}, "output conllu has no option 'v1' here: use v2"),
        (
            {"data": "x", "tokeniser": ""},
            "there is no parameter 'tokeniser' here: send data, model, tokenizer,",
        ),
        ({"data": "1\tDogs\n"}, "the data:1"),
        ({"data": "word " * 2100, "input": "horizontal"}, "2048 words at most, not 2100"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    served: RealServer, given: dict[str, str], said: str
) -> None:
    reply = ask_with_form(address(served), **{"tagger": "", "parser": "", **given})
    assert (reply.status, reply.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert said in reply.text
    assert reply.text.count("\n") == 1


def test_bodies_that_are_no_forms_are_refused(served: RealServer) -> None:
    assert ask_with_json(address(served), {"data": "x"}).status == 415
    not_closed = b'--line\r\nContent-Disposition: form-data; name="data"\r\n\r\nx'
    kind = "multipart/form-data; boundary=line"
    assert ask(address(served), not_closed, Content_Type=kind).status == 400
    assert ask(address(served), b"data=%ff").status == 400
