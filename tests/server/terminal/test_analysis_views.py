from __future__ import annotations

import json

import pytest

from treewhile.incremental.parsers.analyses import Analysis, ExpectedWord
from treewhile.incremental.parsers.nodes import LATER, Virtual
from treewhile.server.terminal.analysis_views import as_json, draw_analysis, show_analysis

NOUN, VERB = Virtual(2, "NOUN"), Virtual(1, "VERB")
OPEN = Analysis(
    ("a", "red", "that"),
    ("DET", "ADJ", "PRON"),
    ("_", "Degree=Pos", "_"),
    (NOUN, NOUN, LATER),
    ("det", "amod", "obj"),
    (ExpectedWord(VERB, 0, "root"), ExpectedWord(NOUN, VERB, "nsubj")),
)
CLOSED = Analysis(("she", "sleeps"), ("PRON", "VERB"), ("_", "_"), (2, 0), ("nsubj", "root"))


def test_virtual_nodes_and_later_stand_after_the_words() -> None:
    assert draw_analysis(OPEN).split("\n") == [
        "      ╭─────────────────────╮",
        "  ╭───┼─────────────╮       │",
        "  │   │       ╭─────┼───────┼───╮",
        "  │   │   ╭───┼─────┼───────┤   │",
        "  │   │   │   │     │╭─────╮│   │",
        "  │   ▼   ▼   ▼     ▼│     ▼│   │",
        "root  a  red that [VERB] [NOUN]  …",
    ]


def test_an_arc_from_a_word_that_must_still_come_may_cross_others() -> None:
    noun = Virtual(1, "NOUN")
    waiting = Analysis(
        ("ik", "ben", "een"),
        ("PRON", "AUX", "DET"),
        ("_",) * 3,
        (noun, 0, noun),
        ("nsubj", "root", "det"),
        (ExpectedWord(noun, 2, "obj"),),
    )
    assert draw_analysis(waiting).split("\n") == [
        "      ╭─────────────╮",
        "      │    ╭───────╮│",
        "  ╭───┼───╮│  ╭───╮││",
        "  │   ▼   ▼│  ▼   │▼│",
        "root  ik ben een [NOUN]",
    ]


def test_a_whole_sentence_is_drawn_as_it_is() -> None:
    assert draw_analysis(CLOSED).split("\n")[-1] == "root she sleeps"


def test_a_table_says_the_same_with_tags_and_labels(capsys: pytest.CaptureFixture[str]) -> None:
    show_analysis(OPEN)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[-5:] == [
        ["1", "a", "DET", "[NOUN]", "det"],
        ["2", "red", "ADJ", "[NOUN]", "amod"],
        ["3", "that", "PRON", "…", "obj"],
        ["[VERB]", "VERB", "root", "root"],
        ["[NOUN]", "NOUN", "[VERB]", "nsubj"],
    ]


def test_a_drawing_that_is_too_wide_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    long = Analysis(("x" * 80, "y" * 80), ("X", "X"), ("_", "_"), (2, 0), ("dep", "root"))
    show_analysis(long)
    assert "▼" not in capsys.readouterr().out


def test_json_has_virtual_nodes_and_later() -> None:
    assert json.loads(json.dumps(as_json(OPEN, is_open=True))) == {
        "words": ["a", "red", "that"],
        "tags": ["DET", "ADJ", "PRON"],
        "features": ["_", "Degree=Pos", "_"],
        "heads": [{"virtual": 2, "tag": "NOUN"}, {"virtual": 2, "tag": "NOUN"}, "later"],
        "labels": ["det", "amod", "obj"],
        "expected": [
            {"virtual": 1, "tag": "VERB", "head": 0, "label": "root"},
            {"virtual": 2, "tag": "NOUN", "head": {"virtual": 1, "tag": "VERB"}, "label": "nsubj"},
        ],
        "is_open": True,
    }
    assert as_json(CLOSED)["heads"] == [2, 0]
    assert as_json(CLOSED)["is_open"] is False
