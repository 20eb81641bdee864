"""Limit of open files, and so of sockets, of this process."""

from __future__ import annotations

import os


def allow_many_files() -> None:
    """Raise the limit as far as the system allows; the usual 1024 are too few for a server."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1 << 16 if hard == resource.RLIM_INFINITY else hard
    if os.name == "posix" and (soft == resource.RLIM_INFINITY or soft < wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
