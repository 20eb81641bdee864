"""Loads the `judges` of the oracles: in pytest's importlib mode no folder is on the path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

JUDGES = Path(__file__).parents[2] / "oracles" / "judges.py"

if "judges" not in sys.modules:
    spec = importlib.util.spec_from_file_location("judges", JUDGES)
    assert spec
    assert spec.loader
    sys.modules["judges"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["judges"])
