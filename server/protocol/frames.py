"""Frames of the websocket: events and messages of a session, and messages about the connection.

Both encodings carry the same Structs: JSON in text frames, msgpack in binary ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil
from random import uniform
from types import ModuleType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct

from treewhile.incremental.sessions.messages import (
    AnyEvent,
    AnyMessage,
    Append,
    Count,
    DocumentName,
    Edit,
    ErrorCode,
    ErrorMessage,
    Message,
    ModelName,
    Open,
    Positions,
)
from treewhile.oracles.trees.class_names import PROJECTIVE
from treewhile.server.errors import ProtocolError, RefusedFrameError, UndecodableError
from treewhile.server.protocol.close_codes import CloseCode

Seconds = Annotated[float, Meta(ge=0, le=3600)]
Token = Annotated[str, Meta(min_length=1, max_length=256)]
LONGEST_QUOTE: Final = 200  # characters of an error text that may quote a client
BACK_AFTER: Final = (1.0, 4.0)  # seconds, drawn between these so that not all come back at once

# Valid text with whole surrogate pairs, followed by half a pair or the end; all as escaped in JSON.
LONE_HALF: Final = re.compile(
    r"((?:[^\\]++|\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?!u[dD][89a-fA-F]).))*+)"
    r"(\\u[dD][89a-fA-F].{,2}|\\?\Z)",
    re.DOTALL,
)
HALF_A_PAIR: Final = "\uffff"  # replacement of half a pair, as an escape: valid in JSON, but no character


# --- from the client ----------------------------------------------------------------------------------------


class FromClient(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """Message of a client about the connection."""


class Hello(FromClient, frozen=True, tag="hello"):
    """Optional first message of a client; without it, all fields have their defaults.

    positions  utf16: all documents count in UTF-16 code units, whatever their `open` says
    heartbeat  longest silence of the client, in seconds; a client with nothing to say sends a ping
    resume     session to be resumed, from an earlier welcome
    model      name of one of the server's models, for documents that choose none
    token      token of the server, if it is not in the header Authorization
    """

    positions: Positions = "code_points"
    heartbeat: Seconds | None = None
    resume: Token | None = None
    model: ModelName | None = None
    token: Token | None = None


class Ping(FromClient, frozen=True, tag="ping"):
    """Request for a pong with the same number."""

    number: Count


Incoming: TypeAlias = Hello | Ping | AnyEvent


# --- from the server ----------------------------------------------------------------------------------------


class HeldDocument(Struct, frozen=True, omit_defaults=True):
    """Document of a resumed session, with all changes up to a version.

    sentences  number of sentences so far; each is sent in full, and changes of their number are sent, too
    model      name of the model that it was opened with; by default that of the session
    """

    document: DocumentName
    version: int
    sentences: int
    model: str | None = None


Ability: TypeAlias = Literal["constituents", "completeness", "lemmas", "mistakes"]
ABILITIES: Final[tuple[Ability, ...]] = get_args(Ability)


class WireLimits(Struct, frozen=True):
    """Limits for clients.

    message_bytes      in a message; a longer one ends the connection
    messages_a_second  once a `burst` is used up; further messages wait
    burst              messages at once, after a quiet time
    documents          open at a time
    characters         in all documents together; a given word counts as eight
    text_characters    in a document of text
    words              in a document of words
    word_characters    in a given word
    sentence_words     in a sentence of given words; in a text, a longer sentence is cut
    sentences          in a document; a text with more is closed
    gold_heads         in a sentence
    requests           waiting requests about a document
    grammar_characters  in the text of a grammar, which counts in `characters`, too
    """

    message_bytes: int
    messages_a_second: float
    burst: int
    documents: int
    characters: int
    text_characters: int
    words: int
    word_characters: int
    sentence_words: int
    sentences: int
    gold_heads: int
    requests: int
    grammar_characters: int


class Welcome(Message, frozen=True, tag="welcome"):
    """Answer to hello.

    session    token that resumes this session after a lost connection, within `resume_seconds`
    epoch      how many connections it has had
    resumed    true for the requested session; its documents follow, with all analyses in full. If false,
               that session is gone: open the documents again
    heartbeat  agreed heartbeat; after two of them without a message the server closes
    model      the session's own model, of documents that choose none
    models     models that hello and documents can name, the default first
    languages  codes of the languages of these models, by their names; empty where unknown
    abilities  what each of them knows, by their names: "constituents", ends of sentences, "completeness",
               "lemmas" with XPOS, and "mistakes", if its grammar has messages about its language
    grammars   names of the grammars that documents of each of them can choose, by their names; those of files
               that the server was given come first
    edits_grammars  true if documents may bring grammars of their own; by default false
    labels     labels of arcs that each of them knows, the most frequent first; empty where unknown
    tags       likewise parts of speech
    trees      class of trees of the model's best parses; by default projective
    constituents  true if the model has constituents; by default false
    completeness  true if the model predicts ends of sentences; by default false
    language   code of the model's language; by default unknown
    """

    session: str
    epoch: int
    resumed: bool
    documents: list[HeldDocument]
    heartbeat: float | None
    model: str
    models: list[str]
    languages: dict[str, str]
    abilities: dict[str, list[Ability]]
    grammars: dict[str, list[str]]
    labels: dict[str, list[str]]
    tags: dict[str, list[str]]
    limits: WireLimits
    resume_seconds: float
    server: str
    trees: str = PROJECTIVE
    constituents: bool = False
    completeness: bool = False
    language: str = ""
    edits_grammars: bool = False


class Readiness(Message, frozen=True, tag="readiness"):
    """State of a server that is slow, since its parser is being compiled: sent after welcome, and on changes.

    levels     levels that can be had
    share      1 once all is ready, less before
    waits_for  sentence for people about the missing part; empty in the last message, once all is ready
    """

    levels: list[str]
    share: float
    waits_for: str


class Pong(Message, frozen=True, tag="pong"):
    """Answer to ping."""

    number: int


class Goodbye(Message, frozen=True, tag="goodbye"):
    """Last message before the server closes; `retry_after` is in seconds, null means not to retry."""

    code: int
    reason: str
    temporary: bool
    retry_after: float | None = None


Outgoing: TypeAlias = Welcome | Readiness | Pong | Goodbye | AnyMessage


def farewell(code: CloseCode) -> Goodbye:
    """Return the last message of a connection, whose reason says when to come back."""
    if not code.is_temporary:
        return Goodbye(code.number, code.reason, temporary=False)
    retry_after = round(uniform(*BACK_AFTER), 2)
    reason = f"{code.reason}; come back in {ceil(retry_after)} s"
    return Goodbye(code.number, reason, temporary=True, retry_after=retry_after)


# --- encodings ----------------------------------------------------------------------------------------------

READING_ERRORS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)


class NamedDocument(Struct, frozen=True):
    """Decoder type for the document that any frame names."""

    document: DocumentName | None = None


class NamedVersion(Struct, frozen=True):
    """Decoder type for the version that any frame names."""

    version: Count | None = None


class Encoding(NamedTuple):
    """Subprotocol: conversion of messages to frames, and of frames to messages."""

    name: str
    is_text: bool
    encode: Callable[[Outgoing], bytes]
    read: Callable[[Any], Incoming]
    skip: Callable[[Any], object]  # decodes any value and drops the result
    document_of: Callable[[Any], NamedDocument]
    version_of: Callable[[Any], NamedVersion]

    def decode(self, frame: str | bytes) -> Incoming:
        """Return the message of a frame; raise UndecodableError or RefusedFrameError if it is none."""
        if isinstance(frame, str) is not self.is_text:
            wanted = "text" if self.is_text else "binary"
            raise UndecodableError(f"the frame is of the wrong kind: {self.name} takes {wanted} frames")
        try:
            return self.read(frame)
        except READING_ERRORS as error:
            raise self._refusal(frame, error) from None

    def _refusal(self, frame: str | bytes, error: Exception) -> ProtocolError:
        """Return the error about a frame."""
        whole = with_whole_characters(frame) if isinstance(frame, str) else frame
        try:
            self.skip(whole)  # reading as a message stops at the first mistake
        except READING_ERRORS as unreadable:
            what = f"the frame cannot be read ({shortened(unreadable)})"
            return UndecodableError(f"{what}: send {self.name}")
        named = self._named(whole)
        if whole == frame:
            what = f"this is no message ({shortened(error)}): send one that the protocol names"
            return RefusedFrameError(ErrorMessage("bad_event", what, *named))
        return RefusedFrameError(self._told_of_half_a_pair(whole, named))

    def _named(self, frame: str | bytes) -> tuple[str | None, int | None]:
        """Return the document and the version that a frame names, as far as possible."""
        document, version = NamedDocument(), NamedVersion()
        with suppress(*READING_ERRORS):
            document = self.document_of(frame)
        with suppress(*READING_ERRORS):
            version = self.version_of(frame)
        return document.document, version.version

    def _told_of_half_a_pair(self, frame: str | bytes, named: tuple[str | None, int | None]) -> ErrorMessage:
        try:
            message = self.read(frame)
        except READING_ERRORS as error:
            what = f"this is no message ({shortened(error)}): send one that the protocol names"
            return ErrorMessage("bad_event", what, *named)
        for code, text in _texts_of(message):
            if HALF_A_PAIR in text:
                what = "the text" if code == "bad_text" else "a word"
                what = f"{what} has half a surrogate pair in it: send whole characters"
                return ErrorMessage(code, what, *named)
        what = "half a surrogate pair stands where there is no text: send whole characters"
        return ErrorMessage("bad_event", what, *named)


def with_whole_characters(frame: str) -> str:
    """Return JSON without escaped halves of surrogate pairs, which no text can hold."""
    mended = rf"\u{ord(HALF_A_PAIR):x}"
    return LONE_HALF.sub(lambda found: found[1] + (mended if "u" in found[2] else found[2]), frame)


def _texts_of(message: Incoming) -> Sequence[tuple[ErrorCode, str]]:
    """Return the texts of a message, each with the error code for that text."""
    found: list[tuple[ErrorCode, str]] = []
    if isinstance(message, Open | Edit):
        found.append(("bad_text", message.text or ""))
    if isinstance(message, Open | Append):
        found += (("bad_word", word) for word in message.words or ())
    return found


def shortened(error: Exception) -> str:
    """Return the text of an error, cut to a bounded length since it may quote a client."""
    said = str(error)
    return said if len(said) <= LONGEST_QUOTE else f"{said[:LONGEST_QUOTE]}..."


def _encoding(name: str, is_text: bool, codec: ModuleType) -> Encoding:
    """Return the subprotocol of a format of msgspec."""

    def reader(kind: Any) -> Callable[[Any], Any]:
        return codec.Decoder(kind).decode  # type: ignore[no-any-return]

    read, skip = reader(Incoming), reader(msgspec.Raw)
    return Encoding(
        name, is_text, codec.Encoder().encode, read, skip, reader(NamedDocument), reader(NamedVersion)
    )


JSON: Final = _encoding("treewhile.v1+json", True, msgspec.json)
MSGPACK: Final = _encoding("treewhile.v1+msgpack", False, msgspec.msgpack)
ENCODINGS: Final = {encoding.name: encoding for encoding in (JSON, MSGPACK)}
