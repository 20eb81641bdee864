"""Sentences of parts of files, treebanks and raw text; `text_sources` reads whole files."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from itertools import chain

from treewhile.incremental.output_files import ByteStream, system_errors_named
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.text_sources import Lines, as_treebank, decoded, is_treebank, segmenter_of
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.treebanks.file_parts import (
    CutFile,
    FilePart,
    check_is_file,
    cut_file,
    opened_at,
    sentences_of_treebank,
)
from treewhile.incremental.treebanks.treebank import Sentence, opened_source

# Context of a text's part in bytes: at first before it, and at a time behind it.
BEFORE, BEHIND = 1 << 9, 1 << 12


def cut_any(name: str) -> CutFile:
    """Return the parts of a treebank or of raw text."""
    check_is_file(name)
    with system_errors_named(f"read {name}"), opened_source(name) as stream:
        as_treebank_file = is_treebank(name, Lines(stream, name, lambda read: None))
    return cut_file(name, as_treebank_file)


def sentences_of_part(part: FilePart, model: Model) -> Generator[Sentence]:
    """Yield the sentences of a part; in raw text, each part numbers them from 1. To be closed."""
    return sentences_of_treebank(part) if part.is_treebank else _sentences_of_text(part, model)


def _sentences_of_text(part: FilePart, model: Model) -> Generator[Sentence]:
    segmenter = segmenter_of(model, part.name)
    with opened_at(0, part.path, part.name) as stream:
        before = _text_before(stream, part, segmenter)
        stream.seek(part.start)
        pieces = chain([stream.read(part.stop - part.start)], iter(partial(stream.read, BEHIND), b""))
        texts = decoded(pieces, part.name, part.first_line)
        yield from as_treebank(segmenter.segment_part(before, next(texts), texts), part.name)


def _text_before(stream: ByteStream, part: FilePart, segmenter: Segmenter) -> str:
    """Return as much text before a part as its segmentation needs; bytes that are no text are replaced."""
    begin, text = part.start, ""
    while begin > 0 and not segmenter.knows_enough(text):
        begin = max(0, 2 * begin - part.start - BEFORE)
        stream.seek(begin)
        text = stream.read(part.start - begin).decode(errors="replace")
    return text
