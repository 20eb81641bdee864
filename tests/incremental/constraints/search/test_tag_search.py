"""A grammar may choose among the likely tags of words, which cost what they are less likely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import exp

import pytest
from cases import cases, each_seed
from definitions.conflicts import judge
from growing_parses import grown
from reach import Reached

from treewhile.incremental.constraints.language.grammars import Grammar, parse_grammar
from treewhile.incremental.constraints.machine.costs import COST_OF_E
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, leading_of
from treewhile.incremental.constraints.search.tag_search import (
    MOST_TRIALS,
    Tags,
    TagSearch,
    cost_of_tags,
    with_tags,
)
from treewhile.incremental.constraints.search.trees import Tree, tree_of
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.corrections import Correction
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.interrupts import Interrupt

NEVER = Interrupt()
WORDS = ("the", "old", "dog", "sees", "unheard-of", "cat", ".")
PLAIN = """
constraint "head" penalty head_probability(X), X: is_unused(X.head)
constraint "label" penalty label_probability(X), X: is_unused(X.head)
constraint "no nouns" penalty 0.01, X: X.tag != NOUN
constraint "verbs agree" penalty 0.3, X and Y in a chain: X.tag = VERB -> Y.tag != VERB
constraint "a verb comes next" penalty 0.2, X: X.tag = DET -> X.next.tag = VERB
constraint "nothing below" penalty 0.2, X: X.tag = PUNCT -> no Z below X: (Z.tag = DET)
"""

SELDOM_BROKEN = """
constraint "head" penalty head_probability(X), X: is_unused(X.head)
constraint "label" penalty label_probability(X), X: is_unused(X.head)
constraint "no nouns" penalty 0.01, X: X.tag != NOUN
constraint "verbs agree" penalty 0.3, X and Y in a chain: X.tag = VERB -> Y.tag != VERB
"""


def grammar(least: float) -> Grammar:
    return parse_grammar(f"{PLAIN}\ntags at least {least}\n")


def request(
    model: Model, words: Sequence[str] = WORDS, is_open: bool = True, preference: Preference | None = None
) -> SearchRequest:
    parse = grown(model, words, not is_open)
    rescored = model.rescore(parse.snapshot(), *([preference] if preference else []))
    return SearchRequest(rescored, parse.committed(), is_open)


def definition_of_score(model: Model, asked: SearchRequest, analysis: Analysis) -> float:
    """Product of penalties and probabilities of tags, as a logarithm, in plain Python."""
    retagged = replace(asked.rescored.analysis, tags=analysis.tags, features=analysis.features)
    rescored = replace(asked.rescored, analysis=retagged)
    situation = ConstraintSearcher(model, parse_grammar(PLAIN)).situation(replace(asked, rescored=rescored))
    tree = tree_of(situation, analysis)
    conflicts, _ = judge(situation, tree.heads, [situation.program.labels[label] for label in tree.labels])
    pairs = zip(asked.rescored.tag_choices(1e-9), analysis.tags, strict=True)
    logs = [choice.log for of_word, tag in pairs for choice in of_word if choice.tag == tag]
    assert len(logs) == len(analysis.tags)
    return -sum(conflict.cost for conflict in conflicts) / COST_OF_E + sum(logs)


@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("is_open", [True, False])
@each_seed(cases(20))
def test_the_score_is_the_product_of_penalties_and_probabilities_of_tags(
    seed: int, is_open: bool, make_model: Callable[..., Model], reached: Reached
) -> None:
    model, before = make_model(seed=seed), None
    searcher = ConstraintSearcher(model, grammar(0.001))
    for count in range(1, len(WORDS) + 1):
        asked = replace(request(model, WORDS[:count], is_open or count < len(WORDS)), previous=before)
        found = searcher.search(asked, NEVER)
        assert found is not None
        assert found.is_settled
        assert found.score == pytest.approx(definition_of_score(model, asked, found.analysis), abs=1e-4)
        before = found.analysis
        reached(before.tags != asked.tags)


@pytest.mark.reaches(0.5)
@each_seed(cases(20))
def test_no_change_of_one_tag_leads_to_a_better_tree(
    seed: int, make_model: Callable[..., Model], reached: Reached
) -> None:
    model = make_model(seed=seed)
    asked, searcher = request(model, WORDS[:4], is_open=False), ConstraintSearcher(model, grammar(0.01))
    search = searcher.begun(searcher.situation(asked), asked)
    assert search.run(NEVER)
    found = leading_of(search)
    choices, situation = asked.rescored.tag_choices(0.01), found.situation
    reached(situation.tags != asked.tags)
    for tags in product(*choices):
        if sum(one.tag != other for one, other in zip(tags, situation.tags, strict=True)) == 1:
            other = searcher.search_in(with_tags(situation, tags), asked)
            other.begin(found.best)
            other.run(NEVER)
            assert other.cost + cost_of_tags(tags) >= found.cost + situation.tag_cost


@pytest.mark.reaches(0.1)
@pytest.mark.parametrize("is_open", [True, False])
@each_seed(cases(20))
def test_no_tree_costs_less_than_the_floor_under_any_tags(
    seed: int, is_open: bool, make_model: Callable[..., Model], reached: Reached
) -> None:
    model, before = make_model(seed=seed), None
    searcher = ConstraintSearcher(model, parse_grammar(f"{SELDOM_BROKEN}\ntags at least 0.01\n"))
    for count in (1, 2):
        asked = replace(request(model, WORDS[:count], is_open), previous=before)
        situation, found = searcher.situation(asked), searcher.search(asked, NEVER)
        floor = searcher.begun(situation, asked).floor
        assert found is not None
        before = found.analysis
        reached(found.is_proven)
        for tags in product(*asked.rescored.tag_choices(0.01)):
            other = searcher.search_in(with_tags(situation, tags), asked)
            other.run(NEVER)
            cost = other.cost + cost_of_tags(tags)
            assert cost >= floor
            assert not found.is_proven or -cost / COST_OF_E <= found.score


@each_seed(cases(10))
def test_without_a_choice_tags_stay_and_cost_nothing(seed: int, make_model: Callable[..., Model]) -> None:
    model = make_model(seed=seed)
    asked = request(model)
    found, off = (
        ConstraintSearcher(model, one).search(asked, NEVER) for one in (parse_grammar(PLAIN), grammar(1))
    )
    assert found == off
    assert found is not None
    assert found.analysis.tags == asked.tags


@each_seed(cases(10))
def test_an_interrupted_search_goes_on_and_finds_the_same(
    seed: int, make_model: Callable[..., Model]
) -> None:
    model = make_model(seed=seed)
    searcher, asked = ConstraintSearcher(model, grammar(0.001)), request(model)
    whole = searcher.search(asked, NEVER)
    stopped = Interrupt()
    search = searcher.begun(searcher.situation(asked), asked)
    stopped.set()
    begun = searcher.search(replace(asked, unfinished=search), stopped)
    assert begun is not None
    assert whole is not None
    assert begun.unfinished is search
    assert begun.score <= whole.score
    assert searcher.search(replace(asked, unfinished=search), NEVER) == whole


def test_tags_that_somebody_has_decided_stay(make_model: Callable[..., Model]) -> None:
    model = make_model(seed=1)
    searcher = ConstraintSearcher(model, grammar(0.001))
    for tag in ("NOUN", "VERB", "DET"):
        preference = Preference(corrections={3: Correction(tag=tag)})
        asked = replace(request(model, preference=preference), fixed=preference)
        found = searcher.search(asked, NEVER)
        assert found is not None
        assert found.analysis.tags[2] == tag


def test_tags_found_before_are_where_the_next_search_begins(make_model: Callable[..., Model]) -> None:
    model = make_model(seed=1)
    searcher, asked = ConstraintSearcher(model, grammar(0.001)), request(model)
    found = searcher.search(asked, NEVER)
    assert found is not None
    assert found.analysis.tags != asked.tags
    again = replace(asked, previous=found.analysis)
    assert leading_of(searcher.begun(searcher.situation(again), again)).situation.tags == found.analysis.tags
    assert searcher.situation(asked, found.analysis).tags == found.analysis.tags


def test_trials_are_bounded_even_where_every_tag_is_likely(make_model: Callable[..., Model]) -> None:
    model, begun = make_model(seed=1), list[Tags]()
    searcher = ConstraintSearcher(model, grammar(1e-9))
    asked = request(model, WORDS * 4, is_open=False)
    choices = asked.rescored.tag_choices(1e-9)
    assert sum(len(of_word) - 1 for of_word in choices) > MOST_TRIALS
    situation = searcher.situation(asked)

    def begin(tags: Tags, trees: Sequence[Tree]) -> TreeSearch:
        begun.append(tags)
        search = searcher.search_in(with_tags(situation, tags), asked)
        search.begin(search.best, *trees)
        return search

    assert TagSearch(choices, [tuple(of_word[0] for of_word in choices)], begin, floor=0).run(NEVER)
    assert len(begun) <= 1 + MOST_TRIALS
    assert len({*begun}) == len(begun)


def test_a_given_tree_is_judged_with_the_tags_under_which_it_costs_least(
    make_model: Callable[..., Model],
) -> None:
    model = make_model(seed=1)
    searcher, asked = ConstraintSearcher(model, grammar(0.001)), request(model, is_open=False)
    found = searcher.search(asked, NEVER)
    assert found is not None
    tree = tree_of(searcher.situation(asked), found.analysis)
    tagged = searcher.situation_of(asked, tree)
    search = searcher.search_in(tagged, asked)
    assert (search.judged(tree).cost + tagged.tag_cost) / COST_OF_E == pytest.approx(-found.score)


def test_likely_tags_are_relative_to_the_likeliest_and_few(make_model: Callable[..., Model]) -> None:
    for seed in range(5):
        asked = request(make_model(seed=seed))
        for of_word, tag in zip(asked.rescored.tag_choices(0.2), asked.tags, strict=True):
            assert 1 <= len(of_word) <= 3
            assert tag in [choice.tag for choice in of_word]
            assert [choice.log for choice in of_word] == sorted((c.log for c in of_word), reverse=True)
            assert all(exp(choice.log) >= 0.2 or choice.tag == tag for choice in of_word)


def test_a_session_shows_the_tags_that_a_search_has_chosen() -> None:
    model = load_model("en")
    text = "\n".join(["include general", "tags at least 0.1", 'constraint "n" penalty 0.1, X: X.tag != VERB'])
    *_, last = Session(model, ConstraintSearcher(model, parse_grammar(text))).run(
        ["She", "likes", "cooking", "."], time_limit=None
    )
    assert [word.tag for word in last.words] == ["PRON", "VERB", "NOUN", "PUNCT"]
