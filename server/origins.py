"""Which web pages may connect: those from the server's own host, and those that were named."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

ANY: Final = "*"
LOOPBACK_NAMES: Final = ("localhost", "localhost.")


def is_allowed(origin: str | None, host: str, named: Collection[str], only_loopback: bool) -> bool:
    """Whether a page of this origin may connect; without one it is no page.

    `host` is the header Host. A server for this machine alone takes loopback hosts only: any name can be made
    to point at 127.0.0.1, and pages of such a name would have it as their own host.
    """
    if origin is None or ANY in named or origin.lower() in {one.lower() for one in named}:
        return True
    try:
        own = urlsplit(origin)
        is_own = bool(own.netloc) and own.netloc.lower() == host.lower()
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
