"""The searcher of sessions: what it asks of the grammar, what it answers, and what it may not touch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import cases, each_seed
from growing_parses import grown
from reach import Reached

from treewhile.incremental.constraints.language.grammars import load_grammar, parse_grammar
from treewhile.incremental.constraints.language.terms import Constraint, Kind, Term
from treewhile.incremental.constraints.machine.costs import COST_OF_E
from treewhile.incremental.constraints.machine.situations import Prediction, Predictions
from treewhile.incremental.constraints.search.pooled_logs import pooled_logs
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.trees import Tree, tree_of
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.model_files import read_model
from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.tree_decoding import is_prefix_in_class
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

WORDS = ("the", "old", "dog", "sees", "the", "cat", ".")
NEVER = Interrupt()
SCORES = """
section scores
constraint "head" penalty head_probability(X), X: false
constraint "label" penalty label_probability(X), X: is_unused(X.head)
section structure
constraint "unused" penalty 0, X and Y in a chain: not is_unused(Y.head)
constraint "root" penalty 0.001, X and Y under one head: not is_root(X.head)
"""


def request(model: Model, words: Sequence[str] = WORDS, is_open: bool = True) -> SearchRequest:
    parse = grown(model, words, not is_open)
    return SearchRequest(model.rescore(parse.snapshot()), parse.committed(), is_open)


@pytest.mark.parametrize("is_open", [True, False])
def test_an_answer_is_a_tree_over_the_words_and_settled(model: Model, is_open: bool) -> None:
    searcher = ConstraintSearcher(model, load_grammar("english"))
    for count in range(1, len(WORDS) + 1):
        found = searcher.search(request(model, WORDS[:count], is_open), NEVER)
        assert found.is_settled
        assert found.analysis.words == WORDS[:count]
        assert is_connected(found.analysis)
        assert is_open or all(isinstance(head, int) for head in found.analysis.heads)


@pytest.mark.reaches(0.1)
@each_seed(cases(20))
def test_no_tree_is_better_than_a_proven_one(
    seed: int, make_model: Callable[..., Model], reached: Reached
) -> None:
    model = make_model(seed=seed)
    asked, searcher = (
        request(model, WORDS[:2], is_open=False),
        ConstraintSearcher(model, parse_grammar(SCORES)),
    )
    found = searcher.search(asked, NEVER)
    assert found is not None
    reached(found.is_proven)
    search = searcher.search_in(searcher.situation(asked), asked)
    labels = range(len(model.inventory.labels))
    for heads, (a, b) in product([(0, 1), (2, 0), (0, 0)], product(labels, repeat=2)):
        cost = search.judged(Tree((0, *heads), (0, a, b))).cost
        assert not found.is_proven or -cost / COST_OF_E <= found.score


def is_connected(analysis: Analysis) -> bool:
    """Whether every word and expected word leads up to the root or to what is still to come."""
    above = dict(enumerate(analysis.heads, 1))
    above |= {node.node: node.head for node in analysis.expected}
    for node in above:
        head, steps = above[node], 0
        while head not in (0, LATER):
            head, steps = above[head], steps + 1
            if steps > len(above):
                return False
    return True


def test_an_answer_is_not_worse_than_the_best_parse_or_the_last_answer(model: Model) -> None:
    searcher = ConstraintSearcher(model, load_grammar("english"))
    asked = request(model)
    begun = searcher.search_in(searcher.situation(asked), asked)
    found = searcher.search(asked, NEVER)
    again = searcher.search(replace(asked, previous=found.analysis), NEVER)
    assert begun.cost >= -found.score * COST_OF_E >= -again.score * COST_OF_E
    assert again.analysis == found.analysis


def test_children_of_the_root_may_be_called_what_the_model_calls_them(
    model_file: Callable[..., Path],
) -> None:
    file = read_model(model_file())
    inventory = dict(file.information["inventory"], root_labels=["HEAD"])
    inventory["labels"] = ["HEAD" if label == "root" else label for label in inventory["labels"]]
    model = Model(replace(file, information={**file.information, "inventory": inventory}))
    searcher, asked = ConstraintSearcher(model, load_grammar("general")), request(model, is_open=False)
    search = searcher.search_in(searcher.situation(asked), asked)
    assert search.run(NEVER)
    assert "HEAD" in searcher.search(asked, NEVER).analysis.labels
    grammar = search.situation.program.grammar
    broken = {grammar.constraints[number].name for number, *_ in search.conflicts.tolist()}
    assert broken
    assert "what hangs on the root is called root" not in broken


def test_an_interrupt_before_anything_was_found_finds_nothing(model: Model) -> None:
    stopped = Interrupt()
    stopped.set()
    assert ConstraintSearcher(model, load_grammar("english")).search(request(model), stopped) is None


def test_a_search_that_was_interrupted_goes_on_where_it_was(model: Model) -> None:
    searcher = ConstraintSearcher(model, load_grammar("english"))
    asked, stopped = request(model), Interrupt()
    search = searcher.search_in(searcher.situation(asked), asked)
    stopped.set()
    begun = searcher.search(replace(asked, unfinished=search), stopped)
    assert not begun.is_settled
    assert begun.unfinished is search
    shown = search.judged(tree_of(search.situation, begun.analysis))
    assert begun.score == -shown.cost / COST_OF_E
    found = searcher.search(replace(asked, unfinished=search), NEVER)
    assert found.is_settled
    assert found == searcher.search(asked, NEVER)


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("is_open", [True, False])
@each_seed(cases(10))
def test_a_search_keeps_to_the_class_of_the_models_trees(
    seed: int, is_open: bool, make_model: Callable[..., Model], reached: Reached
) -> None:
    model = make_model(seed=seed).with_trees("mh4")
    found = ConstraintSearcher(model, load_grammar("general")).search(request(model, is_open=is_open), NEVER)
    assert is_prefix_in_class("mh4", found.analysis.heads)
    reached(not is_prefix_in_class("projective", found.analysis.heads))


def test_where_edges_may_not_cross_everything_is_as_if_a_grammar_could_not_ask(
    make_model: Callable[..., Model],
) -> None:
    asking = load_grammar("general")
    plain = replace(asking, constraints=tuple(map(without_asking, asking.constraints)))
    assert plain != asking
    for seed in range(5):
        model = make_model(seed=seed)
        for is_open in (True, False):
            asked = request(model, is_open=is_open)
            found, expected = (
                ConstraintSearcher(model, grammar).search(asked, NEVER) for grammar in (asking, plain)
            )
            assert found == expected


def without_asking(constraint: Constraint) -> Constraint:
    if constraint.name != "edges do not cross":
        return constraint
    return replace(constraint, formula=Term("truth", Kind.TRUTH, value=False))


def test_what_was_found_of_fewer_words_is_where_the_next_search_begins(model: Model) -> None:
    searcher = ConstraintSearcher(model, load_grammar("english"))
    before = searcher.search(request(model, WORDS[:-1]), NEVER).analysis
    asked = replace(request(model), previous=before)
    search = searcher.search_in(searcher.situation(asked), asked)
    alone = searcher.search_in(searcher.situation(asked), replace(asked, previous=None))
    assert search.cost <= alone.cost
    assert search.best.heads[1 : len(WORDS)] == alone.best.heads[1 : len(WORDS)] or search.cost < alone.cost


def test_fixed_words_stay(model: Model) -> None:
    asked = request(model, is_open=False)
    searcher = ConstraintSearcher(model, load_grammar("universal"))
    decisions = asked.rescored.analysis.decisions
    for word, decision in enumerate(decisions, 1):
        found = searcher.search(replace(asked, fixed=Preference({word: decision})), NEVER)
        assert found.analysis.decisions[word - 1] == decision


def test_what_is_preferred_is_kept_where_it_is_not_much_worse(model: Model) -> None:
    searcher = ConstraintSearcher(model, parse_grammar(SCORES))
    before = searcher.search(request(model, WORDS[:-1]), NEVER).analysis
    asked = request(model)
    wanted = dict(enumerate(before.decisions, 1))

    def kept(bonus: float) -> int:
        preferred = replace(asked, preference=Preference({}, wanted, bonus, len(before.words)))
        found = searcher.search(preferred, NEVER).analysis
        return sum(
            decision.label == found.labels[word - 1] and decision.head == found.heads[word - 1]
            for word, decision in wanted.items()
            if isinstance(decision.head, int)
        )

    among = sum(isinstance(decision.head, int) for decision in wanted.values())
    assert kept(0) <= kept(100) == among


NO_DOG = """
constraint "no dog" penalty 0.5, X: X.form != dog
constraint "no cat", X: X.form != cat marks X says "There is a {X}"
constraint "no old dog" penalty 0.5, X: X.form != dog says "Here is an old {X}"
constraint "nothing virtual", X: is_word(X) marks X says "This is no word"
"""


def test_conflicts_tell_people_what_has_something_to_say(model: Model) -> None:
    searcher = ConstraintSearcher(model, parse_grammar(SCORES + NO_DOG))
    for is_open in (True, False):
        found = searcher.search(request(model, is_open=is_open), NEVER)
        weighing, telling = found.conflicts
        head = found.analysis.heads[2]
        assert weighing.constraint == "no old dog"
        assert weighing.penalty == pytest.approx(0.5, abs=1e-5)
        assert weighing.words == tuple(sorted({3, head} & {*range(1, 8)}))
        assert telling == ("no cat", 1, (6,), "There is a cat")


def test_the_score_counts_what_is_silent_but_not_what_is_only_told(model: Model) -> None:
    asked = request(model, is_open=False)
    scores = [
        ConstraintSearcher(model, parse_grammar(SCORES + more)).search(asked, NEVER).score
        for more in ("", 'constraint t, X: false says "No"', "constraint s penalty 0.5, X: X.form != dog")
    ]
    assert scores[0] == scores[1] == pytest.approx(scores[2] - math.log(0.5), abs=1e-5)


def test_threads_without_an_executor_are_refused(model: Model) -> None:
    with pytest.raises(InputError, match="2 threads need an executor that has them"):
        ConstraintSearcher(model, load_grammar("english"), threads=2)


def test_any_other_parser_can_have_a_say(model: Model) -> None:
    def chain(asked: SearchRequest) -> Predictions:
        return [
            Prediction(word - 1, "root" if word == 1 else "obj") for word in range(1, len(asked.words) + 1)
        ]

    grammar = parse_grammar(
        'constraint "h" penalty 0.5, X: prediction_exists(chain, X) -> X.head = predicted_head(chain, X)\n'
        'constraint "l" penalty 0.5, X: prediction_exists(chain, X) -> X.label = predicted_label(chain, X)'
    )
    asked = request(model, is_open=False)
    found = ConstraintSearcher(model, grammar, {"chain": chain}).search(asked, NEVER)
    assert found.analysis.heads == tuple(range(len(WORDS)))
    assert found.conflicts == ()
    with pytest.raises(InputError, match="nobody gives the predictor chain"):
        ConstraintSearcher(model, grammar)


PREDICTED = 'constraint "h" penalty 0.5, X: prediction_exists(own, X) -> X.head = predicted_head(own, X)'


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (ValueError("no luck"), r"the predictor 'own' failed \(ValueError: no luck\): correct it"),
        ([None], "says something of 1 words, but there are 7"),
        (None, "gives a value of the type NoneType: give a list"),
        ("abcdefg", "gives a value of the type str: give a list"),
        ([3] * 7, "gives word 1 3: give a Prediction, or None"),
        ([Prediction(99)] * 7, "gives word 1 the head 99: give another node, from 0 to"),
        ([Prediction(-1)] * 7, "gives word 1 the head -1"),
        ([Prediction(math.nan)] * 7, "gives word 1 the head nan"),
        ([Prediction("2")] * 7, "gives word 1 the head '2'"),
        ([Prediction(2, "subj")] * 7, "gives word 1 the label 'subj': give one of the model's labels"),
        ([Prediction(2, ["det"])] * 7, "gives word 1 the label"),
    ],
)
def test_a_predictor_that_fails_is_told_in_one_sentence(model: Model, given: Any, said: str) -> None:
    def own(asked: SearchRequest) -> Predictions:
        if isinstance(given, Exception):
            raise given
        return given

    searcher = ConstraintSearcher(model, parse_grammar(PREDICTED), {"own": own})
    with pytest.raises(InputError, match=said):
        searcher.search(request(model), NEVER)


def test_a_session_lives_on_when_a_predictor_fails(model: Model) -> None:
    def own(asked: SearchRequest) -> Predictions:
        if len(asked.words) == 2:
            raise ValueError("no luck")
        return [None] * len(asked.words)

    searcher = ConstraintSearcher(model, parse_grammar("include predictors\n" + PREDICTED), {"own": own})
    with pytest.warns(RuntimeWarning, match=r"the predictor 'own' failed \(ValueError: no luck\)"):
        shown = [*Session(model, searcher).run(WORDS[:3], time_limit=None)]
    assert shown[-1].levels == ["L0", "L1", "L2"]


def test_a_grammar_asks_for_lemmas_where_the_model_gives_them(model: Model) -> None:
    text = 'constraint c, X: X.lemma != be or X.xpos != VBD says "*{X}* is {X.lemma}"'
    with pytest.raises(InputError, match="the model has not learnt what the lemma of a word is"):
        ConstraintSearcher(model, parse_grammar(text))
    english = load_model("en")
    searcher = ConstraintSearcher(english, parse_grammar("include predictors\n" + text))
    for is_open in (True, False):
        found = searcher.search(request(english, ["They", "were", "here"], is_open), NEVER)
        assert [conflict.message for conflict in found.conflicts] == ["*were* is be"]


def test_constraints_that_divide_by_zero_are_named(model: Model) -> None:
    grammar = parse_grammar(
        "constraint near penalty 0.5, X: 1 / X.distance <= 1\nconstraint c penalty 0.5, X: true"
    )
    searcher = ConstraintSearcher(model, grammar)
    assert searcher.faulty == set()
    searcher.search(request(model), NEVER)
    assert searcher.faulty == {"near"}


def test_heads_to_come_have_nearly_one_probability_for_all_of_them(model: Model) -> None:
    asked = request(model)
    t, logs = len(WORDS), asked.rescored.arc_logs
    heads, labels = pooled_logs(asked.rescored)
    future = slice(t + 1, heads.shape[1] + 1)
    together = np.exp(logs[future, 1 : t + 1].astype(np.float64)).sum(axis=0)
    weight = 0.05
    expected = (1 - weight) * np.log(together) + weight * logs[future, 1 : t + 1]
    assert np.allclose(heads[future, 1 : t + 1], expected, atol=1e-5)
    assert np.array_equal(heads[: t + 1, 1:], logs[: t + 1, 1:])
    of_word = labels[1, future]
    assert np.allclose(of_word, of_word[0])
    assert np.exp(of_word[0]).sum() == pytest.approx(1, abs=1e-4)
    own = asked.rescored.label_logs(np.arange(t + 1, heads.shape[1] + 1), np.ones(len(of_word), np.intp))
    shares = np.exp(own + logs[future, 1, None]).sum(axis=0) / together[0]
    assert np.allclose(np.exp(of_word[0]), shares, atol=1e-3)
    unlikely = np.argwhere(logs[:, 1] < np.log(1e-4))
    assert len(unlikely)
    assert np.allclose(np.exp(labels[1, unlikely[unlikely <= t]]), 1 / labels.shape[2])
