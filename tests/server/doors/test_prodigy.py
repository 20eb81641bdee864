from __future__ import annotations

import io
import json
from typing import Any

import pytest

from treewhile.incremental import read_sentences
from treewhile.oracles.errors import InputError
from treewhile.server.doors.prodigy import read_tasks, write_tasks

TREEBANK = """# text = Dogs bark.
1\tDogs\t_\t_\t_\t_\t2\tnsubj\t_\t_
2\tbark\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t_\t_\t_\t_\t2\tpunct\t_\t_

"""
TASK: dict[str, Any] = {
    "text": "Dogs bark.",
    "tokens": [
        {"text": "Dogs", "start": 0, "end": 4, "id": 0, "ws": True},
        {"text": "bark", "start": 5, "end": 9, "id": 1, "ws": False},
        {"text": ".", "start": 9, "end": 10, "id": 2, "ws": False},
    ],
    "relations": [
        {"head": 1, "child": 0, "label": "nsubj"},
        {"head": 1, "child": 1, "label": "root"},
        {"head": 1, "child": 2, "label": "punct"},
    ],
}


def read(**changes: Any) -> list[str]:
    return [str(one) for one in read_tasks([json.dumps({**TASK, **changes}) + "\n"])]


def test_a_sentence_becomes_a_task_counted_from_zero() -> None:
    [line] = write_tasks(read_sentences(io.StringIO(TREEBANK)))
    assert line.endswith("}\n")
    assert json.loads(line) == TASK


def test_a_task_becomes_the_sentence_that_it_was() -> None:
    assert read() == [TREEBANK]


def test_what_an_annotator_has_answered_is_read_with_all_that_prodigy_adds() -> None:
    more = [{**one, "color": "#fff", "head_span": {"start": 0, "end": 4}} for one in TASK["relations"]]
    assert read(relations=more, answer="accept", _input_hash=1, spans=[]) == [TREEBANK]
    assert read(answer="reject") == read(answer="ignore") == []


def test_words_without_a_relation_have_no_head() -> None:
    [sentence] = read_tasks([json.dumps({**TASK, "relations": TASK["relations"][:1]})])
    assert sentence.heads == [2, None, None]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"relations": [{"head": 3, "child": 0, "label": "x"}]}, "count them from 0"),
        ({"relations": TASK["relations"][:1] * 2}, "has two heads"),
        ({"tokens": TASK["tokens"][1:]}, "number tokens from 0"),
        ({"tokens": None}, "tokens"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=r"in the task of line 1") as raised:
        read(**changes)
    assert said in str(raised.value)
