"""The C compiler of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

INCLUDES: Final = (sysconfig.get_path("include"), np.get_include())
SHARED: Final = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)


def compiler() -> str:
    """Return the command of the C compiler: of the environment, or that of Python."""
    return os.environ.get("CC") or (sysconfig.get_config_var("CC") or "cc").split()[0]


def has_compiler() -> bool:
    return shutil.which(compiler()) is not None


def compile_module(source: Path, path: Path) -> None:
    """Compile an extension module from one C source."""
    run_compiler(*SHARED, str(source), "-o", str(path))


def link(objects: Sequence[Path], path: Path) -> None:
    """Link objects to an extension module."""
    run_compiler(*SHARED, *map(str, objects), "-o", str(path), "-pthread")


def run_compiler(*arguments: str) -> None:
    includes = [f"-I{folder}" for folder in INCLUDES]
    subprocess.run([compiler(), "-O2", "-fPIC", "-w", *includes, *arguments], check=True, capture_output=True)
