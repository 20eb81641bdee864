"""How good the trees are that triples lead to, while these alone are learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, SIBLINGS
from treewhile.incremental.parsers.parsed_treebank import values_of
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.second_order_decoding import COLUMNS
from treewhile.incremental.parsers.second_order_parsing import scored_by
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.interrupts import Interrupt

COLUMN_OF: Final = {SIBLINGS: "projective + siblings", GRANDPARENTS: "gap-minding + grandparents"}


def scores_by_triples(model: Model, kind: str, dev: Sequence[Sentence]) -> dict[str, float]:
    """UAS, in percent, by triples of a kind."""
    right = sum(_right_heads(model, kind, sentence) for sentence in dev)
    return {"UAS": 100 * right / sum(len(sentence.words) for sentence in dev)}


def _right_heads(model: Model, kind: str, sentence: Sentence) -> int:
    words = [word.form for word in sentence.words]
    scored = scored_by(model, kind, snapshot_of(model, words, values_of(model, sentence)))
    heads = COLUMNS[COLUMN_OF[kind]][1](scored, Interrupt())
    assert heads is not None  # nobody interrupts
    return sum(head == gold for head, gold in zip(heads.tolist(), sentence.heads, strict=True))
