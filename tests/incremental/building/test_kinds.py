"""Code that is built ahead for a kind of processors has the instructions of that kind alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from treewhile.oracles.prebuilt import library
from treewhile.oracles.prebuilt.library import folders
from treewhile.oracles.processors import KINDS, Kind, instructions, kind

OBJECT = """
import sys
from pathlib import Path
from treewhile.incremental.building.compiled_kernels import with_types
from treewhile.incremental.building.builder import kernels_of
from treewhile.incremental.building.extension_modules import Export, write_object
chosen = [kernel for kernel in kernels_of("incremental") if kernel[0].endswith(sys.argv[2])][:1]
write_object([Export(*typed, "f") for typed in with_types(chosen)], Path(sys.argv[1]))
"""
SECTION = "products"  # the end of the name of a module of kernels that has tiles


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("objdump") is None, reason="there is no objdump, which comes with compilers")
@pytest.mark.parametrize("target", KINDS, ids=lambda kind: kind.name)
def test_code_for_a_kind_uses_its_instructions_alone(target: Kind, tmp_path: Path) -> None:
    made = tmp_path / "kernels.o"
    environment = {**os.environ, **target.settings, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", OBJECT, made, SECTION], env=environment, check=True, timeout=300)
    code = subprocess.run(["objdump", "-d", made], check=True, capture_output=True, text=True).stdout
    is_wide, has_vnni = instructions(target.features)
    assert bool(re.search(r"%zmm\d", code)) == is_wide
    assert bool(re.search(r"\bvpdpbusd", code)) == has_vnni
    assert re.search(r"%ymm\d|%zmm\d", code)


def test_a_library_that_a_wheel_brings_is_looked_for_first() -> None:
    suitable = kind()
    if suitable is None:
        pytest.skip("this processor is of no kind that kernels are built for")
    assert next(folders()) == Path(library.__file__).with_name(library.name_of_shipped(suitable))
