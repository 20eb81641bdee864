"""Parsing of files of sentences into files of phrase trees, with progress and speed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from time import perf_counter

from rich.progress import DownloadColumn

from treewhile.incremental.constituents.bracketed_trees import on_one_line
from treewhile.incremental.constituents.given_sentences import GivenSentence, read_given
from treewhile.incremental.constituents.phrase_parsers import PhraseParser
from treewhile.incremental.output_files import open_output
from treewhile.server.terminal.progress_bars import progress_bar, size_of

# Number of sentences of a file parsed together; from standard input, a reader may wait for each.
AT_ONCE = 16


def parse_phrases(parser: PhraseParser, source: str, target: str) -> str:
    """Parse the sentences of a source into a target, and return a text with their number and the speed."""
    sentences = words = 0
    seconds = 0.0
    shares_terminal = target == "-" and sys.stdout is not None and sys.stdout.isatty()
    with (
        progress_bar("parsing", size_of(source), DownloadColumn(), hidden=shares_terminal) as advance,
        open_output(target) as output,
        closing(read_given(source, advance)) as given,
    ):
        for group in _groups(given, 1 if source == "-" else AT_ONCE):
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


def _groups(sentences: Iterator[GivenSentence], size: int) -> Iterator[list[GivenSentence]]:
    while group := [*islice(sentences, size)]:
        yield group
