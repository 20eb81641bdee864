from __future__ import annotations

from random import Random

import pytest

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.nodes import Virtual
from treewhile.incremental.scores.stream_scores import GoldWord, count_stream
from treewhile.incremental.scores.timed_parses import GrowingSearch
from treewhile.oracles.interrupts import Interrupt

LABELS = ("det", "nsubj", "obj", "root")
STOCK = ("NOUN", "VERB")
GRAMMAR = """
constraint "one root" penalty 0.001, X and Y under one head:
    not is_root(X.head)

constraint "verbs are roots" penalty 0.01, X:
    is_unused(X.head) or (X.tag = VERB <-> is_root(X.head))

constraint "roots are called so" penalty 0.01, X:
    X.relation = root <-> is_root(X.head)

constraint "determiners" penalty 0.02, X:
    X.tag = DET -> X.relation = det and X.head.tag = NOUN and X.direction = left

constraint "subjects" penalty 0.03, X:
    X.tag = NOUN and is_word(X) -> X.relation = nsubj and X.head.tag = VERB

constraint "words are used" penalty 0, X:
    is_word(X) -> not is_unused(X.head)

constraint "what has come is a better head" penalty 0.5, X:
    not is_virtual(X.head)

constraint "an unused node governs nothing" penalty 0, X and Y in a chain:
    not is_unused(Y.head)

constraint "something is known" penalty 0.4, X:
    not is_later(X.head)
"""


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_grammar(parse_grammar(GRAMMAR), LABELS)


def tagged(words: str, tags: str) -> Analysis:
    n = len(words.split())
    return Analysis((*words.split(),), (*tags.split(),), ("_",) * n, (0,) * n, ("root",) * n)


SENTENCE = tagged("the dog barks", "DET NOUN VERB")


def first_words(analysis: Analysis, t: int) -> Analysis:
    return Analysis(analysis.words[:t], analysis.tags[:t], analysis.features[:t], (), ())


def test_constraints_alone_expect_words_and_then_find_them(program: Program) -> None:
    search = GrowingSearch(program, STOCK)
    noun, verb = Virtual(1, "NOUN"), Virtual(2, "VERB")
    found = [search.go_on(first_words(SENTENCE, t), t < 3, Interrupt()) for t in (1, 2, 3)]
    assert all(one.is_settled for one in found)
    assert found[0].decisions == [Decision(noun, "det")]
    assert found[1].decisions == [Decision(2, "det"), Decision(verb, "nsubj")]
    assert found[2].decisions == [Decision(2, "det"), Decision(3, "nsubj"), Decision(0, "root")]


def test_a_sentence_may_come_at_once(program: Program) -> None:
    found = GrowingSearch(program, STOCK).go_on(SENTENCE, False, Interrupt())
    assert found.decisions == [Decision(2, "det"), Decision(3, "nsubj"), Decision(0, "root")]


def test_whenever_it_is_interrupted_there_is_a_tree(program: Program) -> None:
    for seed in range(20):
        source, search, prefixes = Random(seed), GrowingSearch(program, STOCK), []
        n = source.randrange(1, 9)
        sentence = tagged("x " * n, " ".join(source.choices(["DET", "NOUN", "VERB"], k=n)))
        for t in range(1, n + 1):
            interrupt = Interrupt()
            if source.random() < 0.5:
                interrupt.set()
            found = search.go_on(first_words(sentence, t), t < n, interrupt)
            assert not (found.is_settled and interrupt.is_set)
            prefixes.append(found.decisions)
            assert all(climbs_out(found.decisions, word) for word in range(1, t + 1)), seed
        assert all(isinstance(head, int) for head, _ in prefixes[-1]), "nothing is to come any more"
        count_stream([GoldWord(0, "root")] * n, prefixes)


def climbs_out(decisions: list[Decision], word: int) -> bool:
    for _ in decisions:
        head = decisions[word - 1].head
        if not isinstance(head, int) or head == 0:
            return True
        word = head
    return False
