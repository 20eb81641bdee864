"""What a model that knows triples says of whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.second_order_decoding import Scored
from treewhile.incremental.parsers.triple_layers import TripleLayers
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT
from treewhile.oracles.errors import InputError


def snapshot_of(
    model: Model, words: Sequence[str], values: Sequence[Iterable[str]] | None = None
) -> Snapshot:
    """A whole sentence, as a growing parse would have it at its end."""
    tops = model.network.causal.states(model.gates(words, FROM_LEFT, values), [len(words)]).top
    told = None if values is None else tuple(tuple(of_word) for of_word in values)
    return Snapshot(tuple(words), tops, is_open=False, values=told)


def scored_by(model: Model, kind: str, snapshot: Snapshot) -> Scored:
    """The scores of arcs, and of triples of a kind that the model knows, in a whole sentence."""
    layers, arcs = triples_of(model, kind), model.network.arcs
    gates = model.gates(snapshot.words, FROM_RIGHT, snapshot.values)
    around = model.network.surroundings.around(snapshot.tops, gates, [len(snapshot.words)], [False])
    nodes = 1 + len(snapshot.words)  # without the end
    scores = arcs.scores(around)[0][:nodes, :nodes]
    return Scored(scores.astype(np.float64), layers.scores(around.late[:nodes]))


def triples_of(model: Model, kind: str) -> TripleLayers:
    """The layers that score a kind of triples, which not every model has."""
    if kind not in model.triples:
        raise InputError(
            f"the model has no scores of {kind}: learn them with treewhile train --{kind}-of P --train A "
            "--dev B --out M, where P is this model"
        )
    return model.triples[kind]
