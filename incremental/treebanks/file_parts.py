"""Parts of files that can be read separately, whose sentences together are those of the file.

A treebank is cut between sentences, so each part is a treebank. Raw text is cut between characters;
`Segmenter.segment_part` defines the sentences of its parts.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache, partial
from typing import Final, NamedTuple

from treewhile.incremental.output_files import ByteStream, system_errors_named
from treewhile.incremental.treebanks.treebank import LONGEST_LINE, Sentence, read_sentences
from treewhile.oracles.errors import InputError

# Sizes of parts: some 800 words, which are parsed in 60 ms. Smaller ones cost more, since fewer sentences are
# parsed at once; larger ones repeat more work if processes die.
SENTENCES: Final = 48  # of a treebank; a multiple of the number parsed at once
BYTES: Final = 1 << 12  # of raw text


class FilePart(NamedTuple):
    """Range of bytes in the text of a file."""

    path: str
    name: str  # name of the file in messages
    is_treebank: bool
    start: int
    stop: int
    first_line: int  # number of the line at `start`


class CutFile(NamedTuple):
    """File cut into parts, and the digest of its text."""

    parts: list[FilePart]
    digest: str

    @property
    def size(self) -> int:
        """Number of bytes of the text."""
        return self.parts[-1].stop if self.parts else 0


def cut_file(name: str, is_treebank: bool) -> CutFile:
    """Return the parts of a file, which is read to its end."""
    check_is_file(name)
    digest = hashlib.sha256()
    begins_part = _SentencesOfPart() if is_treebank else _BytesOfPart()
    starts, reached, line = [(0, 1)], 0, 1
    with opened_at(0, name, name) as stream:
        for piece in iter(partial(stream.readline, begins_part.longest_piece), b""):
            if begins_part.with_piece(piece):
                starts.append((reached, line))
            digest.update(piece)
            reached, line = reached + len(piece), line + piece.endswith(b"\n")
    path, stops = os.path.abspath(name), [*(start for start, _ in starts[1:]), reached]
    parts = [
        FilePart(path, name, is_treebank, start, stop, first_line)
        for (start, first_line), stop in zip(starts, stops, strict=True)
    ]
    return CutFile(parts if reached else [], digest.hexdigest())


def check_is_file(name: str) -> None:
    """Refuse a pipe or a device: its text can only be read once, but parts are read after cutting."""
    if os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)):
        raise InputError(f"{name} is a pipe or a device, not a file: write its text into a file first")


class _SentencesOfPart:
    """Detector of the begins of treebank parts, line by line."""

    def __init__(self) -> None:
        self.longest_piece = LONGEST_LINE + 1
        self._begun = 0
        self._was_blank = True

    def with_piece(self, piece: bytes) -> bool:
        begins_sentence = self._was_blank and not piece.isspace()
        is_first = begins_sentence and self._begun > 0 and self._begun % SENTENCES == 0
        self._begun += begins_sentence
        self._was_blank = piece.isspace()
        return is_first


class _BytesOfPart:
    """Detector of the begins of raw text parts, by lines and pieces of long ones."""

    def __init__(self) -> None:
        self.longest_piece = BYTES
        self._bytes = 0

    def with_piece(self, piece: bytes) -> bool:
        is_first = self._bytes >= BYTES and not _goes_on(piece[0])
        self._bytes = len(piece) + (0 if is_first else self._bytes)
        return is_first


def _goes_on(byte: int) -> bool:
    """Return whether a byte of UTF-8 continues a character."""
    return byte & 0xC0 == 0x80


@contextmanager
def opened_at(place: int, path: str, name: str) -> Iterator[ByteStream]:
    """Open a file at some byte of its text."""
    with system_errors_named(f"read {name}"), _opened(path) as stream:
        stream.seek(place)
        yield stream


def _opened(path: str) -> AbstractContextManager[ByteStream]:
    if path.endswith(".gz"):
        return nullcontext(_unpacked(path, os.stat(path).st_mtime_ns))
    return open(path, "rb")


@lru_cache(maxsize=1)
def _unpacked(path: str, changed: int) -> gzip.GzipFile:
    """Return a compressed file, which stays open, so that the next part unpacks nothing again."""
    return gzip.open(path)


def sentences_of_treebank(part: FilePart) -> Generator[Sentence]:
    """Yield the sentences of a part of a treebank. To be closed."""
    with opened_at(part.start, part.path, part.name) as stream:
        yield from read_sentences(_Section(stream, part), first_line=part.first_line)


class _Section:
    """Line source that ends with a part."""

    def __init__(self, stream: ByteStream, part: FilePart) -> None:
        self.name = part.name
        self._stream = stream
        self._left = part.stop - part.start

    def readline(self, limit: int, /) -> bytes:
        line = self._stream.readline(min(limit, self._left))
        self._left -= len(line)
        return line
