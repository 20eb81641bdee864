"""Conditions for clients: origins of web pages, the token of the server, and its TLS certificate."""

from __future__ import annotations

import base64
import binascii
import hmac
import ssl
from collections.abc import Collection
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import urlsplit

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError

ANY: Final = "*"
NOWHERE: Final = "null"  # sent by a browser for a page without an address, such as a file
LOOPBACK_NAMES: Final = ("localhost", "localhost.")


def is_origin(named: str) -> bool:
    """Return whether a text is an origin that a browser can send, or `*` for all of them."""
    if named in (ANY, NOWHERE):
        return True
    try:
        parts = urlsplit(named)
        return (
            bool(parts.hostname)
            and parts.port != 0
            and named.lower() == f"{parts.scheme}://{parts.netloc}".lower()
        )
    except ValueError:
        return False


def is_allowed(
    origin: str | None, host: str, named: Collection[str], only_loopback: bool, has_tls: bool = False
) -> bool:
    """Return whether a page of an origin may connect; a client without an origin is no page and may.

    `host` is the header Host. A server for this machine alone accepts loopback hosts only: any name can be
    made to point at 127.0.0.1, and pages under such a name would have the same host. A server with TLS
    accepts no page from its own host that came without TLS, since anybody on the network may have sent that
    page. A server without TLS accepts pages with TLS, which a proxy may add, but not if it is for this
    machine alone.
    """
    if origin is None or ANY in named or origin.lower() in {one.lower() for one in named}:
        return True
    try:
        own = urlsplit(origin)
        schemes = ["https"] if has_tls else ["http"] if only_loopback else ["http", "https"]
        is_own = own.scheme in schemes and bool(own.netloc) and own.netloc.lower() == host.lower()
        return is_own and (not only_loopback or is_loopback(own.hostname or ""))
    except ValueError:
        return False


def is_loopback(name: str) -> bool:
    """Return whether a name or an address is that of this machine, unreachable from others."""
    if name.lower() in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


# --- token --------------------------------------------------------------------------------------------------


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


# --- certificate --------------------------------------------------------------------------------------------


class Certificate:
    """Certificate chain with its key, which is in a file of its own or in the file of the chain.

    context   TLS context of all connections; connections after `read` use the new certificate
    """

    def __init__(self, chain: Path, key: Path | None) -> None:
        self._chain, self._key = chain, key or chain
        self.context = _new_context()
        self.read()

    def read(self) -> None:
        """Read the files again; after an InputError, the former certificate stays in use."""
        for context in (_new_context(), self.context):  # a wrong key would break the one in use
            self._load_into(context)

    def _load_into(self, context: ssl.SSLContext) -> None:
        for path in (self._chain, self._key):
            with system_errors_named(f"read the certificate or its key, {path}"):
                path.open("rb").close()
        try:
            context.load_cert_chain(self._chain, self._key, self._refuse_to_ask)
        except (OSError, ssl.SSLError) as error:
            what = f"the certificate cannot be used ({error.strerror or error})"
            raise InputError(f"{what}: give a chain and its key in PEM, {self._places}") from None

    @property
    def _places(self) -> str:
        return " and ".join(dict.fromkeys(map(str, (self._chain, self._key))))

    def _refuse_to_ask(self) -> NoReturn:
        raise InputError(f"the key is locked by a pass phrase: give one without, {self._key}")


def _new_context() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
