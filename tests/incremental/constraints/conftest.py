"""Loads `random_grammars`, which the tests here share: in importlib mode no folder is on the path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location(
    "random_grammars", Path(__file__).with_name("random_grammars.py")
)
assert spec
assert spec.loader
sys.modules["random_grammars"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["random_grammars"])
