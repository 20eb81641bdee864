"""The English model, which knows the words that it is asked about."""

from __future__ import annotations

import pytest

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model


@pytest.fixture(scope="session")
def english() -> Model:
    return load_model("en")
