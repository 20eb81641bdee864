from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cases import each, each_seed
from msgspec import structs
from shells import SEEDS, SENTENCE, MakeModel, Shell, last, opened

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.model_files import read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions import document_parses
from treewhile.incremental.sessions.document_parses import WORDS_IN_A_SLICE
from treewhile.incremental.sessions.jobs import Attach
from treewhile.incremental.sessions.messages import (
    MOST_DOCUMENTS,
    MOST_WORDS,
    AnalysisMessage,
    Append,
    AskAnalyses,
    AskSteps,
    Close,
    Edit,
    ErrorMessage,
    Finish,
    Gold,
    Open,
    OptionChanges,
    Options,
    Revoke,
    Step,
)
from treewhile.incremental.sessions.session import OtherModel, Session
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.oracles import InputError


def test_messages_can_be_fetched_bit_by_bit(model: Model) -> None:
    text = "\n\n".join(["the old dog barks ."] * 50)
    shell, whole = Shell(Session(model)), Shell(Session(model))
    for one in (shell, whole):
        one.send(Open("d", 1, text=text, options=OptionChanges(levels=["L0"])))
        one.settle()
    shell.session.receive(AskAnalyses("d"))
    parts: list[object] = []
    while part := shell.session.messages_to_send(words=12):
        assert sum(len(message.words) for message in part if isinstance(message, AnalysisMessage)) <= 15
        parts += part
    whole.session.receive(AskAnalyses("d"))
    assert len(parts) == 50
    assert [replaced(one) for one in parts] == [replaced(one) for one in whole.session.messages_to_send()]


def answers(messages: Iterable[object]) -> list[tuple[int, list[int]]]:
    return [(one.sentence, one.answers) for one in messages if isinstance(one, AnalysisMessage)]


def test_a_version_is_answered_by_the_last_of_its_first_analyses(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 7, text="\n\n".join(["the old dog barks ."] * 3)))
    (job,) = session.jobs_to_run()
    session.job_done(job, job.run())
    assert answers(session.messages_to_send()) == [(0, []), (1, []), (2, [7])]


def test_a_version_is_answered_when_no_sentence_has_its_old_words_any_more(model: Model) -> None:
    text = "the dog barks .\n\nthe old "
    shell = Shell(Session(model))
    shell.send(Open("d", 5, text=text))
    shell.pause()
    shell.session.receive(Edit("d", 6, 0, 0, "very "))
    shell.session.receive(Edit("d", 7, len(text) + 5, len(text) + 5, "dog " * 3 * WORDS_IN_A_SLICE))
    said: list[list[tuple[int, list[int]]]] = []
    while (job := next(iter(shell.session.jobs_to_run()), None)) and isinstance(job, Attach):
        shell.session.job_done(job, job.run())
        said.append(answers(shell.session.messages_to_send()))
    assert len(said) > 2
    assert (said[0], said[-1]) == ([(0, [])], [(1, [6, 7])])


def test_a_session_parses_in_the_class_of_trees_that_is_asked_for(make_model: MakeModel) -> None:
    crossing = 0
    for seed in range(6):
        model = make_model(seed=seed)
        found = {}
        for trees in ("projective", "mh4"):
            shell = Shell(Session(model, trees=trees))
            shell.send(Open("d", 1, words=[*SENTENCE] * 3), Finish("d", 2))
            shell.settle()
            found[trees] = tuple(word.head for word in last(shell).words)
            assert found[trees] == model.with_trees(trees).parse([*SENTENCE] * 3).heads
        assert model.trees == "projective"
        crossing += found["mh4"] != found["projective"]
    assert crossing, "a network that learnt nothing lets some edges cross"


def test_prefixes_grow_in_the_class_of_the_model(make_model: MakeModel) -> None:
    model = make_model(seed=3).with_trees("mh4")
    shell, parse = Shell(Session(model)), GrowingParse(model)
    shell.send(Open("d", 1, words=[]))
    for number, word in enumerate([*SENTENCE] * 2, 2):
        shell.send(Append("d", number, [word]))
        shell.settle()
        parse.append(word)
        best = parse.best()
        assert [word.label for word in last(shell).words] == [*best.labels]
        assert [word.head for word in last(shell).words if isinstance(word.head, int) and word.head >= 0] == [
            head for head in best.heads if isinstance(head, int)
        ]


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ("any", "prefixes are not parsed in any trees: choose one of projective, mh4"),
        ("planar", "there is no class of trees called 'planar'"),
        (4, "there is no class of trees called 4"),
    ],
)
def test_classes_that_have_no_prefixes_are_refused(model: Model, trees: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Session(model, trees=trees)


def test_a_model_that_parses_in_such_a_class_follows_nobody(model: Model) -> None:
    with pytest.raises(InputError, match="prefixes are not parsed in any trees"):
        Session(model.with_trees("any"))


def replaced(message: object) -> object:
    """Without what tells the time."""
    return structs.replace(message, seconds=0.0) if isinstance(message, AnalysisMessage) else message


def test_what_there_was_to_say_can_be_dropped(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.session.receive(AskAnalyses("d"))
    shell.session.receive(AskAnalyses("none"))
    shell.session.drop_messages()
    assert shell.session.messages_to_send() == []


def test_a_text_of_too_many_sentences_is_closed(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_parses, "MOST_SENTENCES", 3)
    shell = Shell(Session(model))
    shell.send(Open("d", 1, text="a\n\nb\n\nc"))
    shell.settle()
    assert not shell.client.errors
    shell.send(Edit("d", 2, 0, 0, "d\n\n"))
    shell.settle()
    [error] = shell.client.errors
    assert (error.code, error.temporary) == ("too_much", False)
    assert "it would have 4 sentences, and a document may have 3" in error.message
    assert shell.client.is_closed
    assert 2 in shell.client.answered


@each(
    "event, code",
    [
        (Append("d", 1, ["x"]), "old_version"),
        (Append("d", 0, ["x"]), "old_version"),
        (Append("d", 3, ["x"], base=2), "other_base"),
        (Append("d", 3, ["x"], base=0), "other_base"),
        (Append("e", 2, ["x"]), "unknown_document"),
        (Close("e"), "unknown_document"),
        (Edit("d", 2, 0, 0, "x"), "illegal"),
        (Open("d", 2, words=[]), "illegal"),
        (Open("e", 2, text="x", words=["x"]), "bad_event"),
        (Open("e", 2, text="\ud83d"), "bad_text"),
        (Append("d", 2, [" "]), "bad_word"),
        (Append("d", 2, ["\ud83d"]), "bad_word"),
        (Append("d", 2, ["x"] * (LONGEST_SENTENCE + 1)), "too_much"),
        (Revoke("d", 2, 6), "out_of_text"),
        (Gold("d", 1, 0, [0]), "bad_gold"),
        (Gold("d", 1, 0, [2, 1, 0, 3, 3]), "bad_gold"),
        (Gold("d", 1, 0, [9, 1, 0, 3, 3]), "bad_gold"),
        (Gold("d", 1, 1, [0]), "unknown_sentence"),
        (Gold("d", 3, 0, [0]), "old_version"),
        (Step("d", 1, 0, "shift"), "bad_step"),
        (AskSteps("d", 1, 4), "unknown_sentence"),
        ({"type": "append", "document": "d", "version": 2, "words": ["x"], "more": 1}, "bad_event"),
        ({"type": "append", "document": "d", "version": -2, "words": ["x"]}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2.5, "words": ["x"]}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2, "words": [""]}, "bad_event"),
        ({"type": "append", "document": "d" * 200, "version": 2, "words": []}, "bad_event"),
        ({"type": "append", "document": "d", "version": 2, "words": ["x"] * (MOST_WORDS + 1)}, "bad_event"),
        ({"type": "step", "document": "d", "version": 1, "sentence": 0, "step": "jump"}, "bad_event"),
        ({"type": "options", "document": "d", "options": {"stability": float("nan")}}, "bad_event"),
        ({"type": "sing"}, "bad_event"),
        (Options("d", OptionChanges(stability=1.5)), "bad_event"),
        (Append("d", None, ["x"]), "bad_event"),  # type: ignore[arg-type]
        (None, "bad_event"),
        (object(), "bad_event"),
    ],
)
def test_bad_input_is_an_error_and_changes_nothing(event: object, code: str, model: Model) -> None:
    shell = opened(model, SENTENCE, risk=1)
    before = shell.state("d")
    shell.send(event)
    shell.settle()
    (error,) = shell.client.errors
    assert error.code == code, error.message
    assert shell.state("d") == before
    shell.send(Append("d", 2, ["barks"], base=1))
    shell.settle()
    assert len(last(shell).words) == 6


def test_words_are_placed_in_the_units_of_the_document(model: Model) -> None:
    spans = {}
    for positions in ("code_points", "utf16"):
        shell = Shell(Session(model))
        shell.send(Open("d", 1, text="🎉\n\n🎉 dog", positions=positions))
        shell.settle()
        analysis = last(shell, 1)
        spans[positions] = analysis.start, [(word.start, word.end) for word in analysis.words]
    assert spans == {"code_points": (3, [(0, 1), (2, 5)]), "utf16": (4, [(0, 2), (3, 6)])}


def test_a_session_has_so_many_documents(model: Model) -> None:
    shell = Shell(Session(model))
    for number in range(MOST_DOCUMENTS + 1):
        shell.send(Open(str(number), 0, words=[]))
    (error,) = shell.client.errors
    assert (error.code, error.temporary) == ("too_much", True)
    shell.send(Close("0"), Open("again", 0, words=[]))
    assert len(shell.client.errors) == 1


def test_a_closed_document_answers_what_was_owed_and_is_gone(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Append("d", 2, ["x"]), Close("d"))
    assert (shell.client.answered, shell.client.is_closed) == ([1, 2], True)
    shell.settle()
    assert shell.client.analyses == []
    shell.send(Open("d", 0, words=["dog"]))
    shell.settle()
    assert len(last(shell).words) == 1


@each_seed(SEEDS)
def test_the_child_of_the_root_has_the_label_of_the_model_from_the_first_analysis_on(
    seed: int, model_file: Callable[..., Path]
) -> None:
    file = read_model(model_file(seed=seed))
    inventory = dict(file.information["inventory"], root_labels=["HEAD"])
    inventory["labels"] = ["HEAD" if label == "root" else label for label in inventory["labels"]]
    shell = opened(Model(replace(file, information={**file.information, "inventory": inventory})), SENTENCE)
    shell.settle()
    before = len(shell.client.analyses)
    shell.send(Finish("d", 2))
    shell.settle()
    finished = shell.client.analyses[before:]
    assert [analysis.stage for analysis in finished] == ["initial", "final"]
    for analysis in finished:
        assert [word.head == 0 for word in analysis.words] == [
            word.label == "HEAD" for word in analysis.words
        ]


def test_models_that_take_gold_tags_or_cannot_cut_text_are_refused(make_model: MakeModel) -> None:
    with pytest.raises(InputError, match="gold tags, which nobody types"):
        Session(make_model(tags="gold"))
    name: Any = "en"
    with pytest.raises(InputError, match="a model has to be given, and 'en' is none"):
        Session(name)
    shell = Shell(Session(make_model(with_segmenter=False)))
    shell.send(Open("d", 0, text="x"), Open("d", 0, words=["x"]))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["unsupported"]
    assert len(last(shell).words) == 1


def test_documents_do_not_disturb_each_other(model: Model) -> None:
    session = Session(model)
    shell = Shell(session)
    shell.send(Open("a", 1, words=["dog"]), Open("b", 1, words=["cat"]))
    levels = [job.level for job in shell.jobs]
    assert levels == ["L0", "L0"]
    shell.run_one()
    shell.send(Append("b", 2, ["sees"]))
    assert not [job for job in shell.jobs if job.document == "a" and job.interrupt.is_set]


def test_each_document_has_the_model_that_it_was_opened_with(model: Model, make_model: MakeModel) -> None:
    other = make_model(seed=2)
    shell = Shell(Session(model, others={"other": OtherModel(other)}))
    shell.send(Open("own", 1, words=SENTENCE))
    shell.send(Open("another", 1, words=SENTENCE, options=OptionChanges(model="other")))
    own, another = shell.state("own"), shell.state("another")
    assert own == opened(model, SENTENCE).state("d")
    assert another == opened(other, SENTENCE).state("d")
    assert own != another


def test_a_model_that_a_session_does_not_have_opens_nothing(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 3, words=["dog"], options=OptionChanges(model="other")))
    [told] = session.messages_to_send()
    assert isinstance(told, ErrorMessage)
    assert (told.code, told.version) == ("unsupported", 3)
    assert told.message == "there is no model 'other': leave it out"
    assert not session.versions
