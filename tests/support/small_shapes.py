"""Shapes of networks that are small enough to be trained in a test."""

from __future__ import annotations

from treewhile.incremental.parsers.network_shapes import Shape

# Learns nothing worth having, in a moment.
SMALLEST = Shape(
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

# Learns a small language.
SMALL = Shape(
    form=24,
    ngrams=16,
    character=16,
    spelling=24,
    values=16,
    state=64,
    tagger=32,
    arc=48,
    label=32,
    steps=64,
    awaiting=62,
)
