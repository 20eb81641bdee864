"""Raters of where sentences end that need no parser, to compare ours with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from completeness_baselines.end_trigrams import EndTrigrams
from treewhile.incremental import Sentence
from treewhile.incremental.scores.completeness_scores import said, written
from treewhile.server.commands.train.shown_runs import imported_training
from treewhile.server.terminal.completeness_scores import TEXTS, Rater, named

TRIGRAMS: Final = "trigrams"
WORDS_ALONE: Final = "three words, no syntax"


def baselines(sentences: Sequence[Sentence], seed: int = 1) -> dict[str, Rater]:
    """Learn raters that need no parser: trigrams of text of the same kind, and layers over the last words."""
    imported_training(1)
    from completeness_baselines.completeness_without_syntax import WordsAlone

    trigrams = {name: EndTrigrams(prefixes(sentences)) for name, prefixes in TEXTS.items()}
    words = WordsAlone([*said(sentences), *written(sentences)], seed)
    return {
        TRIGRAMS: lambda text, material: {"ends": trigrams[text].ends(material)},
        WORDS_ALONE: lambda _, material: named(words.chances(material)),
    }
