from __future__ import annotations

import random
from typing import Any

import pytest
from cases import each_seed
from reach import Reached
from shells import SEEDS, SENTENCE, Draw, MakeModel, Shell, fresh_text, last, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    Edit,
    Finish,
    MovedMessage,
    Open,
    Revoke,
)
from treewhile.incremental.sessions.session import Session


def draw_text_edit(source: random.Random, text: str, version: int) -> tuple[object, str]:
    start = source.choice([len(text), source.randint(0, len(text))])
    end = min(len(text), start + source.choice([0, 0, 1, 3, 12]))
    pieces = ["", "d", "dog", " ", ".", ". ", "The cat sees", "\n\n", " barks. ", "cannot", "🎉 ", "e\u0301"]
    new = "".join(source.choices(pieces, k=source.randint(0, 3)))
    wide = len(text[:start].encode("utf-16-le")) // 2, len(text[:end].encode("utf-16-le")) // 2
    return Edit("d", version, *wide, new), text[:start] + new + text[end:]


@pytest.mark.reaches(0.9)
@each_seed(SEEDS)
def test_edits_of_a_text_end_as_opening_the_final_text(
    seed: int, make_model: MakeModel, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    shell, text, now = Shell(Session(model), source), "The old dog", 0.0
    shell.send(Open("d", 0, text=text, positions="utf16"))
    for version in range(1, 30):
        event, text = draw_text_edit(source, text, version)
        now += source.choice([0.0, 0.1, 0.3])
        shell.session.tick(max(now, shell.session.wake_at or 0.0) if source.random() < 0.3 else now)
        shell.send(event)
        for _ in range(source.randint(0, 4)):
            if shell.jobs:
                shell.run_one()
        if source.random() < 0.2:
            assert shell.state("d") == fresh_text(model, text), (seed, version, text)
    shell.send(Finish("d", 30))
    assert shell.state("d") == fresh_text(model, text, is_finished=True), (seed, text)
    reached(shell.client.deltas)
    assert (sorted(shell.client.answered), shell.client.errors) == ([*range(31)], [])


@pytest.mark.reaches(0.9)
@each_seed(SEEDS)
def test_edits_of_words_end_as_opening_the_final_words(
    seed: int, make_model: MakeModel, random_words: Draw, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    shell, sentences = Shell(Session(model), source), [list[str]()]
    shell.send(Open("d", 0, words=[]))
    for version in range(1, 40):
        words = sum(map(len, sentences))
        if source.random() < 0.6:
            new = [*random_words(source, source.randint(0, 3))]
            shell.send(Append("d", version, new))
            sentences[-1] += new
        elif source.random() < 0.4:
            shell.send(Finish("d", version))
            sentences += [[]] if sentences[-1] else []
        else:
            count = source.randint(0, min(4, words))
            shell.send(Revoke("d", version, count))
            sentences = revoked(sentences, count)
        for _ in range(source.randint(0, 3)):
            if shell.jobs:
                shell.run_one()
        if source.random() < 0.2:
            assert shell.state("d") == fresh_words(model, sentences), (seed, version)
    assert shell.state("d") == fresh_words(model, sentences), seed
    reached(shell.client.deltas)
    assert (sorted(shell.client.answered), shell.client.errors) == ([*range(40)], [])


def revoked(sentences: list[list[str]], count: int) -> list[list[str]]:
    sentences = [[*words] for words in sentences]
    while count:
        if not sentences[-1]:
            sentences.pop()
        sentences[-1].pop()
        count -= 1
    return sentences


def fresh_words(model: Model, sentences: list[list[str]]) -> list[dict[str, Any]]:
    shell, version = Shell(Session(model)), 0
    shell.send(Open("d", 0, words=[]))
    for place, words in enumerate(sentences):
        version += 2
        shell.send(Append("d", version - 1, words))
        if place < len(sentences) - 1:
            shell.send(Finish("d", version))
    return shell.state("d")


def test_a_settled_analysis_is_the_best_parse(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.send(Finish("d", 2))
    shell.settle()
    best = model.parse(SENTENCE)
    analysis = last(shell)
    assert [(w.form, w.tag, w.features, w.head, w.label) for w in analysis.words] == [
        *zip(best.words, best.tags, best.features, best.heads, best.labels, strict=True)
    ]
    assert (analysis.stage, analysis.levels, analysis.stable_upto) == ("final", ["L0", "L1"], 5)
    assert all(0 <= word.confidence <= 1 for word in analysis.words if word.confidence is not None)


def test_only_the_touched_sentence_is_parsed_again(model: Model) -> None:
    shell = Shell(Session(model))
    text = "\n\n".join(["The dog barks"] * 10)
    shell.send(Open("d", 0, text=text))
    shell.settle()
    before = len(shell.client.analyses)
    at = text.index("dog", 60)
    shell.send(Edit("d", 1, at, at + 4, "cat "))
    jobs = []
    while shell.jobs:
        jobs.append(shell.run_one())
    assert [job.level for job in jobs] == ["L0", "L1"]
    assert {analysis.sentence for analysis in shell.client.analyses[before:]} == {4}


def test_sentences_that_come_and_go_are_told(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="the dog\n\nthe cat\n\nold"))
    shell.settle()
    assert [heads and heads.words[-1].form for heads in shell.client.sentences] == ["dog", "cat", "old"]
    shell.send(Edit("d", 1, 9, 18, ""))
    shell.settle()
    assert [last(shell, place).words[-1].form for place in range(2)] == ["dog", "old"]
    assert len(shell.client.sentences) == 2
    shell.send(AskAnalyses("d"))
    assert last(shell, 1).start == 9


def test_an_edit_without_words_has_an_answer(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 7, text=""))
    shell.settle()
    shell.send(Edit("d", 9, 0, 0, "  "))
    shell.settle()
    assert shell.client.answered == [7, 9]


def test_overtaken_versions_are_answered_by_number(model: Model) -> None:
    shell = opened(model)
    for version, word in enumerate(SENTENCE, 2):
        shell.send(Append("d", version, [word]))
    shell.settle()
    assert shell.client.answered == [1, 2, 3, 4, 5, 6]
    first = shell.client.analyses[0]
    assert (first.version, first.answers, len(first.words)) == (6, [2, 3, 4, 5, 6], 5)


def test_places_follow_an_edit_of_white_space(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="who came in\n\nshe left"))
    shell.settle()
    parsed = len(shell.client.analyses)
    shell.send(Edit("d", 1, 3, 3, "  "))
    jobs = []
    while shell.jobs:
        jobs.append(shell.run_one().level)
    assert jobs == ["L0"], "nothing is parsed again"
    assert [(word.start, word.end) for word in last(shell).words] == [(0, 3), (6, 10), (11, 13)]
    assert (len(shell.client.analyses), last(shell).stage) == (parsed + 1, "final")
    assert last(shell, 1).start == 15, "the sentence behind it is told to have moved"
    assert shell.state("d") == fresh_text(model, "who   came in\n\nshe left")


def test_sentences_that_an_edit_moves_are_told_at_one_stroke(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="\n\n".join(["the dog barks"] * 5)))
    shell.settle()
    told = len(shell.client.analyses)
    shell.send(Edit("d", 1, 19, 22, "old cat"))
    shell.settle()
    assert {analysis.sentence for analysis in shell.client.analyses[told:]} == {1}
    places = [(last(shell, place).first_word, last(shell, place).start) for place in range(5)]
    assert places == [(0, 0), (3, 15), (7, 34), (10, 49), (13, 64)]


@pytest.mark.parametrize(("typed", "words"), [(" ", 0), (" old", 1), (" the cat", 2)])
def test_moves_that_nobody_has_read_are_told_as_one(typed: str, words: int, model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 0, text="the dog\n\nthe cat"))
    run_jobs(session)
    session.messages_to_send()
    for version in range(1, 4):
        session.receive(Edit("d", version, 7, 7, typed))
        run_jobs(session)
    moved = [message for message in session.messages_to_send() if isinstance(message, MovedMessage)]
    assert moved == [MovedMessage("d", 3, 1, 3 * words, 3 * len(typed))]


@pytest.mark.parametrize("white", [" ", "\n\n", "\n\n\n\n"])
def test_white_space_behind_a_finished_sentence_opens_it_again(white: str, model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="the dog"), Finish("d", 1))
    shell.settle()
    assert last(shell).stage == "final"
    shell.send(Edit("d", 2, 7, 7, white))
    shell.settle()
    assert last(shell).stage == "settled"
    assert shell.state("d") == fresh_text(model, f"the dog{white}")


def run_jobs(session: Session) -> None:
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())


def test_a_sentence_is_not_final_any_more_once_what_follows_it_may_belong_to_it(model: Model) -> None:
    shell = Shell(Session(load_model("en")))
    shell.send(Open("d", 0, text="I ran. The dog"))
    shell.settle()
    assert last(shell).stage == "final"
    shell.send(Edit("d", 1, 6, 10, ""))
    assert shell.state("d") == fresh_text(load_model("en"), "I ran. dog")
