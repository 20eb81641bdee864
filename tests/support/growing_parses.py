"""Parses that have grown word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model


def grown(model: Model, words: Sequence[str], is_closed: bool = False, **patience: Any) -> GrowingParse:
    parse = GrowingParse(model, **patience)
    for word in words:
        parse.append(word)
    if is_closed:
        parse.close()
    return parse
