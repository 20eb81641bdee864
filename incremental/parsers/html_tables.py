"""Plain HTML tables, for programs that show neither scripts nor styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the table, with all cells escaped."""
    head, *body = [_row(titles, "th"), *(_row(row, "td") for row in rows)]
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _row(cells: Iterable[object], element: str) -> str:
    return f"<tr>{''.join(f'<{element}>{escape(str(cell))}</{element}>' for cell in cells)}</tr>"
