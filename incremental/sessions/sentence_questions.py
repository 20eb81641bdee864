"""Inputs of jobs about a sentence: its next steps, and a better analysis."""

from __future__ import annotations

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.next_steps import Chances, Question
from treewhile.incremental.sessions.open_sentences import OpenSentence
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.oracles.trees.class_names import PROJECTIVE


def search_request_of(sentence: OpenSentence) -> SearchRequest:
    """Return the input of a search."""
    refinement, attached = sentence.refinement, sentence.attached
    assert attached is not None
    assert refinement.rescored is not None
    return SearchRequest(
        refinement.rescored,
        attached.at_once,
        not attached.is_closed,
        sentence.standing.best[0],
        sentence.standing.fixed.fixed,
        refinement.preferred,
        refinement.unfinished,
    )


def question_of(sentence: OpenSentence, model: Model, options: DocumentOptions) -> Question:
    """Return the question about its steps."""
    steps = sentence.steps
    return Question(
        sentence.followed_steps,
        sentence.standing.shown[0],
        not sentence.is_whole,
        steps.gold,
        _chances_of(sentence, model),
        steps.wants_plan or options.tells_plans,
        options.prediction,
        options.drift if steps.follows_best and steps.may_rebuild else None,
    )


def _chances_of(sentence: OpenSentence, model: Model) -> Chances | None:
    """Return the edge probabilities of L1 for an open sentence, computed again if they are not kept."""
    steps, refinement = sentence.steps, sentence.refinement
    is_parsed = refinement.phase.stage != "initial" and "L1" in sentence.standing.levels
    if sentence.is_whole or steps.gold is not None or not is_parsed:
        return None
    if steps.chances is None and refinement.rescored is not None:
        steps.chances = Chances(refinement.rescored.chances)
    elif steps.chances is None:
        snapshot, quick = (
            sentence.snapshot,
            model.with_trees(PROJECTIVE),
        )  # probabilities depend on scores, not on trees
        steps.chances = Chances(lambda: quick.rescore(snapshot).chances())
    return steps.chances
