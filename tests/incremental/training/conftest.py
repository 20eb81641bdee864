"""Loads `small_treebanks`, which the tests here share: in importlib mode no folder is on the path."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait would keep others from work

import torch

spec = importlib.util.spec_from_file_location(
    "small_treebanks", Path(__file__).with_name("small_treebanks.py")
)
assert spec
assert spec.loader
sys.modules["small_treebanks"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["small_treebanks"])


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
