"""Loads `shells`, which the tests here share: in pytest's importlib mode no folder is on the path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("shells", Path(__file__).with_name("shells.py"))
assert spec
assert spec.loader
sys.modules["shells"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["shells"])
