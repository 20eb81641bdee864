"""How many files, and so sockets, this process may open."""

from __future__ import annotations

import os


def allow_many_files() -> None:
    """Asks for as many as the system allows: the usual limit of 1024 is meant for people, not for servers."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1 << 16 if hard == resource.RLIM_INFINITY else hard
    if os.name == "posix" and (soft == resource.RLIM_INFINITY or soft < wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
