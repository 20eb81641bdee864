"""Files in parts that can be read apart, whose sentences together are those of the file.

A treebank is cut between sentences, so that each part is a treebank. Raw text is cut between characters; what
sentences its parts have then, `Segmenter.segment_part` says.
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

# How large a part is: some 800 words, which are parsed in 60 ms. Smaller ones cost more, since fewer of their
# sentences are parsed at once; of larger ones more is done twice where processes die.
SENTENCES: Final = 48  # of a treebank; a multiple of how many are parsed at once
BYTES: Final = 1 << 12  # of raw text


class FilePart(NamedTuple):
    """Some bytes of the text in a file."""

    path: str
    name: str  # what messages call the file
    is_treebank: bool
    start: int
    stop: int
    first_line: int  # the number of the line that stands at `start`


class CutFile(NamedTuple):
    """A file in parts, and the digest of its text."""

    parts: list[FilePart]
    digest: str

    @property
    def size(self) -> int:
        """The bytes of its text."""
        return self.parts[-1].stop if self.parts else 0


def cut_file(name: str, is_treebank: bool) -> CutFile:
    """The parts of a file, which is read to its end for them."""
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
    """InputError if this is a pipe or a device: its text comes once, and parts are read when all are cut."""
    if os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)):
        raise InputError(f"{name} is a pipe or a device, not a file: write its text into a file first")


class _SentencesOfPart:
    """Tells where a part of a treebank begins, as lines come."""

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
    """Tells where a part of raw text begins, as lines and pieces of long ones come."""

    def __init__(self) -> None:
        self.longest_piece = BYTES
        self._bytes = 0

    def with_piece(self, piece: bytes) -> bool:
        is_first = self._bytes >= BYTES and not _goes_on(piece[0])
        self._bytes = len(piece) + (0 if is_first else self._bytes)
        return is_first


def _goes_on(byte: int) -> bool:
    """Whether a byte of UTF-8 goes on with a character."""
    return byte & 0xC0 == 0x80


@contextmanager
def opened_at(place: int, path: str, name: str) -> Iterator[ByteStream]:
    """A file from some byte of its text on."""
    with system_errors_named(f"read {name}"), _opened(path) as stream:
        stream.seek(place)
        yield stream


def _opened(path: str) -> AbstractContextManager[ByteStream]:
    if path.endswith(".gz"):
        return nullcontext(_unpacked(path, os.stat(path).st_mtime_ns))
    return open(path, "rb")


@lru_cache(maxsize=1)
def _unpacked(path: str, changed: int) -> gzip.GzipFile:
    """A compressed file, which stays open, so that nothing is unpacked again for the next part."""
    return gzip.open(path)


def sentences_of_treebank(part: FilePart) -> Generator[Sentence]:
    """The sentences of a part of a treebank. To be closed."""
    with opened_at(part.start, part.path, part.name) as stream:
        yield from read_sentences(_Section(stream, part), first_line=part.first_line)


class _Section:
    """The lines of a part."""

    def __init__(self, stream: ByteStream, part: FilePart) -> None:
        self.name = part.name
        self._stream = stream
        self._left = part.stop - part.start

    def readline(self, limit: int, /) -> bytes:
        line = self._stream.readline(min(limit, self._left))
        self._left -= len(line)
        return line
