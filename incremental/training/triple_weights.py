"""How much triples count beside arcs: as much as gives the most right heads on the dev part.

They are learnt given the right heads of all other words, and beside arcs from which much was dropped. Where
other heads may be wrong, and arcs are surer, they would count too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, SIBLINGS, UNITS
from treewhile.incremental.parsers.parsed_treebank import values_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_decoding import COLUMNS, Scored
from treewhile.incremental.parsers.second_order_parsing import scored_by, snapshot_of
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt

WEIGHTS: Final = (1.0, 0.5, 0.25, 0.125)  # of equally good ones the first
COLUMN_OF: Final = {SIBLINGS: "projective + siblings", GRANDPARENTS: "gap-minding + grandparents"}


def weighed_triples(model: Model, dev: Sequence[Sentence]) -> dict[str, Any]:
    """What a model file says of each kind of triples, of which the model has all with the weight 1."""
    return {kind: _weighed(model, kind, dev) for kind in model.triples}


def scores_by_triples(model: Model, dev: Sequence[Sentence]) -> dict[str, float]:
    """UAS, in percent, by the one kind of triples that a model knows."""
    (kind,) = model.triples
    right = sum(_right_heads(kind, _scored(model, kind, sentence), sentence) for sentence in dev)
    return {"UAS": 100 * right / sum(len(sentence.words) for sentence in dev)}


def _weighed(model: Model, kind: str, dev: Sequence[Sentence]) -> dict[str, Any]:
    words = sum(len(sentence.words) for sentence in dev)
    right = dict.fromkeys(WEIGHTS, 0)
    for sentence in dev:
        scored = _scored(model, kind, sentence)
        for weight in WEIGHTS:
            weighted = scored._replace(triples=weight * scored.triples)
            right[weight] += _right_heads(kind, weighted, sentence)
    best = max(WEIGHTS, key=lambda weight: right[weight])
    return {"units": UNITS, "weight": best, "UAS": round(100 * right[best] / words, 2)}


def _scored(model: Model, kind: str, sentence: Sentence) -> Scored:
    words = [word.form for word in sentence.words]
    return scored_by(model, kind, snapshot_of(model, words, values_of(model, sentence)))


def _right_heads(kind: str, scored: Scored, sentence: Sentence) -> int:
    heads = COLUMNS[COLUMN_OF[kind]][1](scored, Interrupt())
    assert heads is not None  # nobody interrupts
    return sum(head == gold for head, gold in zip(heads.tolist(), sentence.heads, strict=True))
