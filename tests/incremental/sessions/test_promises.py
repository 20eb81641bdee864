from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from cases import cases, each_seed
from reach import Reached
from shells import SEEDS, Draw, MakeModel, Shell, heads_of, last, opened

from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.tree_decoding import LONGEST
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    Edit,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import is_projective
from treewhile.oracles.interrupts import Interrupt

TEXT = "The children came with their teacher and the old dog barks at them because it sees a cat"


@pytest.mark.slow
@pytest.mark.reaches(0.5)
@each_seed(SEEDS)
@pytest.mark.parametrize("stability", [0.3, 1])
@pytest.mark.parametrize("are_known", [False, True], ids=["any words", "known words"])
def test_what_is_declared_stable_holds(
    seed: int,
    stability: float,
    are_known: bool,
    make_model: MakeModel,
    english: Model,
    random_words: Draw,
    monkeypatch: pytest.MonkeyPatch,
    reached: Reached,
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.confidence_at", lambda stability: 0.0)
    source = random.Random(seed)
    model, words = english if are_known else make_model(seed=seed), iter(TEXT.split() * 20)
    shell = opened(model, stability=stability, keep_promises=True)
    for version in range(2, 20):
        count = source.choice([1, 1, 3])
        new = islice(words, count) if are_known else random_words(source, count)
        shell.send(Append("d", version, [*new]))
        if source.random() < 0.8:
            shell.settle()
    shell.settle()
    shell.send(Finish("d", 20))
    shell.settle()
    check_promises(shell.client.analyses)
    reached(any(analysis.stable_upto and analysis.stage != "final" for analysis in shell.client.analyses))
    assert last(shell).stage == "final"
    assert is_projective(heads_of(last(shell)))
    assert heads_of(last(shell)).count(0) == 1


FOUND = (3, 4, 0, 3)


class Crossing:
    """Finds that the edges of the first two words cross."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        parsed = request.rescored.analysis
        n = len(parsed.words)
        if n < len(FOUND):
            return SearchResult(parsed, 0.0)
        heads, labels = (*FOUND, *[3] * n)[:n], ("det", "det", "root", *["obj"] * n)[:n]
        return SearchResult(replace(parsed, heads=heads, labels=labels, expected=()), 0.0)


def sure_of_what_is_found(analysis: Analysis, *others: object) -> int:
    return len(FOUND) if analysis.heads[: len(FOUND)] == FOUND else 0


@pytest.mark.parametrize("longest", [5, 120])
@pytest.mark.parametrize("trees", ["projective", "mh4"])
def test_words_whose_edges_cross_are_promised_like_others(
    trees: str, longest: int, model: Model, random_words: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.stable_length", sure_of_what_is_found)
    monkeypatch.setitem(LONGEST, "mh4", longest)
    shell = Shell(Session(model.with_trees(trees), Crossing()))
    shell.send(Open("d", 1, words=[], options=OptionChanges(stability=1.0, keep_promises=True)))
    for version, word in enumerate(random_words(random.Random(1), 9), 2):
        shell.send(Append("d", version, [word]))
        shell.settle()
        assert last(shell).levels == ["L0", "L1", "L2"]
    assert last(shell).stable_upto == len(FOUND)
    shell.send(Finish("d", 11))
    shell.settle()
    assert last(shell).levels == ["L0", "L1", "L2"]
    check_promises(shell.client.analyses)
    assert heads_of(last(shell))[: len(FOUND)] == [*FOUND]


def check_promises(analyses: list[AnalysisMessage]) -> int:
    promised: list[Any] = []
    for analysis in analyses:
        arcs = [(word.head, word.label) for word in analysis.words]
        assert arcs[: len(promised)] == promised
        assert analysis.stable_upto >= len(promised)
        promised = arcs[: analysis.stable_upto]
        assert all(isinstance(head, int) and head <= analysis.stable_upto for head, _ in promised)
    return len(promised)


@each_seed(SEEDS)
def test_a_text_keeps_its_promises_wherever_its_sentences_end(
    seed: int, make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.confidence_at", lambda stability: 0.0)
    source = random.Random(seed)
    shell, at = Shell(Session(make_model(seed=seed))), 0
    shell.send(Open("d", 0, text="", options=OptionChanges(stability=1.0, keep_promises=True)))
    promised: dict[int, list[Any]] = {}
    for version in range(1, 60):
        piece = source.choice(["dog", " the", " sees", ". ", " old cat", "\n\n", " barks.", "not"])
        shell.send(Edit("d", version, at, at, piece))
        at += len(piece)
        shell.settle()
        for place in range(len(shell.client.sentences)):
            arcs = [(word.form, word.head, word.label) for word in last(shell, place).words]
            assert arcs[: len(promised.get(place, []))] == promised.get(place, []), (seed, version)
            promised[place] = arcs[: last(shell, place).stable_upto]
    assert any(promised.values())


TYPED = (
    "Milk from the farm down the road is good for you. Renting a boat on the lake costs too much! "
    "The horse raced past the old barn fell. Who sold the clocks that my uncle made? Tobin, what you say "
    "makes no sense... The children came home from the game with their friends were tired."
)


@pytest.mark.slow
@pytest.mark.reaches(1)
@pytest.mark.parametrize("keeps_promises", [False, True])
@each_seed(cases(2))
def test_neither_stable_arcs_nor_those_of_complete_sentences_change_while_the_text_stands(
    seed: int, keeps_promises: bool, reached: Reached, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.confidence_at", lambda stability: 0.3)
    model, source = load_model("en"), random.Random(seed)
    shell, now = Shell(Session(model, searcher_for(model))), 0.0
    options = OptionChanges(stability=1.0, keep_promises=keeps_promises)
    shell.send(Open("d", 0, text="", options=options))
    for version, letter in enumerate(TYPED, 1):
        now += 0.1
        shell.session.tick(now)
        shell.send(Edit("d", version, version - 1, version - 1, letter))
        for _ in range(min(source.choice([0, 1, 2, 50]), len(shell.jobs))):
            shell.run_one()
        if letter in ".!? " and source.random() < 0.5:
            shell.pause()
    shell.pause()
    firm: dict[tuple[int, int], list[Any]] = {}  # by version and place in the text
    for analysis in shell.client.analyses:
        arcs = [(word.head, word.label) for word in analysis.words]
        known = firm.get((analysis.version, analysis.start), [])
        assert arcs[: len(known)] == known, (seed, analysis)
        is_complete = analysis.whole and analysis.stage in ("settled", "final")
        said = len(arcs) if is_complete else analysis.stable_upto
        firm[analysis.version, analysis.start] = arcs[: max(said, len(known))]
    reached(any(analysis.stable_upto and not analysis.whole for analysis in shell.client.analyses))


def test_nothing_is_stable_before_the_end_at_stability_zero() -> None:
    model = load_model("en")
    text = "The children who had come with their teacher looked at the old ships in the harbour ."
    words = text.split()
    for stability, some in ((0.0, False), (1.0, True)):
        shell = opened(model, stability=stability, keep_promises=True)
        for version, word in enumerate(words, 2):
            shell.send(Append("d", version, [word]))
            shell.settle()
        assert any(analysis.stable_upto for analysis in shell.client.analyses) == some
        check_promises(shell.client.analyses)


@pytest.mark.slow
def test_promises_hold_until_the_sentence_has_ended_and_then_the_best_parse_is_told(
    make_model: MakeModel, random_words: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.confidence_at", lambda stability: 0.0)
    promised = taken_back = 0
    for seed in range(20):
        source, model = random.Random(seed), make_model(seed=seed)
        promising, plain = opened(model, stability=1), opened(model)
        for version in range(2, 14):
            words = [*random_words(source, 1)]
            for shell in (promising, plain):
                shell.send(Append("d", version, words))
                shell.settle()
        count, before = check_promises(promising.client.analyses), heads_of(last(promising))
        for shell in (promising, plain):
            shell.send(Finish("d", 14))
        assert promising.state("d") == plain.state("d"), seed
        promised += count
        taken_back += heads_of(last(promising))[:count] != before[:count]
    assert promised > 0
    assert taken_back > 0, "otherwise nothing was tested"
