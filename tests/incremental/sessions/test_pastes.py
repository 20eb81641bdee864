from __future__ import annotations

import gc
import tracemalloc

import pytest
from shells import SENTENCE, MakeModel, Shell, fresh_text, last, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.document_parses import WORDS_IN_A_SLICE
from treewhile.incremental.sessions.jobs import Attach
from treewhile.incremental.sessions.messages import (
    Append,
    Edit,
    Open,
)
from treewhile.incremental.sessions.session import MOST_REFINING, Session


@pytest.mark.slow
def test_a_long_paste_comes_out_sentence_by_sentence(make_model: MakeModel) -> None:
    shell = Shell(Session(make_model(seed=1)))
    shell.send(Open("d", 0, text="\n\n".join(["the old dog sees the old cat today ."] * 1200)))
    first = shell.run_one()
    shown = [analysis.sentence for analysis in shell.client.analyses]
    assert shown == [*range(len(shown))], "in their order"
    told = sum(len(analysis.words) for analysis in shell.client.analyses)
    assert WORDS_IN_A_SLICE - 9 < told <= WORDS_IN_A_SLICE, "as many as there is time for"
    assert isinstance(first, Attach)
    most = 0
    while shell.jobs:
        most = max(most, len(shell.jobs))
        shell.run_one()
    assert most <= MOST_REFINING + 1
    assert sum(len(last(shell, place).words) for place in range(1200)) == 1200 * 9
    assert {last(shell, place).stage for place in range(1199)} == {"final"}


def test_an_edit_comes_before_the_rest_of_a_paste(model: Model) -> None:
    shell = Shell(Session(model))
    text = "\n\n".join(["the old dog sees the old cat today ."] * 100)
    shell.send(Open("d", 0, text=text))
    job = shell.jobs[0]
    shell.send(Edit("d", 1, len(text), len(text), " barks"))
    assert job.interrupt.is_set
    for _ in range(3):
        shell.run_one()
    assert shell.client.answered == [0, 1]
    shell.settle()
    assert shell.state("d") == fresh_text(model, text + " barks")


def test_attaching_stops_after_any_word_and_goes_on(model: Model) -> None:
    shell = opened(model, SENTENCE)
    words = 0
    while shell.jobs and shell.jobs[0].level == "L0":
        shell.jobs[0].interrupt.set()
        shell.run_one()
        words += 1
    assert words == 5
    shell.settle()
    assert len(last(shell).words) == 5


def test_an_open_sentence_takes_little_room() -> None:
    words, model = ["The", "old", "dog", "sees", "a", "cat"] * 5, load_model("en")

    def grown() -> Session:
        shell = opened(model)
        for version, word in enumerate(words, 2):
            shell.send(Append("d", version, [word]))
            shell.settle()
        return shell.session

    def in_use() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    grown()
    tracemalloc.start()
    session = grown()
    assert session.jobs_to_run() == []
    with_session = in_use()
    del session
    size = with_session - in_use()  # what the interpreter keeps for the next objects is not the session's
    tracemalloc.stop()
    assert 50 * 1024 <= size <= 100 * 1024
