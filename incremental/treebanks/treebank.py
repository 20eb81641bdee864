r"""CoNLL-U treebanks as a lazy stream of sentences that are written back byte for byte.

The format is https://universaldependencies.org/format.html. A sentence keeps its lines unchanged, with any
contents of comments, ranges, empty nodes and columns, and with either line end. The `conllu` package parses
values on demand; its reader is not used, since it strips lines, splits at double spaces and merges comments.
Lines end at "\n" alone, unlike in `str.splitlines`: U+0085 and U+2028 can be inside words.
"""

from __future__ import annotations

import errno
import gzip
import io
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from conllu.models import Metadata, Token, TokenList
from conllu.parser import DEFAULT_FIELD_PARSERS, DEFAULT_FIELDS, parse_comment_line

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError

# Limits for a line and a sentence in bytes: far above any treebank, far below the memory of any machine.
LONGEST_LINE = 1 << 20
LONGEST_SENTENCE = 16 << 20

COLUMNS = frozenset(DEFAULT_FIELDS)
LINE_ENDS = frozenset("\n\r\0")
CUTS = LINE_ENDS | {"\t"}

NEW = "the given words"  # used as the name of a file
BLANK_COLUMNS = "\t_" * (len(DEFAULT_FIELDS) - 2)

RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")


class LineSource(Protocol):
    """Interface of a source of lines: a binary stream, or a wrapper."""

    def readline(self, limit: int, /) -> bytes: ...


class _LinesOfText:
    """Wrapper of a text stream as a binary one."""

    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream = stream

    def readline(self, limit: int, /) -> bytes:
        return self._stream.readline(limit).encode(errors="surrogatepass")  # refused later


Source: TypeAlias = str | Path | LineSource | io.TextIOBase


class Word(NamedTuple):
    """Syntactic word: its ten columns as in the file, and the number of its line there."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str
    line: int


@dataclass(frozen=True, slots=True)
class Sentence:
    r"""Sentence as in a file; `str` gives exactly that text, a change gives a new sentence.

    Blank lines belong to the sentence before them, those at the start of a file to its first one. `header`
    has the lines of comments, `rows` those of words, ranges and empty nodes, each without its "\n"; a "\r"
    before that stays. Words are numbered from 1, as in the file.
    """

    blank_before: str
    header: tuple[str, ...]
    rows: tuple[str, ...]
    blank_after: str
    words: tuple[Word, ...]
    file_name: str
    first_row_line: int  # in the file as read, unaffected by added or removed comments

    @classmethod
    def of_words(cls, forms: Iterable[str]) -> Sentence:
        """Return a new sentence of these words; its text joins them by spaces, all other columns are `_`."""
        if isinstance(forms, str):
            raise InputError(f"the words are {forms!r:.40}, one text: give a list of words")
        rows = [
            f"{number}\t{_checked_form(form, number)}{BLANK_COLUMNS}" for number, form in enumerate(forms, 1)
        ]
        text = " ".join(row.split("\t")[1] for row in rows)
        lines = "\n".join([f"# text = {text}", *rows, ""])
        return _sentence(_Block("", lines.encode(errors="surrogatepass"), "\n", 1), NEW)

    def __str__(self) -> str:
        return self.blank_before + "\n".join([*self.header, *self.rows, self.blank_after])

    @property
    def comments(self) -> tuple[str, ...]:
        """Comments with their "#" and without line ends."""
        return tuple(line.removesuffix("\r") for line in self.header)

    @property
    def heads(self) -> list[int | None]:
        """Head of every word, 0 for the root, None for `_`."""
        return [None if word.head == "_" else int(word.head) for word in self.words]

    @property
    def empty_nodes(self) -> tuple[Word, ...]:
        """Rows of empty nodes, such as 4.1, in order."""
        lines = enumerate(self.rows, self.first_row_line)
        rows = [_row(row, self.file_name, line) for line, row in lines if "." in row.split("\t", 1)[0]]
        return tuple(rows)

    @property
    def tokens(self) -> TokenList:
        """Rows and comments with their values parsed by `conllu`, anew at every access."""
        metadata = Metadata(pair for comment in self.comments for pair in parse_comment_line(comment))
        return TokenList([_token(row) for row in self.rows], metadata, DEFAULT_FIELDS)

    def where(self, number: int, column: str) -> str:
        """Return the place of a word's column for an error message: `train.conllu:812, column HEAD`."""
        return f"{self.file_name}:{self.words[number - 1].line}, column {column.upper()}"

    def with_columns(self, changes: Mapping[int, Mapping[str, str]]) -> Sentence:
        """Return the sentence with changed columns: `with_columns({2: {"head": "3", "misc": "_"}})`."""
        words = dict(enumerate(self.words, 1))
        rows = list(self.rows)
        for number, columns in changes.items():
            if number not in words:
                what = f"there is no word {number!r:.40} to change: words are numbered from 1 to {len(words)}"
                raise InputError(f"{what}, in the sentence at {self.file_name}:{self.first_row_line}")
            self._check_columns(number, columns)
            at = words[number].line - self.first_row_line
            values: dict[str, Any] = dict(columns)
            rows[at] = "\t".join(words[number]._replace(**values)[:10]) + _carriage_return(rows[at])
        return replace(self, rows=tuple(rows), words=_words(rows, self.file_name, self.first_row_line))

    def with_rows_behind(self, rows: Iterable[str]) -> Sentence:
        """Return the sentence with more rows after its last one: empty nodes, or further words."""
        added = [row + _carriage_return(self.rows[-1]) for row in rows]
        for row in added:
            _refuse_line_ends(row.removesuffix("\r"), f"{self.file_name}:{self.first_row_line}")
        all_rows = (*self.rows, *added)
        return replace(self, rows=all_rows, words=_words(all_rows, self.file_name, self.first_row_line))

    def _check_columns(self, number: int, columns: Mapping[str, str]) -> None:
        """Refuse invalid columns of a word."""
        if not columns.keys() <= COLUMNS:
            wrong = next(name for name in columns if name not in COLUMNS)
            right = ", ".join(DEFAULT_FIELDS)
            what = f"there is no column {wrong!r:.40} to change: use {right}"
            raise InputError(f"{what}, at {self.file_name}:{self.words[number - 1].line}")
        for column, value in columns.items():
            if not isinstance(value, str):
                place = self.where(number, column)
                raise InputError(f"the new text of a column is {value!r:.40}: give a text, at {place}")
            if _has_line_end(value):
                _refuse_line_ends(value, self.where(number, column))

    def with_comment(self, comment: str) -> Sentence:
        """Return the sentence with `comment`, which begins with "#", after its other comments."""
        place = f"{self.file_name}:{self.first_row_line}"
        _refuse_line_ends(comment, place)
        if not comment.startswith("#"):
            raise InputError(f"the comment {_quoted(comment)} has to begin with #, at {place}")
        return replace(self, header=(*self.header, comment + _carriage_return(self.rows[0])))

    def without_comment(self, comment: str) -> Sentence:
        return replace(self, header=tuple(line for line in self.header if line.removesuffix("\r") != comment))


Complain: TypeAlias = Callable[[InputError], None]


def read_sentences(source: Source, complain: Complain | None = None) -> Iterator[Sentence]:
    """Yield the sentences of a file (compressed if named `.gz`), of standard input (`-`) or of a stream.

    A stream is of bytes or of text.

    Each sentence is checked, and yielded when the next one begins: only then are the blank lines between them
    known. An invalid one ends the reading, or is passed to `complain`, if given, and skipped.
    """
    name = source_name(source)
    with system_errors_named(f"read {name}"), opened_source(source) as stream:
        yield from _sentences(stream, name, complain)


def source_name(source: Source) -> str:
    """Return the name of a source in messages."""
    if isinstance(source, (str, Path)):
        return "standard input" if str(source) == "-" else str(source)
    return str(getattr(source, "name", "the given stream"))


@contextmanager
def opened_source(source: Source) -> Iterator[LineSource]:
    """Open the stream of bytes behind a source, which is closed after the block if it was opened here."""
    if isinstance(source, io.TextIOBase):
        yield _LinesOfText(source)
    elif hasattr(source, "readline"):
        yield source
    elif not isinstance(source, (str, Path)):
        what = f"a treebank is read from the path of a file or from a stream, and {source!r:.40} is neither"
        raise InputError(f"{what}: give one of these")
    elif str(source) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed")
        yield sys.stdin.buffer
    elif str(source).endswith(".gz"):
        with gzip.open(source) as compressed:
            yield compressed
    else:
        with open(source, "rb") as file:
            yield file


def _sentences(stream: LineSource, file_name: str, complain: Complain | None) -> Iterator[Sentence]:
    for block in _blocks(stream, file_name):
        try:
            sentence = _sentence(block, file_name)
        except InputError as error:
            if complain is None:
                raise
            complain(error)
        else:
            yield sentence


class _Block(NamedTuple):
    """Lines of a sentence, and the blank lines around it that belong to it."""

    blank_before: str
    lines: bytes
    blank_after: str
    first_line: int  # its number


def _blocks(stream: LineSource, file_name: str) -> Iterator[_Block]:
    lines = iter(partial(stream.readline, LONGEST_LINE + 1), b"")
    blank_before, text = "", b""
    line = first_line = 1
    for is_blank, run in groupby(lines, key=bytes.isspace):
        run_bytes = _joined(run, file_name, line)
        if not is_blank:
            text, first_line = run_bytes, line
        elif not text:
            blank_before = run_bytes.decode()
        elif run_bytes.endswith(b"\n"):
            yield _Block(blank_before, text, run_bytes.decode(), first_line)
            blank_before, text = "", b""
        line += run_bytes.count(b"\n")
    if text:
        decoded(text, file_name, first_line)  # reports an error in the text first
        raise _problem("the file is cut short, a blank line has to end its last sentence", file_name, line)
    if blank_before:
        raise _problem("the file has nothing but blank lines, where sentences have to stand", file_name, 1)


def _joined(run: Iterable[bytes], file_name: str, first_line: int) -> bytes:
    """Return the lines of a run in one piece, whose size is limited."""
    lines = bytearray()
    for line, line_bytes in enumerate(run, first_line):
        lines += line_bytes
        if len(line_bytes) > LONGEST_LINE:
            start = _quoted(line_bytes[:160].decode(errors="replace"))
            what = f"the line that begins with {start} has to be shorter, at most {LONGEST_LINE} bytes"
            raise _problem(what, file_name, line)
        if len(lines) > LONGEST_SENTENCE:
            what = f"no sentence and no run of blank lines may have more than {LONGEST_SENTENCE} bytes"
            raise _problem(what, file_name, first_line)
    return bytes(lines)


def _checked_form(form: str, number: int) -> str:
    """Return the form of a new word; refuse one that cannot be in a column."""
    if not isinstance(form, str) or not form or not CUTS.isdisjoint(form):
        what = f"word {number} is {form!r:.40}: give a text of a character or more"
        raise InputError(f"{what}, without tabs and line ends")
    return form


def decoded(lines: bytes, file_name: str, first_line: int) -> str:
    """Return the text of lines of a file, in UTF-8; refuse a byte order mark and NUL."""
    if lines.startswith(BOM_UTF8):
        what = "a byte order mark stands here, save the file without it"
        raise _problem(what, file_name, first_line, "byte 1")
    try:
        text = lines.decode()
        bad = lines.find(0)
    except UnicodeDecodeError as error:
        bad = error.start
    if bad < 0:
        return text
    line = first_line + lines.count(b"\n", 0, bad)
    byte = bad - lines.rfind(b"\n", 0, bad)
    what = f"the byte 0x{lines[bad]:02x} is no part of a text in UTF-8, save the file as UTF-8"
    raise _problem(what, file_name, line, f"byte {byte}")


def _sentence(block: _Block, file_name: str) -> Sentence:
    lines = decoded(block.lines, file_name, block.first_line)[:-1].split("\n")
    header = tuple(takewhile(lambda line: line.startswith("#"), lines))
    rows = tuple(lines[len(header) :])
    first_row_line = block.first_line + len(header)
    words = _words(rows, file_name, first_row_line)
    return Sentence(block.blank_before, header, rows, block.blank_after, words, file_name, first_row_line)


def _words(rows: Sequence[str], file_name: str, first_line: int) -> tuple[Word, ...]:
    """Return the words among the rows, and check every row."""
    parsed = [_row(row, file_name, line) for line, row in enumerate(rows, first_line)]
    _check_ids(parsed, file_name)
    words = tuple(row for row in parsed if row.id.isdigit())
    if not words:
        raise _problem("the sentence has no words, add some or delete its lines", file_name, first_line)
    _check_heads(parsed, words, file_name)
    return words


def _row(row: str, file_name: str, line: int) -> Word:
    return Word._make((*_columns(row, file_name, line), line))


def _columns(row: str, file_name: str, line: int) -> list[str]:
    columns = row.removesuffix("\r").split("\t")
    if row.startswith("#"):
        what = f"the comment {_quoted(row)} has to stand before the words of its sentence"
        raise _problem(what, file_name, line)
    if len(columns) != len(DEFAULT_FIELDS):
        what = f"the row {_quoted(row)} has to have 10 columns with tabs between them, not {len(columns)}"
        raise _problem(what, file_name, line)
    if "" in columns:
        column = DEFAULT_FIELDS[columns.index("")].upper()
        what = "an empty column has to be filled, with _ if it has no value"
        raise _problem(what, file_name, line, f"column {column}")
    return columns


def _check_ids(rows: Iterable[Word], file_name: str) -> None:
    """Check that words count from 1, ranges precede their words, and empty nodes follow as n.1, n.2."""
    words = empty_nodes = range_end = range_line = 0
    for row in rows:
        if row.id == str(words + 1):
            words, empty_nodes = words + 1, 0
        elif row.id == f"{words}.{empty_nodes + 1}":
            empty_nodes += 1
        elif range_end <= words < (end := _range_end(row.id, start=words + 1)):
            range_end, range_line = end, row.line
        else:
            right = f"the word {words + 1}, the empty node {words}.{empty_nodes + 1}"
            right += f" or a range of words from {words + 1} on" if range_end <= words else ""
            what = f"the id {_quoted(row.id)} stands where only {right} can"
            raise _problem(what, file_name, row.line, "column ID")
    if range_end > words:
        what = f"the range has to end within the sentence, at word {words} or before it"
        raise _problem(what, file_name, range_line, "column ID")


def _range_end(id_: str, start: int) -> int:
    """Return the last word of a range that begins with word `start`, 0 if `id_` is no such range."""
    match = RANGE.fullmatch(id_)
    return int(match[2]) if match and int(match[1]) == start else 0


def _check_heads(rows: Iterable[Word], words: Sequence[Word], file_name: str) -> None:
    """Check that a word's head is `_`, 0 or another word, and that other rows have none."""
    heads = {"_", "0", *(word.id for word in words)}
    for row in rows:
        if row.head in heads and row.head != row.id and (row.head == "_" or row.id in heads):
            continue
        right = f"_ or a number from 0 to {len(words)} but not {row.id}" if row.id in heads else "_"
        what = f"the head {_quoted(row.head)} of {row.id} has to be {right}"
        raise _problem(what, file_name, row.line, "column HEAD")


def _token(row: str) -> Token:
    """Return the row parsed as by `conllu`, but without splitting at double spaces."""
    columns = row.removesuffix("\r").split("\t")
    token = Token(zip(DEFAULT_FIELDS, columns, strict=True))
    for at, field in enumerate(DEFAULT_FIELDS):
        if field in DEFAULT_FIELD_PARSERS:
            token[field] = DEFAULT_FIELD_PARSERS[field](columns, at)
    return token


def _carriage_return(row: str) -> str:
    return "\r" if row.endswith("\r") else ""


def _has_line_end(text: str) -> bool:
    return not LINE_ENDS.isdisjoint(text)


def _refuse_line_ends(text: str, place: str) -> None:
    if _has_line_end(text):
        raise InputError(f"the new text {_quoted(text)} may not have a line end or NUL in it, at {place}")


def _problem(what: str, file_name: str, line: int, detail: str = "") -> InputError:
    return InputError(f"{what}, at {file_name}:{line}" + (f", {detail}" if detail else ""))


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= 40 else repr(text[:40]) + "..."
