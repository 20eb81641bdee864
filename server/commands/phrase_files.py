"""Parsing of files of sentences into files of phrase trees, with progress and speed."""

from __future__ import annotations

import sys
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

from rich.progress import DownloadColumn

from treewhile.incremental.constituents.bracketed_trees import on_one_line
from treewhile.incremental.constituents.given_sentences import read_given
from treewhile.incremental.output_files import open_output
from treewhile.server.commands.parse import groups
from treewhile.server.terminal.progress_bars import progress_bar, shares_terminal, size_of

if TYPE_CHECKING:
    from treewhile.incremental.constituents.phrase_parsers import PhraseParser


def parse_phrases(parser: PhraseParser, source: str, target: str) -> str:
    """Parse the sentences of a source into a target, and return a text with their number and the speed."""
    sentences = words = 0
    seconds = 0.0
    with (
        progress_bar("parsing", size_of(source), DownloadColumn(), hidden=shares_terminal(target)) as advance,
        open_output(target) as output,
        closing(read_given(source, advance)) as given,
    ):
        for group in groups(given, source):
            start = perf_counter()
            trees = parser.parse_all(group)
            seconds += perf_counter() - start
            sentences += len(group)
            words += sum(len(sentence.words) for sentence in group)
            output.write("".join(f"{on_one_line(tree)}\n" for tree in trees))
            if target == "-":
                sys.stdout.flush()  # a reader may be waiting for this sentence
    speed = f", {words / seconds:,.0f} words/s" if seconds else ""
    return f"{sentences:,} sentences, {words:,} words{speed}"
