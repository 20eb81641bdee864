"""Check of web origins: pages from the host of the server and from named origins may connect."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

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
