"""Token of a server: extraction from the header Authorization, and comparison."""

from __future__ import annotations

import base64
import binascii
import hmac


def shown(authorization: str | None) -> str | None:
    """Return the token of a header read as latin-1: that of Bearer, or the password of Basic."""
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
    """Return whether a candidate is the token of the server, or the server has none."""
    return token is None or (
        candidate is not None and hmac.compare_digest(_as_sent(candidate), _as_sent(token))
    )


def _as_sent(token: str) -> bytes:
    """Return the bytes of a token, even if they are not UTF-8."""
    return token.encode("utf-8", "surrogateescape")
