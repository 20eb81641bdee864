"""The text of PROTOCOL.md, and what it says of fields that are left out."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "server" / "PROTOCOL.md").read_text()
AS_IN_THE_BASE = "as in the base"
LEFT_OUT = PAGE[PAGE.index("## Fields that may be left out\n") : PAGE.index("## Errors\n")]


def defaults_told() -> set[tuple[str, str, str]]:
    """What the page says of fields that are missing: the message or part, the field, and what it has then."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in LEFT_OUT.splitlines()]
    named = [row for row in rows if len(row) == 3][2:]
    return {
        (where, field, default)
        for wheres, names, default in named
        for where in re.findall(r"`(\w+)`|(a word|a margin|a held document)", wheres)
        for where in filter(None, where)
        for field in re.findall(r"`(\w+)`", names)
    }
