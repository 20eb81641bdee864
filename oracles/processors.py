"""Processors that kernels are made for: this machine's, and kinds that they are built for ahead of time."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

LINUX: Final = Path("/proc/cpuinfo")
# numba's own settings: kernels are made for another processor than this one.
CPU: Final = "NUMBA_CPU_NAME"
FEATURES: Final = "NUMBA_CPU_FEATURES"
NAMES_OF_LINUX: Final = {"bmi1": "bmi", "abm": "lzcnt"}  # where LLVM has others


class Kind(NamedTuple):
    """Kind of processors that kernels are built for ahead of time.

    cpu   LLVM's name of the plainest one of them, whose features are `features`, but for what LLVM calls more
    """

    name: str
    cpu: str
    features: frozenset[str]

    def suits(self, features: frozenset[str]) -> bool:
        """Return whether a processor with these features runs the same code on the same weights."""
        return self.features <= features and instructions(self.features) == instructions(features)

    @property
    def settings(self) -> dict[str, str]:
        """Environment in which numba makes code for these processors."""
        return {CPU: self.cpu, FEATURES: ",".join(f"+{name}" for name in sorted(self.features))}


_V3: Final = frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"])
_V4: Final = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
KINDS: Final = (  # the best first
    Kind("x86-64-v4-vnni", "x86-64-v4", _V4 | {"avx512vnni"}),
    Kind("x86-64-v4", "x86-64-v4", _V4),
    Kind("x86-64-v3-vnni", "x86-64-v3", _V3 | {"avxvnni"}),
    Kind("x86-64-v3", "x86-64-v3", _V3),
)


class Instructions(NamedTuple):
    """Instructions of a processor that decide how weights are laid out for it."""

    has_wide_registers: bool
    has_vnni: bool


def instructions(features: frozenset[str]) -> Instructions:
    """Return which instructions are used of a processor with these features."""
    is_wide = "avx512f" in features
    return Instructions(is_wide, ("avx512vnni" if is_wide else "avxvnni") in features)


def kind() -> Kind | None:
    """Return the kind of this machine's processor, if it is one that kernels are built for ahead of time."""
    return next((kind for kind in KINDS if kind.suits(features())), None)


@cache
def features() -> frozenset[str]:
    """Return the features of the processor by LLVM's names; none where they cannot be told."""
    if FEATURES in os.environ or os.environ.get(CPU, "").lower() == "generic":
        chosen = os.environ.get(FEATURES, "").split(",")
        return frozenset(name[1:] for name in chosen if name.startswith("+"))
    try:
        lines = LINUX.read_text().splitlines()
    except OSError:
        return _features_by_llvm()
    named = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    names = [name.replace("_", "") for name in named.partition(":")[2].split()]
    return frozenset(NAMES_OF_LINUX.get(name, name) for name in names)


def _features_by_llvm() -> frozenset[str]:
    from llvmlite import binding  # here, since it takes long to load

    try:
        return frozenset(name for name, is_there in binding.get_host_cpu_features().items() if is_there)
    except RuntimeError:
        return frozenset()
