"""What stands for a session in a store, and what its new owner is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from treewhile.incremental.sessions.messages import Event


class Taken(NamedTuple):
    """A session that now belongs to the owner who asked; no events if it already did."""

    epoch: int  # how many connections it has had before
    model: str
    number: int  # of the last change
    events: Sequence[Event] | None


def key_of(token: str) -> bytes:
    """Under what a session is found; who reads it cannot resume the session."""
    return sha256(token.encode()).digest()[:16]
