"""Shapes of networks that are trained in a second, and learn what small treebanks have."""

from __future__ import annotations

from treewhile.incremental.parsers.network_shapes import Shape

SMALL = Shape(
    form=8,
    ngrams=8,
    character=8,
    spelling=8,
    values=8,
    state=16,
    tagger=8,
    arc=16,
    label=8,
    steps=8,
    awaiting=6,
)
