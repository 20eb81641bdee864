"""Features of this machine's processor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

LINUX: Final = Path("/proc/cpuinfo")


@cache
def features() -> frozenset[str]:
    """Return the features of the processor by LLVM's names; none where they cannot be told."""
    try:
        lines = LINUX.read_text().splitlines()
    except OSError:
        return _features_by_llvm()
    named = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return frozenset(name.replace("_", "") for name in named.partition(":")[2].split())


def _features_by_llvm() -> frozenset[str]:
    from llvmlite import binding  # here, since it takes long to load

    try:
        return frozenset(name for name, is_there in binding.get_host_cpu_features().items() if is_there)
    except RuntimeError:
        return frozenset()
