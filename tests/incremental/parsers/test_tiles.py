"""Products are the same to the last bit, whichever instructions of the processor they are made of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treewhile.oracles.processors import features

PRODUCT = """
import sys
from llvmlite import binding
from treewhile.oracles import processors
for_llvm = binding.get_host_cpu_features()
for_llvm.update(dict.fromkeys(sys.argv[1:], False))
binding.get_host_cpu_features = lambda: for_llvm
features = processors.features().difference(sys.argv[1:])
processors.features = lambda: features

import numpy as np
from treewhile.incremental.parsers.layers import Products
generator = np.random.default_rng(1)
weight = generator.integers(-127, 128, (150, 90)).astype(np.int8)
products = Products(weight, generator.random((150, 1)).astype(np.float32))
for rows in (1, 2, 3, 4, 5, 6, 13):
    inputs = generator.standard_normal((rows, 90)).astype(np.float32)
    sys.stdout.buffer.write(products(inputs).tobytes())
"""


def product_without(folder: Path, *features: str) -> bytes:
    """Compiled for a processor that lacks these features."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", PRODUCT, *features]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("missing", [("avx512vnni",), ("avx512f",), ("avx512f", "avxvnni")], ids="-".join)
def test_processors_with_other_instructions_find_the_same_products(
    tmp_path: Path, missing: tuple[str, ...]
) -> None:
    if missing[0] not in features():
        pytest.skip(f"the processor has no {missing[0]} to do without")
    assert product_without(tmp_path / "less", *missing) == product_without(tmp_path / "all")
