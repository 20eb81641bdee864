"""The searcher that comes along for a model does no harm: it weighs and expects what the model does."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from bounded_trees import least_cost
from growing_parses import grown

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.incremental.constraints import load_grammar
from treewhile.incremental.constraints.search import searcher as searchers
from treewhile.incremental.constraints.search.attackers import USUAL
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, searcher_for
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.shipped_models import installed_models
from treewhile.incremental.search import SearchRequest
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
MISTAKES = Path(__file__).parents[2] / "vectors" / "marks" / "english.txt"
NOISE = 0.003  # of the words, where the search may attach fewer as in the gold tree than the best parse


@pytest.mark.parametrize("language", installed_models())
def test_every_shipped_model_is_searched_with_its_own_probabilities(language: str) -> None:
    assert searcher_for(load_model(language)).weighs_probabilities


def test_a_language_without_a_grammar_of_its_own_is_searched_with_the_models_probabilities(
    model: Model,
) -> None:
    assert model.information["language"] not in searchers.GRAMMARS
    assert searcher_for(model).weighs_probabilities


def test_a_grammar_without_the_models_probabilities_is_refused(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(searchers.GRAMMARS, "xx", "universal")
    with pytest.raises(InputError, match=r"the grammar universal leaves out .*: include predictors"):
        searcher_for(model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "treebank"),
    [("af", "ud/af_afribooms/af_afribooms-dev.conllu"), ("nl", "ud/nl_alpino/nl_alpino-dev.conllu")],
)
def test_the_search_is_not_below_the_best_parse(language: str, treebank: str) -> None:
    path = DATA / treebank
    if language not in installed_models() or not path.is_file():
        pytest.skip("the model or the treebank is not here")
    model = load_model(language)
    searcher, parsed, found, words = searcher_for(model), 0, 0, 0
    for sentence in islice(read_sentences(path), 200):
        request = whole(model, [word.form for word in sentence.words])
        words += len(sentence.words)
        parsed += right(request.rescored.analysis, sentence)
        found += right(analysis_of(searcher, request), sentence)
    print(f"{treebank}: {parsed / words:.2%} right by the best parse, {found / words:.2%} after the search")
    assert found >= parsed - NOISE * words


@pytest.mark.slow
def test_words_that_the_model_expects_are_hardly_ever_given_up() -> None:
    model = load_model("en")
    searcher, expected, given_up = searcher_for(model), 0, 0
    for words in [*plain_sentences()][::4]:
        for request in prefixes(model, words):
            if request.rescored.analysis.expected:
                expected += 1
                given_up += not analysis_of(searcher, request).expected
    assert expected > 300
    assert given_up <= expected / 100


@pytest.mark.slow
def test_a_short_sentence_is_searched_from_each_root() -> None:
    model, costs = load_model("en"), []
    for margins in (USUAL._replace(restarted=0), USUAL):
        searcher = ConstraintSearcher(model, load_grammar("alone"), margins=margins)
        requests = [
            whole(model, words.split()) for words in ("Here you go .", "How are you ?", "She reads books .")
        ]
        searches = [searcher.search_in(searcher.situation(request), request) for request in requests]
        assert all(search.run(Interrupt()) for search in searches)
        costs.append([search.cost for search in searches])
    before, after = costs
    assert all(cost <= earlier for earlier, cost in zip(before, after, strict=True))
    assert sum(cost < earlier for earlier, cost in zip(before, after, strict=True)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Hello there everybody ,", "Room number : 12 34", "tea - coffee - juice"])
def test_chains_and_second_best_heads_lead_to_the_best_tree_where_stars_do_not(text: str) -> None:
    model = load_model("en")
    searcher, request = ConstraintSearcher(model, load_grammar("alone")), whole(model, text.split())
    situation = searcher.situation(request)
    search = searcher.search_in(situation, request)
    assert search.run(Interrupt())
    assert search.cost == least_cost(situation, search.cost)


def plain_sentences() -> Iterator[list[str]]:
    """The words of sentences without mistakes."""
    for line in MISTAKES.read_text().splitlines():
        if line and not line.startswith("#"):
            sentence = re.sub(
                r"\[([^]=]*)(?:=([^]]*))?\]", lambda part: part[2] or part[1], line.split("  ", 1)[1]
            )
            yield sentence.replace(".", "").split()


def prefixes(model: Model, words: Sequence[str]) -> Iterator[SearchRequest]:
    """What is asked of a search as words come."""
    parse = GrowingParse(model)
    for word in words:
        parse.append(word)
        yield SearchRequest(model.rescore(parse.snapshot()), parse.committed(), True)


def whole(model: Model, words: Sequence[str]) -> SearchRequest:
    """What is asked when the sentence has ended."""
    parse = grown(model, words, is_closed=True)
    return SearchRequest(model.rescore(parse.snapshot()), parse.committed(), False)


def analysis_of(searcher: ConstraintSearcher, request: SearchRequest) -> Analysis:
    found = searcher.search(request, Interrupt())
    assert found
    return found.analysis


def right(analysis: Analysis, gold: Sentence) -> int:
    """How many words have their gold head and relation."""
    return sum(
        head == int(word.head) and label.partition(":")[0] == word.deprel.partition(":")[0]
        for head, label, word in zip(analysis.heads, analysis.labels, gold.words, strict=True)
    )
