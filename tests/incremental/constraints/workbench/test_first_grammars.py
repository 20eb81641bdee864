"""First grammars have the rules of a treebank, with the counts that statistics find, and load."""

from __future__ import annotations

import pytest
from small_sentences import sentences_of
from small_treebanks import treebank

from treewhile.incremental.constraints import parse_grammar
from treewhile.incremental.constraints.workbench.first_grammars import grammar_text_of, rules_of
from treewhile.incremental.constraints.workbench.statistics import count
from treewhile.incremental.treebanks.treebank import Sentence

FRAMES = [
    "he/PRON/2/nsubj sees/VERB/0/root it/PRON/2/obj today/ADV/2/advmod",
    "today/ADV/3/advmod he/PRON/3/nsubj sees/VERB/0/root it/PRON/3/obj",
    "he/PRON/2/nsubj is/VERB/0/root there/ADV/2/advmod",
]


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return sentences_of(*FRAMES * 20, "it/PRON/2/obj sees/VERB/0/root he/PRON/2/nsubj")


def rules(sentences: list[Sentence]) -> dict[str, tuple[int, int]]:
    return {rule.candidate.name: (rule.counts.cases, rule.counts.broken) for rule in rules_of(sentences)}


def test_rules_are_those_of_the_treebank(sentences: list[Sentence]) -> None:
    found = rules(sentences)
    assert found["nsubj stands left"] == (61, 1)
    assert found["obj stands right"] == (41, 1)
    assert "advmod stands left" not in found
    assert "advmod stands right" not in found
    assert found["nsubj is near"] == (61, 0)
    assert "one nsubj" in found


def test_agreement_is_a_rule_where_it_is_more_than_chance() -> None:
    found = rules(treebank(200, seed=2))
    assert found["amod agrees in Case"][1] == 0


def test_penalties_follow_the_share_of_exceptions(sentences: list[Sentence]) -> None:
    by_name = {rule.candidate.name: rule for rule in rules_of(sentences)}
    rule = by_name["obj stands right"]
    assert rule.penalty == float(f"{(1.5 / 42) ** 0.3:.2g}")
    assert rule.exception == "*it* *sees* he"
    assert by_name["nsubj stands left"].candidate.example == "he ... sees"


def test_the_text_loads_and_counts_are_those_of_its_constraints(sentences: list[Sentence]) -> None:
    found = rules_of(sentences)
    text = grammar_text_of(found, 'the "X" language', "x.conllu", len(sentences))
    grammar = parse_grammar(text)
    counts = dict(zip(grammar.numbers, count(grammar, sentences), strict=True))
    for rule in found:
        of = counts[f'the "X" language: {rule.candidate.name}']
        assert (of.cases, of.broken) == (rule.counts.cases, rule.counts.broken)
        assert f"# broken in {of.broken:,} of {of.cases:,} cases" in text
    assert {constraint.section for constraint in grammar.constraints} >= {'the "X" language order'}
