"""Sentences whose heads are all known: needed for scores, not for training."""

from __future__ import annotations

from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import InputError, is_projective


def whole_tree(sentence: Sentence) -> list[int]:
    """Return the head of every word; an InputError says where one is unknown, or names a cycle."""
    heads = sentence.heads
    known = [head for head in heads if head is not None]
    if len(known) < len(heads):
        what = "the head _ has to be a number, scores need whole trees"
        raise InputError(f"{what}, at {sentence.where(heads.index(None) + 1, 'head')}")
    with complaints_placed(sentence):
        is_projective(known)  # refuses cycles
    return known
