"""Search of a session: frobbing under a grammar, with other parsers as predictors.

The committed parse is the predictor `committed`; the probabilities of the arc scorer are pooled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.adaptations import with_root_labels
from treewhile.incremental.constraints.language.grammars import Grammar, load_grammar
from treewhile.incremental.constraints.language.known_names import KnownNames
from treewhile.incremental.constraints.language.name_checks import check_names
from treewhile.incremental.constraints.language.terms import LEARNT
from treewhile.incremental.constraints.machine.attributes import Learnt
from treewhile.incremental.constraints.machine.costs import COST_OF_E, cost_of
from treewhile.incremental.constraints.machine.kernels.records import TreeArrays
from treewhile.incremental.constraints.machine.programs import Program, compile_grammars
from treewhile.incremental.constraints.machine.situations import (
    Prediction,
    Predictions,
    Situation,
    check_predictions,
)
from treewhile.incremental.constraints.search.attackers import (
    GUIDED,
    USUAL,
    JudgedTree,
    Margins,
    costs_of_edges,
    floor_of,
)
from treewhile.incremental.constraints.search.conflicts import conflicts_of
from treewhile.incremental.constraints.search.deciding_constraints import deciding_constraints
from treewhile.incremental.constraints.search.frobbing import TreeSearch, check_threads
from treewhile.incremental.constraints.search.pooled_logs import Floats, pooled_logs
from treewhile.incremental.constraints.search.ruled_trees import ruled_tree
from treewhile.incremental.constraints.search.tag_search import Tags, TagSearch, tags_among, with_tags
from treewhile.incremental.constraints.search.trees import Tree, analysis_of, edges_kept, tree_of
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.tag_choices import TagChoices
from treewhile.incremental.parsers.tree_decoding import ANY, PROJECTIVE
from treewhile.incremental.search import (
    Conflict,
    DecidingConstraint,
    SearchRequest,
    SearchResult,
    Violation,
)
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

GRAMMARS: Final = {"en": "english"}  # by language; general for others
COMMITTED: Final = "committed"

NEVER: Final = Interrupt()

Predictor = Callable[[SearchRequest], Predictions]

Search: TypeAlias = TreeSearch | TagSearch


class ConstraintSearcher:
    """Searcher under one grammar with one model; `predictors` are called by name.

    Constraints with messages for people are judged once, on the result: attributes used only by these slow no
    search, and do not affect its trees.
    """

    def __init__(
        self,
        model: Model,
        grammar: Grammar,
        predictors: Mapping[str, Predictor] | None = None,
        threads: int = 1,
        executor: Executor | None = None,
        margins: Margins | None = None,
    ) -> None:
        check_threads(threads, executor)
        self._model, self._stock = model, model.inventory.stock
        self._trees = ANY if model.trees == PROJECTIVE else model.trees
        self._program, self._telling = programs_for((grammar.weighing, grammar.telling), model)
        self._predictors = {COMMITTED: committed_heads, **(predictors or {})}
        check_names(grammar.constraints, known_names(model, self._predictors))
        self._threads, self._executor = threads, executor
        self._least_tag = grammar.least_tag
        self._margins = margins or (GUIDED if self.weighs_probabilities else USUAL)
        self._asked = sorted({*self._program.asked.predictors} & {*self._predictors})
        self._faulty: set[str] = set()

    @property
    def weighs_probabilities(self) -> bool:
        """True if the model's probabilities of heads and of labels count in every analysis."""
        weights = self._program.weights
        return bool(weights["head_probability"] and weights["label_probability"])

    @property
    def faulty(self) -> frozenset[str]:
        """Names of constraints that could not be computed in some search, by a division by zero."""
        return frozenset(self._faulty)

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult | None:
        """Return the best analysis found until the interrupt, not worse than the best given one.

        None if interrupted before there was any.
        """
        search = request.unfinished or self._begun(request, interrupt)
        if not isinstance(search, TreeSearch | TagSearch):
            return None
        is_settled = search.run(interrupt)
        leading = leading_of(search)
        found, situation = self._ruled(leading, request), leading.situation
        cost = found.cost + situation.tag_cost
        self._faulty.update(situation.faulty())
        return SearchResult(
            analysis_of(situation, found.tree),
            -cost / COST_OF_E,
            tuple(self._conflicts(situation, found.arrays)),
            is_settled,
            None if is_settled else search,
            tuple(_broken(situation, found.arrays)) if request.tells_broken else (),
            is_settled and cost <= search.floor,
        )

    def _ruled(self, search: TreeSearch, request: SearchRequest) -> JudgedTree:
        """Return the best tree by the rules; that of L1 if it costs less, or instead of several roots."""
        ruled = ruled_tree(self._model, request.rescored, request.fixed, search.situation, search.best)
        has_roots = ruled.heads[1:].count(0) > 1
        if ruled == search.best and not has_roots:
            return search.judged_best
        before = tree_of(search.situation, request.rescored.analysis)
        trees = [before] if has_roots else [ruled, before]
        return min(map(search.judged, trees), key=lambda judged: judged.cost)

    def _begun(self, request: SearchRequest, interrupt: Interrupt) -> Search | None:
        logs = self._logs(request)
        if interrupt.is_set:
            return None
        situation = self._situation(request, *logs)
        return None if interrupt.is_set else self.begun(situation, request, interrupt)

    def begun(self, situation: Situation, request: SearchRequest, interrupt: Interrupt = NEVER) -> Search:
        """Return a search as `search_in`, among likely tags, too, if the grammar chooses these."""
        choices = self._choices(request)
        if not choices:
            return self.search_in(situation, request, interrupt)
        starts = [tags_among(choices, situation.tags)]
        if request.previous is not None:
            before = request.previous.tags
            starts.append(tags_among(choices, (*before, *situation.tags[len(before) :])))

        def begin(tags: Tags, trees: Sequence[Tree]) -> TreeSearch:
            anew = replace(request, previous=None) if trees else request
            search = self.search_in(with_tags(situation, tags), anew, interrupt)
            if trees:
                search.begin(*trees)
            return search

        kept = edges_kept(situation, request.fixed)
        floor = floor_of(costs_of_edges(situation, request.is_open, kept))
        return TagSearch(choices, [*dict.fromkeys(starts)], begin, floor)

    def _choices(self, request: SearchRequest) -> TagChoices:
        """Return the likely tags of words; empty if there is no choice."""
        choices = request.rescored.tag_choices(self._least_tag) if self._least_tag < 1 else ()
        return choices if any(len(of_word) > 1 for of_word in choices) else ()

    def search_in(
        self, situation: Situation, request: SearchRequest, interrupt: Interrupt = NEVER
    ) -> TreeSearch:
        """Return a search from the best parse, or from the last analysis extended by the new words."""
        kept = edges_kept(situation, request.fixed)
        how = self._threads, self._executor, self._trees, self._margins
        search = TreeSearch(situation, request.is_open, kept, *how)
        trees = [tree_of(situation, request.rescored.analysis)]
        previous = request.previous
        if request.is_open and previous is not None and previous is not request.rescored.analysis:
            before = tree_of(situation, previous)
            trees.append(search.with_words(before, 1 + len(previous.words), interrupt))
        search.begin(*trees)
        return search

    def deciding(
        self, request: SearchRequest, analysis: Analysis, rivals: Mapping[int, Decision]
    ) -> dict[int, DecidingConstraint]:
        """Return the constraints that speak most against rivals of the arcs of an analysis, by word."""
        situation, rescored = self.situation(request, analysis), request.rescored

        def likeliest(head: int, dependent: int) -> int:
            logs = rescored.label_logs(np.array([head], np.intp), np.array([dependent], np.intp))
            return int(logs[0].argmax())

        return dict(deciding_constraints(situation, tree_of(situation, analysis), rivals, likeliest))

    def situation(self, request: SearchRequest, analysis: Analysis | None = None) -> Situation:
        """Return the data of a request for constraints, with the tags of an analysis or of the best parse."""
        situation = self._situation(request, *self._logs(request))
        choices = self._choices(request)
        if not choices:
            return situation
        return with_tags(situation, tags_among(choices, (analysis or request.rescored.analysis).tags))

    def situation_of(self, request: SearchRequest, tree: Tree) -> Situation:
        """Return the data of a request for constraints, with the tags under which a tree costs least."""
        situation, choices = self.situation(request), self._choices(request)
        if not choices:
            return situation

        edges = [tree.edge(node) for node in range(1, len(tree.heads))]

        def begin(tags: Tags, _: Sequence[Tree]) -> TreeSearch:
            search = TreeSearch(with_tags(situation, tags), request.is_open, edges)
            search.begin(tree)
            return search

        floor = floor_of(costs_of_edges(situation, request.is_open, edges))
        search = TagSearch(choices, [tags_among(choices, situation.tags)], begin, floor)
        search.run(NEVER)
        return search.leading.situation

    def _logs(self, request: SearchRequest) -> tuple[Floats, Floats]:
        head_log, label_log = pooled_logs(request.rescored)
        request.preference.lower_others(head_log, label_log, self._program.label_numbers)
        return head_log, label_log

    def _situation(self, request: SearchRequest, head_log: Floats, label_log: Floats) -> Situation:
        """Return the situation; outputs of the own model need no check."""
        made = Situation(
            self._program,
            request.words,
            request.tags,
            request.features,
            self._stock if request.is_open else (),
            {name: self._predictions(name, request) for name in self._asked},
            head_log,
            label_log,
            self._learnt(request) if self._program.asked.asks_learnt else (),
        )
        for name, predictions in made.predictions.items():
            if name != COMMITTED:
                check_predictions(made, name, predictions)
        return made

    def _learnt(self, request: SearchRequest) -> tuple[Learnt, ...]:
        """Return lemmas and XPOS of the words, which are predicted here unless somebody else has asked."""
        analysis = request.rescored.analysis
        if not analysis.lemmas:
            parse = GrowingParse(self._model)
            for word in request.words:
                parse.append(word)
            snapshot = parse.snapshot()._replace(is_open=request.is_open, with_lemmas=True)
            analysis = self._model.rescore(snapshot).analysis
        lemmas, xpos = analysis.lemmas, analysis.xpos or (None,) * len(analysis.lemmas)
        return tuple(map(Learnt, lemmas, xpos))

    def _predictions(self, name: str, request: SearchRequest) -> Predictions:
        """Return the predictions of a predictor; InputError if it fails."""
        try:
            return self._predictors[name](request)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            what = f"the predictor {name!r:.40} failed ({said:.200})"
            raise InputError(
                f"{what}: correct it, or let it give None for words that it cannot take"
            ) from error

    def _conflicts(self, situation: Situation, tree: TreeArrays) -> Iterator[Conflict]:
        """Yield the conflicts to show to people."""
        for conflict in conflicts_of(situation, tree, self._telling):
            if conflict.words:
                yield Conflict(conflict.constraint, conflict.penalty, conflict.words, conflict.message)

    def set_penalties(self, penalties: npt.NDArray[np.float64]) -> None:
        """Set the penalties of constraints, except for NaN; not while a search runs."""
        for number, penalty in enumerate(penalties):
            if not math.isnan(penalty):
                self._program.arrays.cost[number] = cost_of(penalty)


def _broken(situation: Situation, tree: TreeArrays) -> Iterator[Violation]:
    """Yield the broken constraints, except for those that weigh every edge."""
    numbers, constraints = situation.program.grammar.numbers, situation.program.grammar.constraints
    for one in conflicts_of(situation, tree):
        if not constraints[numbers[one.constraint]].is_for_all and one.penalty < 1:
            yield Violation(one.constraint, one.section, round(one.penalty, 6), one.words, one.x)


def leading_of(search: Search) -> TreeSearch:
    """Return the search under the best tags so far."""
    return search if isinstance(search, TreeSearch) else search.leading


def searcher_for(model: Model, threads: int = 1, executor: Executor | None = None) -> ConstraintSearcher:
    """Return a searcher under the installed grammar for the language of a model.

    The model's probabilities count in each: the effect of constraints alone has not been measured for each
    language.
    """
    grammar = load_grammar(grammar_name_for(model))
    searcher = ConstraintSearcher(model, grammar, threads=threads, executor=executor)
    if not searcher.weighs_probabilities:
        what = f"the grammar {grammar.name} leaves out how likely the model holds heads or labels"
        raise InputError(f"{what}, so that a search would lose what the model knows: include predictors")
    return searcher


def known_names(model: Model, predictors: Iterable[str] = ()) -> KnownNames:
    """Return the names that a grammar may ask for under a model with some predictors."""
    inventory = model.inventory
    xpos = () if model.lemmas is None else model.lemmas.classes.xpos
    learnt = () if model.lemmas is None else LEARNT if xpos else LEARNT[:1]
    names = inventory.labels, inventory.tags, inventory.features
    return KnownNames.of(*names, {COMMITTED, *predictors}, learnt, xpos)


def grammar_name_for(model: Model) -> str:
    """Return the name of the installed grammar for the language of a model."""
    return GRAMMARS.get(str(model.information.get("language")), "general")


def program_for(grammar: Grammar, model: Model) -> Program:
    """Return the program of one grammar, as in `programs_for`."""
    return programs_for([grammar], model)[0]


def programs_for(grammars: Iterable[Grammar], model: Model) -> list[Program]:
    """Return the programs of grammars for a model's labels, root labels, and class of trees."""
    inventory, may_cross = model.inventory, model.trees != PROJECTIVE
    fitting = [with_root_labels(grammar, inventory.root_labels) for grammar in grammars]
    return compile_grammars(fitting, inventory.labels, may_cross)


def committed_heads(request: SearchRequest) -> Predictions:
    """Return the committed head and label of every attached word."""
    committed = request.committed
    return [
        Prediction(head, label) if isinstance(head, int) else None
        for head, label in zip(committed.heads, committed.labels, strict=True)
    ]
