"""Which web pages may connect: those from the server's own host, and those that were named."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

ANY: Final = "*"
NOWHERE: Final = "null"  # what a browser sends for a page from no address, such as a file
LOOPBACK_NAMES: Final = ("localhost", "localhost.")


def is_origin(named: str) -> bool:
    """Whether this is something that a browser can send as an origin, or stands for all of them."""
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
    """Whether a page of this origin may connect; without one it is no page.

    `host` is the header Host. A server for this machine alone takes loopback hosts only: any name can be made
    to point at 127.0.0.1, and pages of such a name would have it as their own host. A page that came without
    TLS may be anybody's, so none is the own one of a server that has it; the other way round, TLS may end
    before a server, but not before one for this machine alone.
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
    """Whether a name or an address means this machine and no other one can reach it."""
    if name.lower() in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
