"""The token of a server: what a client shows in the header Authorization, and whether that is it."""

from __future__ import annotations

import base64
import binascii
import hmac


def shown(authorization: str | None) -> str | None:
    """What a header shows, whose bytes were read as latin-1: Bearer, or the password of Basic."""
    scheme, _, value = (authorization or "").partition(" ")
    sent = value.strip(" \t").encode("latin-1", "replace")
    if scheme.lower() == "basic":
        try:
            sent = base64.b64decode(sent, validate=True).partition(b":")[2]
        except binascii.Error:
            return None
    elif scheme.lower() != "bearer":
        return None
    return sent.decode("utf-8", "surrogateescape")


def is_token(candidate: str | None, token: str | None) -> bool:
    """Whether this is the token that clients have to show; anything is where there is none."""
    return token is None or (
        candidate is not None and hmac.compare_digest(_as_sent(candidate), _as_sent(token))
    )


def _as_sent(token: str) -> bytes:
    """The bytes of a token, whatever they are."""
    return token.encode("utf-8", "surrogateescape")
