"""What a server needs for TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

from treewhile.oracles.errors import InputError


def tls_context(cert: Path, key: Path | None) -> ssl.SSLContext:
    """The certificate of this chain, whose key stands in a file of its own or in the same one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as error:
        what = f"the certificate cannot be used ({error.strerror or error})"
        raise InputError(f"{what}: give a chain and its key in PEM, {cert}") from None
    return context
