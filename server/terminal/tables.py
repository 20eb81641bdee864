"""Style of all tables."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table


def plain_table() -> Table:
    """Return a table without columns, with a line below the headings."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
