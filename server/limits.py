"""Limits of a server, with their defaults; each is an option of `treewhile serve`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on everything that a client can grow or delay.

    A message may have a mebibyte, since a paste of 10,000 words is one message: 90 KB in English, 400 KB
    where every letter is escaped.
    """

    connections: int = 4096
    message_bytes: int = 1 << 20
    messages_a_second: float = 1000.0  # messages beyond this rate wait
    burst: int = 400  # messages that pass at once before the rate applies
    documents: int = 16
    characters: int = 200_000  # of all documents of a session
    first_message_seconds: float = 60.0
    token_seconds: float = 5.0  # for the first message if the token has to be in it
    slow_reader_seconds: float = 10.0
    handshake_seconds: float = 5.0
    resume_seconds: float = 60.0
    resumable: int = 1000  # sessions without a socket
    drain_seconds: float = 1.0
