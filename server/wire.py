"""What goes over a socket: the events and messages of a session as they are, and those of the connection.

Both encodings carry the same Structs: JSON in text frames, msgpack in binary ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct

from treewhile.incremental.sessions.messages import (
    AnyEvent,
    AnyMessage,
    Count,
    DocumentName,
    Message,
    Positions,
)
from treewhile.oracles.errors import InputError

Seconds = Annotated[float, Meta(ge=0, le=3600)]
Token = Annotated[str, Meta(min_length=1, max_length=256)]
LONGEST_QUOTE: Final = 200  # characters of what an error quotes


# --- from the client ----------------------------------------------------------------------------------------


class FromClient(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """Something that a client says about the connection."""


class Hello(FromClient, frozen=True, tag="hello"):
    """The first message, if there is one; without it all of this has its default.

    positions  utf16: all documents are opened so, whatever their `open` says
    heartbeat  the client says something at least so often, in seconds, a ping if nothing else
    resume     the session of a welcome, to go on with
    model      one of those that the server has
    token      that the server asks for, where it is not in the header Authorization
    """

    positions: Positions = "code_points"
    heartbeat: Seconds | None = None
    resume: Token | None = None
    model: Annotated[str, Meta(max_length=128)] | None = None
    token: Token | None = None


class Ping(FromClient, frozen=True, tag="ping"):
    """Asks for a pong with the same number."""

    number: Count


Incoming: TypeAlias = Hello | Ping | AnyEvent


# --- from the server ----------------------------------------------------------------------------------------


class HeldDocument(Struct, frozen=True):
    """A document that a resumed session holds: all its versions up to this one have come."""

    document: DocumentName
    version: int


class WireLimits(Struct, frozen=True):
    """What a client may do; more is an error, or closes the connection."""

    message_bytes: int
    messages_a_second: float
    documents: int
    characters: int  # of all documents together; a given word counts as eight


class Welcome(Message, frozen=True, tag="welcome"):
    """The answer to hello.

    session    what resumes this session when the socket is lost, within `resume_seconds`
    epoch      how many connections it has had
    resumed    whether it is the one that was asked for; its documents follow, with all analyses in full.
               If not, nothing is left of that one: open the documents again
    heartbeat  as agreed; after two of them without a word the server closes
    models     those that hello can name, the default first
    """

    session: str
    epoch: int
    resumed: bool
    documents: list[HeldDocument]
    heartbeat: float | None
    model: str
    models: list[str]
    limits: WireLimits
    resume_seconds: float
    server: str


class Readiness(Message, frozen=True, tag="readiness"):
    """How far a server is that is still getting ready: after welcome, and when it changes.

    levels     those that can be had so far; work of others waits, and is done then
    share      how much is done of what has to be done, from 0 to 1
    waits_for  what is waited for, a sentence for people; empty in the last of them, once all is ready
    """

    levels: list[str]
    share: float
    waits_for: str


class Pong(Message, frozen=True, tag="pong"):
    """The answer to ping."""

    number: int


class Goodbye(Message, frozen=True, tag="goodbye"):
    """The last message: the server closes with this code. `retry_after` is in seconds; null: do not retry."""

    code: int
    reason: str
    temporary: bool
    retry_after: float | None = None


Outgoing: TypeAlias = Welcome | Readiness | Pong | Goodbye | AnyMessage


# --- encodings ----------------------------------------------------------------------------------------------


class UndecodableError(InputError):
    """A frame that is no message in the encoding of its connection."""


class Encoding(NamedTuple):
    """A subprotocol: how messages become frames, and frames messages."""

    name: str
    is_text: bool
    encode: Callable[[Outgoing], bytes]
    read: Callable[[Any], Incoming]
    skip: Callable[[Any], object]  # reads any value and makes nothing of it

    def decode(self, frame: str | bytes) -> Incoming:
        """The message of a frame. InputError if it is none that the protocol has."""
        if isinstance(frame, str) is not self.is_text:
            wanted = "text" if self.is_text else "binary"
            raise UndecodableError(f"the frame is of the wrong kind: {self.name} takes {wanted} frames")
        try:
            return self.read(frame)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            self._check_readable(frame)
            what = f"this is no message ({shortened(error)})"
            raise InputError(f"{what}: send one that the protocol names") from None

    def _check_readable(self, frame: str | bytes) -> None:
        """Whether it is at least a value: reading a message stops where it is none any more."""
        try:
            self.skip(frame)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UndecodableError(
                f"the frame cannot be read ({shortened(error)}): send {self.name}"
            ) from None


def shortened(error: Exception) -> str:
    """What an error says, which may quote as much as a client likes."""
    said = str(error)
    return said if len(said) <= LONGEST_QUOTE else f"{said[:LONGEST_QUOTE]}..."


JSON: Final = Encoding(
    "treewhile.v1+json",
    True,
    msgspec.json.Encoder().encode,
    msgspec.json.Decoder(Incoming).decode,
    msgspec.json.Decoder(msgspec.Raw).decode,
)
MSGPACK: Final = Encoding(
    "treewhile.v1+msgpack",
    False,
    msgspec.msgpack.Encoder().encode,
    msgspec.msgpack.Decoder(Incoming).decode,
    msgspec.msgpack.Decoder(msgspec.Raw).decode,
)
ENCODINGS: Final = {encoding.name: encoding for encoding in (JSON, MSGPACK)}
