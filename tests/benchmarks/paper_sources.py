"""Treebanks that papers' tables are made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from treewhile.incremental import Sentence
from treewhile.server.terminal.progress_bars import read_with_progress


def sentences_of(source: str) -> Iterator[Sentence]:
    """Yield the sentences of a treebank, and show how far it has been read."""
    with closing(read_with_progress(source, "reading")) as sentences:
        yield from sentences


def language_of(source: str) -> str:
    """Return the code that the name of a treebank begins with."""
    return Path(source).name.partition("_")[0].partition("-")[0]
