"""What a model that knows triples says of whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis
from treewhile.incremental.parsers.arc_decoding import sentence_weights
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored, Snapshot
from treewhile.incremental.parsers.second_order_decoding import (
    COLUMNS,
    Scored,
)
from treewhile.incremental.parsers.triple_layers import TripleLayers
from treewhile.incremental.parsers.word_gates import FROM_RIGHT
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt


def scored_by(model: Model, kind: str, snapshot: Snapshot, preference: Preference = NO_PREFERENCE) -> Scored:
    """The scores of arcs, and of triples of a kind that the model knows, in a whole sentence."""
    layers, arcs = triples_of(model, kind), model.network.arcs
    gates = model.gates(snapshot.words, FROM_RIGHT, snapshot.values)
    around = model.network.surroundings.around(snapshot.tops, gates, [len(snapshot.words)], [False])
    nodes = 1 + len(snapshot.words)  # without the end
    scores = sentence_weights(preference.applied_to(arcs.scores(around)[0][:nodes, :nodes]))
    return Scored(scores.weight[:nodes, :nodes].astype(np.float64), layers.scores(around.late[:nodes]))


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
