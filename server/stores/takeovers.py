"""Key of a session in a store, and the information that a new owner gets."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from treewhile.incremental.sessions.messages import Event


class Taken(NamedTuple):
    """Session that now belongs to the owner that asked; `events` is None if it already did."""

    epoch: int  # number of connections before
    model: str
    number: int  # of the last change
    events: Sequence[Event] | None


def key_of(token: str) -> bytes:
    """Return the key of a session in the store, a hash from which the token cannot be recovered."""
    return sha256(token.encode()).digest()[:16]
