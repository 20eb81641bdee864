"""The search of a session: frobbing under a grammar, with all other parsers as predictors.

What the committed parse says is the predictor `committed`. The arc scorer's probabilities are *pooled*: to
a word all heads to come are nearly one, since which of them is meant shows only later. They share the
probability of all of them, but for a small power of their own, and the labels of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.grammars import Grammar, load_grammar
from treewhile.incremental.constraints.language.root_labels import with_root_labels
from treewhile.incremental.constraints.machine.costs import COST_OF_E, WEAKEST, cost_of
from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.constraints.machine.situations import Prediction, Predictions, Situation
from treewhile.incremental.constraints.search.conflicts import conflicts_of
from treewhile.incremental.constraints.search.frobbing import TreeSearch, check_threads
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.interrupts import Interrupt
from treewhile.incremental.parsers.analyses import Analysis, Decision, expected_words
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Rescored
from treewhile.incremental.search import Conflict, SearchRequest, SearchResult
from treewhile.oracles.errors import InputError

Floats = npt.NDArray[np.float32]

GRAMMARS: Final = {"en": "english"}  # by language; general for others
COMMITTED: Final = "committed"

OWN_WEIGHT: Final = 0.05  # the power of its own probability that a head to come keeps
UNLIKELY: Final = np.float32(np.log(1e-4))  # labels of arcs below this are not computed, but all the same

LEAST: Final = np.float32(np.log(WEAKEST))

NEVER: Final = Interrupt()

Predictor = Callable[[SearchRequest], Predictions]


class ConstraintSearcher:
    """Searches under one grammar with one model; `predictors` are asked by their names for what they say.

    Constraints that say something to people are judged once, on what was found: what only they ask makes no
    search slower and bends no tree.
    """

    def __init__(
        self,
        model: Model,
        grammar: Grammar,
        predictors: Mapping[str, Predictor] | None = None,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        check_threads(threads, executor)
        self._stock = model.inventory.stock
        self._program, self._telling = (
            program_for(part, model) for part in (grammar.weighing, grammar.telling)
        )
        self._predictors = {COMMITTED: committed_heads, **(predictors or {})}
        self._threads, self._executor = threads, executor
        self._asked = {*self._program.predictors, *self._telling.predictors} & {*self._predictors}

    @property
    def weighs_probabilities(self) -> bool:
        """Whether the model's probabilities of heads and of labels count in every analysis."""
        weights = self._program.weights
        return bool(weights["head_probability"] and weights["label_probability"])

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        """The best analysis found until the interrupt is set, not worse than the best of those given.

        None if that was before there was any.
        """
        search = request.unfinished or self._begun(request, interrupt)
        if not isinstance(search, TreeSearch):
            return None
        is_settled = search.run(interrupt)
        return SearchResult(
            _analysis(search.situation, search.best, request.rescored.analysis),
            -search.cost / COST_OF_E,
            tuple(self._conflicts(search)),
            is_settled,
            None if is_settled else search,
        )

    def _begun(self, request: SearchRequest, interrupt: Interrupt) -> TreeSearch | None:
        logs = self._logs(request)
        if interrupt.is_set:
            return None
        situation = self._situation(request, *logs)
        return None if interrupt.is_set else self.search_in(situation, request, interrupt)

    def search_in(
        self, situation: Situation, request: SearchRequest, interrupt: Interrupt = NEVER
    ) -> TreeSearch:
        """A search from the best parse, or from the last analysis with the words that have come since."""
        kept = [_edge(situation, word, decision) for word, decision in request.fixed.items()]
        search = TreeSearch(situation, request.is_open, kept, self._threads, self._executor)
        trees = [_tree(situation, request.rescored.analysis)]
        previous = request.previous
        if request.is_open and previous is not None and previous is not request.rescored.analysis:
            before = _tree(situation, previous)
            trees.append(search.with_words(before, 1 + len(previous.words), interrupt))
        search.begin(*trees)
        return search

    def situation(self, request: SearchRequest) -> Situation:
        """What the constraints may ask of a request."""
        return self._situation(request, *self._logs(request))

    def _logs(self, request: SearchRequest) -> tuple[Floats, Floats]:
        head_log, label_log = pooled_logs(request.rescored)
        request.preference.lower_others(head_log, label_log, self._program.label_numbers)
        return head_log, label_log

    def _situation(self, request: SearchRequest, head_log: Floats, label_log: Floats) -> Situation:
        return Situation.of(
            self._program,
            request.words,
            request.tags,
            request.features,
            self._stock if request.is_open else (),
            {name: self._predictors[name](request) for name in sorted(self._asked)},
            head_log,
            label_log,
        )

    def _conflicts(self, search: TreeSearch) -> Iterator[Conflict]:
        """What to tell people of the words."""
        for conflict in conflicts_of(search.situation.under(self._telling), search.best.arrays()):
            if conflict.words:
                yield Conflict(conflict.constraint, conflict.penalty, conflict.words, conflict.message)

    def set_penalties(self, penalties: npt.NDArray[np.float64]) -> None:
        """Other penalties for all constraints, where they are numbers; not while a search runs."""
        for number, penalty in enumerate(penalties):
            if not math.isnan(penalty):
                self._program.arrays.cost[number] = cost_of(penalty)


def searcher_for(model: Model, threads: int = 1, executor: Executor | None = None) -> ConstraintSearcher:
    """A searcher under the grammar that comes along for the language of a model.

    What the model says counts in each: nobody has measured what other constraints do to every language.
    """
    grammar = load_grammar(GRAMMARS.get(str(model.information.get("language")), "general"))
    searcher = ConstraintSearcher(model, grammar, threads=threads, executor=executor)
    if not searcher.weighs_probabilities:
        what = f"the grammar {grammar.name} leaves out how likely the model holds heads or labels"
        raise InputError(f"{what}, so that a search would lose what the model knows: include predictors")
    return searcher


def program_for(grammar: Grammar, model: Model) -> Program:
    """The program of a grammar for the labels of a model, those of the root's children included."""
    inventory = model.inventory
    return compile_grammar(with_root_labels(grammar, inventory.root_labels), inventory.labels)


def committed_heads(request: SearchRequest) -> Predictions:
    """What the committed parse says of every word that it has attached."""
    committed = request.committed
    return [
        Prediction(head, label) if isinstance(head, int) else None
        for head, label in zip(committed.heads, committed.labels, strict=True)
    ]


# --- probabilities ------------------------------------------------------------------------------------------


def pooled_logs(rescored: Rescored) -> tuple[Floats, Floats]:
    """head_log[head, child] and label_log[child, head, label] as `Situation` takes them."""
    t, logs = len(rescored.analysis.words), rescored.arc_logs
    children, labels = logs.shape[1], len(rescored.arcs.label_numbers)
    rows = children + 2  # a whole sentence has no virtual nodes, and its rows LATER and UNUSED are not there
    is_open = len(logs) == rows
    head_log = np.full((rows, children), -np.inf, np.float32)
    head_log[: len(logs)] = logs
    label_log = np.full((children, rows, labels), -np.log(labels), np.float32)
    heads, dependents = np.nonzero(head_log[:, 1:] > UNLIKELY)
    label_log[dependents + 1, heads] = np.maximum(rescored.label_logs(heads, dependents + 1), LEAST)
    words, future = slice(1, t + 1), slice(t + 1, children + 1)
    if is_open:
        own = head_log[future, words]
        pool = _log_sum(own, axis=0)
        of_labels = label_log[words, future] + own.T[:, :, None]
        pooled = _log_sum(of_labels, axis=1) - pool[:, None]
        label_log[words, future] = np.minimum(pooled, 0)[:, None]
        head_log[future, words] = (1 - OWN_WEIGHT) * pool + OWN_WEIGHT * own
    return head_log, label_log


def _log_sum(logs: Floats, axis: int) -> Floats:
    """The logarithm of a sum of exponentials, of which one at least is more than nothing."""
    greatest = logs.max(axis=axis, keepdims=True)
    total: Floats = np.log(np.exp(logs - greatest).sum(axis=axis)) + greatest.squeeze(axis)
    return total


# --- nodes and names ----------------------------------------------------------------------------------------


def _edge(situation: Situation, dependent: int, decision: Decision) -> Edge:
    number = situation.program.label_numbers[decision.label]
    return Edge(dependent, situation.nodes.number(decision.head), number)


def _tree(situation: Situation, analysis: Analysis) -> Tree:
    """An analysis of all words or the first ones; words after these hang on the root for the time being."""
    heads = [0] * (1 + situation.t) + [situation.unused] * situation.k
    labels, numbers = [0] * situation.later, situation.program.label_numbers
    for word, (head, label) in enumerate(zip(analysis.heads, analysis.labels, strict=True), 1):
        heads[word] = head if isinstance(head, int) else situation.nodes.number(head)
        labels[word] = numbers[label]
    for expected in analysis.expected:
        node = situation.nodes.number(expected.node)
        heads[node], labels[node] = situation.nodes.number(expected.head), numbers[expected.label]
    return Tree(tuple(heads), tuple(labels))


def _analysis(situation: Situation, tree: Tree, tagged: Analysis) -> Analysis:
    """The tree with the tags of another analysis."""
    nodes, numbers = situation.nodes, tree.heads[1:]
    heads = nodes.names(numbers)
    labels = [*map(situation.program.labels.__getitem__, tree.labels[1:])]
    expected = expected_words(nodes, numbers, heads, labels)
    words, tags, features = tagged.words, tagged.tags, tagged.features
    return Analysis(words, tags, features, tuple(heads[: nodes.t]), tuple(labels[: nodes.t]), expected)
