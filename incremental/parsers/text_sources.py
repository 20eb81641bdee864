"""Sentences to parse, from files and streams of either kind: treebanks in CoNLL-U, or raw text.

A source whose name ends in `.conllu` or `.conllu.gz` is a treebank. Other sources are detected by their first
lines: a treebank begins with comments, if any, and a row. Raw text becomes sentences in CoNLL-U with empty
columns. Either is read as a stream, line by line, and each sentence is yielded as soon as its end is certain.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from treewhile.incremental.output_files import system_errors_named
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.text_words import TextSentence
from treewhile.incremental.treebanks.treebank import (
    LONGEST_LINE,
    LineSource,
    Sentence,
    opened_source,
    read_sentences,
    source_name,
)
from treewhile.oracles.errors import InputError

TREEBANK_NAMES = (".conllu", ".conllu.gz")
FIRST_ROW = re.compile(rb"1(-[0-9]+)?\t")

# A treebank has fewer comments and blank lines before its first row; text is not held back for longer.
MOST_LINES_BEFORE = 100


def read_any(source: str, model: Model, advance: Callable[[int], None]) -> Generator[Sentence]:
    """Yield the sentences of a treebank or of raw text, `-` being standard input.

    `advance` is called with the number of bytes of every line read. To be closed.
    """
    name = source_name(source)
    with system_errors_named(f"read {name}"), opened_source(source) as stream:
        lines = Lines(stream, name, advance)
        if is_treebank(source, lines):
            yield from read_sentences(lines)
        else:
            yield from sentences_of_text(segmenter_of(model, name), decoded(lines, name), name)


def is_treebank(source: str, lines: Lines) -> bool:
    """Return whether a source is a treebank, by its name or first lines."""
    return source.endswith(TREEBANK_NAMES) or begins_as_treebank(lines)


class Lines:
    """Lines of a stream, with lookahead."""

    def __init__(self, stream: LineSource, name: str, advance: Callable[[int], None]) -> None:
        self.name = name
        self._stream = stream
        self._advance = advance
        self._seen: deque[bytes] = deque()

    def readline(self, limit: int) -> bytes:
        """Return the next line, up to the limit, which must always be the same."""
        line = self._seen.popleft() if self._seen else self._stream.readline(limit)
        self._advance(len(line))
        return line

    def __iter__(self) -> Iterator[bytes]:
        """Return an iterator over the lines, or pieces of long ones."""
        return iter(partial(self.readline, LONGEST_LINE + 1), b"")

    def ahead(self) -> Iterator[bytes]:
        """Yield the lines to come without consuming them."""
        while line := self._stream.readline(LONGEST_LINE + 1):
            self._seen.append(line)
            yield line


def begins_as_treebank(lines: Lines) -> bool:
    """Return whether the first line that is neither blank nor comment is a treebank row, or missing."""
    number = 0
    for number, line in enumerate(lines.ahead(), 1):
        text = line.removeprefix(BOM_UTF8)
        if number > MOST_LINES_BEFORE or not (text.isspace() or text.startswith(b"#")):
            return FIRST_ROW.match(text) is not None
    return number == 0


def segmenter_of(model: Model, name: str) -> Segmenter:
    """Return the segmenter that raw text needs; an InputError says why there is none."""
    instead = f"give it a treebank in CoNLL-U instead of {name}, or use another model"
    if model.tags != "predicted":
        raise InputError(f"the model was trained on gold tags, which raw text has not: {instead}")
    if model.segmenter is None:
        raise InputError(
            f"the model was trained without raw text, so it cannot cut one into words: {instead}"
        )
    return model.segmenter


def decoded(pieces: Iterable[bytes], name: str) -> Iterator[str]:
    """Yield the text of pieces of a file."""
    decoder = getincrementaldecoder("utf-8")()
    line = 1
    for piece in chain(pieces, [b""]):
        try:
            yield decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            bad = f"the byte 0x{error.object[error.start]:02x} is no part of a text in UTF-8"
            place = f"{name}:{line + error.object.count(10, 0, error.start)}"
            raise InputError(f"{bad}, save the file as UTF-8, at {place}") from None
        line += piece.count(b"\n")


def sentences_of_text(segmenter: Segmenter, chunks: Iterable[str], name: str) -> Iterator[Sentence]:
    """Yield the sentences of raw text in CoNLL-U: numbered, and with the text in a comment."""
    for number, sentence in enumerate(segmenter.segment_stream(chunks), 1):
        comments = [f"# sent_id = {number}", f"# text = {surface(sentence)}"]
        yield sentence_of_lines([*comments, *sentence.rows()], name)


def sentence_of_lines(lines: Iterable[str], name: str) -> Sentence:
    """Return the sentence of these comments and rows."""
    stream: Any = io.BytesIO("\n".join([*lines, "", ""]).encode())
    stream.name = name
    [sentence] = read_sentences(stream)
    return sentence


def surface(sentence: TextSentence) -> str:
    """Return the text of a sentence, with white space normalized to single spaces."""
    return "".join(token.surface + " " * after for _, token, after in sentence.tokens()).rstrip(" ")
