"""Treebanks of a training: sentences to learn from, sentences to score on, and trees of phrases."""

from __future__ import annotations

from collections.abc import Sequence

import click

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.constituents.plain_phrases import plain_tree
from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.server.terminal.progress_bars import read_phrases_with_progress


def read_parts(train: Sequence[str], dev: str, skip_bad: bool) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences to learn from and to score on; with `skip_bad`, unusable ones are left out."""
    if not skip_bad:
        return [one for source in train for one in read_sentences(source)], [*read_sentences(dev)]
    skipped = {"training": SkippedSentences(), "dev": SkippedSentences()}
    sentences = [*skipped["training"].read(train, check_trainable)]
    gold = [*skipped["dev"].read([dev], check_scorable)]
    for part, left_out in skipped.items():
        for kind, problems in left_out.by_kind().items():
            amount = f"{len(problems)} sentence{'s' * (len(problems) > 1)}"
            click.echo(f"skipped {amount} of the {part} part, {kind}; the first: {problems[0]}", err=True)
    return sentences, gold


def phrases_to_learn(sources: Sequence[str]) -> list[Phrase]:
    """Return the plain trees of treebanks to learn from."""
    return [tree for source in sources for tree in plain_phrases(source, "reading what to learn from")]


def phrases_to_score(source: str) -> list[Phrase]:
    """Return the plain trees of a treebank to score on."""
    return plain_phrases(source, "reading what to score on")


def plain_phrases(source: str, task: str) -> list[Phrase]:
    """Return the plain trees of a treebank; raise InputError if there are none."""
    trees = [plain_tree(tree).phrase for tree in read_phrases_with_progress(source, task)]
    if not trees:
        raise InputError(f"{source} has no trees: give another file")
    return trees
