from __future__ import annotations

import io
import time
from typing import Any

import pytest
from http_clients import Reply, ask, ask_with_json
from real_servers import RealServer

from treewhile.incremental import Sentence, read_sentences

INFO = {"project_name": "treewhile", "model_id": "en"}
DOGS = "# sent_id = a\n1\tDogs\tdog\t_\tNNS\t_\t_\t_\t_\t_\n2\tbark\tbark\tX\t_\t_\t_\t_\t_\t_"
LATE = "# sent_id = b\n1\tIt\tit\t_\t_\t_\t_\t_\t_\t_\n2\trains\train\t_\t_\t_\t_\t_\t_\t_\n\n"


def post(served: RealServer, path: str, content: object) -> Reply:
    return ask_with_json(f"{served.address}parser/models/{path}", content)


def parse(served: RealServer, samples: dict[str, str], **settings: str) -> Any:
    """The whole exchange, as Arborator's server has it."""
    asked = {"project_name": "p", "model_info": INFO, "to_parse_samples": samples}
    started = post(served, "parse/start", {**asked, "parsing_settings": settings}).json
    assert started["status"] == "success"
    assert started["data"]["model_info"] == INFO
    look = {"parse_task_id": started["data"]["parse_task_id"]}
    while not (found := post(served, "parse/status", look).json)["data"]["ready"]:
        time.sleep(0.02)
    return found["data"]


def only(sample: str) -> Sentence:
    [sentence] = read_sentences(io.StringIO(sample))
    return sentence


@pytest.mark.slow
def test_the_models_are_listed_as_projects_have_them(served: RealServer) -> None:
    told = ask(f"{served.address}parser/models/list").json
    assert told == {"status": "success", "data": [INFO, {**INFO, "model_id": "nl"}]}


def test_samples_come_back_with_trees(served: RealServer) -> None:
    data = parse(served, {"one": DOGS, "two": LATE})
    assert (data["model_info"], [*data["parsed_samples"]]) == (INFO, ["one", "two"])
    dogs = only(data["parsed_samples"]["one"])
    assert dogs.comments == ("# sent_id = a",)
    assert dogs.heads == [2, 0]
    assert [(word.lemma, word.upos) for word in dogs.words] == [("dog", "NOUN"), ("bark", "VERB")]
    assert dogs.words[0].xpos == "NNS"  # which was there; the other one had none, so the model's is taken
    assert only(data["parsed_samples"]["two"]).heads == [2, 0]


def test_columns_are_kept_where_they_are_not_empty(served: RealServer) -> None:
    dogs = only(parse(served, {"one": DOGS}, keep_upos="EXISTING")["parsed_samples"]["one"])
    assert [word.upos for word in dogs.words] == ["NOUN", "X"]


def test_kept_heads_bear_on_the_others_even_where_they_cross(served: RealServer) -> None:
    rows = [("The", "_"), ("old", "5"), ("dog", "1"), ("barks", "_"), ("loudly", "_")]
    sample = "\n".join(
        f"{number}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t_" for number, (form, head) in enumerate(rows, 1)
    )
    sentence = only(parse(served, {"one": sample}, keep_heads="EXISTING")["parsed_samples"]["one"])
    assert sentence.heads[1:3] == [5, 1]
    assert sentence.heads.count(0) == 1
    assert all(word.deprel != "_" for word in sentence.words)
    assert all(leads_to_root(sentence.heads, word) for word in range(1, 6))


def leads_to_root(heads: list[int | None], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1] or 0
        if not word:
            return True
    return False


def test_heads_that_make_no_tree_are_an_error_of_the_task(served: RealServer) -> None:
    circle = "1\tDogs\t_\t_\t_\t_\t2\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t1\t_\t_\t_"
    asked = {"model_info": INFO, "to_parse_samples": {"one": circle}}
    settings = {"parsing_settings": {"keep_heads": "EXISTING"}}
    task = post(served, "parse/start", {**asked, **settings}).json["data"]["parse_task_id"]
    while (reply := post(served, "parse/status", {"parse_task_id": task})).status == 200:
        time.sleep(0.02)
    assert reply.json["status"] == "failure"
    assert "no tree has all heads that are to be kept" in reply.json["error"]


@pytest.mark.parametrize("path", ["train/start", "train/status"])
def test_training_is_refused_in_a_sentence(served: RealServer, path: str) -> None:
    reply = post(served, path, {"project_name": "p"})
    assert (reply.status, reply.json["status"]) == (501, "failure")
    assert "`treewhile train`" in reply.json["error"]


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("parse/start", {}, "to_parse_samples"),
        ("parse/start", [], "this is not the JSON that belongs here"),
        ("parse/start", {"to_parse_samples": {"one": 1}}, "to_parse_samples"),
        ("parse/start", {"to_parse_samples": {}, "model_info": {"model_id": "fr"}}, "no model 'fr'"),
        ("parse/status", {"parse_task_id": "none"}, "there is no such task"),
    ],
)
def test_failures_are_told_in_json(served: RealServer, path: str, content: object, said: str) -> None:
    reply = post(served, path, content)
    assert (reply.status, reply.json["status"]) == (400, "failure")
    assert said in reply.json["error"]
