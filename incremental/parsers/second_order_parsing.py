"""What a model that knows triples says of whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis
from treewhile.incremental.parsers.arc_decoding import sentence_weights
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored, Snapshot
from treewhile.incremental.parsers.second_order_decoding import (
    COLUMNS,
    MOST_WORDS,
    Scored,
    better_by_grandparents,
    score_by_grandparents,
)
from treewhile.incremental.parsers.triple_layers import TripleLayers
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.class_names import PROJECTIVE


def snapshot_of(
    model: Model, words: Sequence[str], values: Sequence[Iterable[str]] | None = None
) -> Snapshot:
    """A whole sentence, as a growing parse would have it at its end."""
    tops = model.network.causal.states(model.gates(words, FROM_LEFT, values), [len(words)]).top
    told = None if values is None else tuple(tuple(of_word) for of_word in values)
    return Snapshot(tuple(words), tops, is_open=False, values=told)


def scored_by(model: Model, kind: str, snapshot: Snapshot, preference: Preference = NO_PREFERENCE) -> Scored:
    """The scores of arcs, and of triples of a kind that the model knows, in a whole sentence."""
    layers, arcs = triples_of(model, kind), model.network.arcs
    gates = model.gates(snapshot.words, FROM_RIGHT, snapshot.values)
    around = model.network.surroundings.around(snapshot.tops, gates, [len(snapshot.words)], [False])
    nodes = 1 + len(snapshot.words)  # without the end
    scores = sentence_weights(preference.applied_to(arcs.scores(around)[0][:nodes, :nodes]))
    return Scored(scores.weight[:nodes, :nodes].astype(np.float64), layers.scores(around.late[:nodes]))


def weighs_grandparents(model: Model, words: int) -> bool:
    """Whether a better tree than that of arcs alone can be looked for among so many words.

    Its edges may cross, so it is no tree for a model of projective ones.
    """
    return GRANDPARENTS in model.triples and model.trees != PROJECTIVE and 0 < words <= MOST_WORDS


def analysis_by(
    model: Model, column: str, words: Sequence[str], values: Sequence[Iterable[str]] | None = None
) -> Analysis:
    """The analysis of a whole sentence as a column of COLUMNS finds it, by triples that the model knows."""
    kind, decode = COLUMNS[column]
    if not words:
        return NO_WORDS
    snapshot = snapshot_of(model, words, values)
    heads = decode(scored_by(model, kind, snapshot), Interrupt())
    assert heads is not None  # nobody interrupts
    rescored = model.rescore(snapshot)
    return _with_heads(model, rescored, rescored.analysis, heads)


def reattached(model: Model, snapshot: Snapshot) -> Analysis:
    """The analysis of a snapshot that has words, by L1 and L3, which leaves open and long ones alone."""
    check_weighs_grandparents(model)
    rescored = model.rescore(snapshot)
    best = replace(rescored.analysis, constituents=rescored.constituents or ())
    if snapshot.is_open or not weighs_grandparents(model, len(snapshot.words)):
        return best
    found = better_analysis(model, snapshot, rescored, best, NO_PREFERENCE, Interrupt())
    assert found is not None  # nobody interrupts
    return found[0]


def check_weighs_grandparents(model: Model) -> None:
    """Refuses a model that has no L3."""
    triples_of(model, GRANDPARENTS)
    if model.trees == PROJECTIVE:
        raise InputError(
            "L3 draws edges that cross, and the model parses in projective trees: take L1, or --trees mh4"
        )


def better_analysis(
    model: Model,
    snapshot: Snapshot,
    rescored: Rescored,
    analysis: Analysis,
    preference: Preference,
    interrupt: Interrupt,
) -> tuple[Analysis, float] | None:
    """The best gap-minding analysis by arcs and grandparents with its score, or the one given if not worse.

    None if interrupted. The parse by arcs alone tells the labels of words whose heads change.
    """
    if interrupt.is_set:
        return None
    scored = scored_by(model, GRANDPARENTS, snapshot, preference)
    heads = np.array(analysis.heads, np.int32)
    found = better_by_grandparents(scored, heads, interrupt)
    if interrupt.is_set:
        return None
    if found is None:
        return analysis, score_by_grandparents(scored, heads)
    return _with_heads(model, rescored, analysis, found), score_by_grandparents(scored, found)


def _with_heads(model: Model, rescored: Rescored, analysis: Analysis, heads: Numbers) -> Analysis:
    """The analysis with other heads, and the likeliest labels of the arcs that are new."""
    changed = np.flatnonzero(heads != np.array(analysis.heads))
    logs = rescored.label_logs(heads[changed].astype(np.intp), changed + 1)
    labels = [*analysis.labels]
    for place, label in zip(changed.tolist(), logs.argmax(1).tolist(), strict=True):
        labels[place] = model.inventory.labels[label]
    return replace(analysis, heads=tuple(heads.tolist()), labels=tuple(labels))


def triples_of(model: Model, kind: str) -> TripleLayers:
    """The layers that score a kind of triples, which not every model has."""
    if kind not in model.triples:
        raise InputError(
            f"the model has no scores of {kind}: learn them with treewhile train --from P --triples {kind} "
            "--train A --dev B --out M, where P is this model"
        )
    return model.triples[kind]
