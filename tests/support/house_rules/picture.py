"""Picture of the imports between the rooms of the packages, as docs/explanation/architecture.md shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

from house_rules.imports import arrows, room_of
from house_rules.sources import PACKAGES, ROOT, place

PICTURE: Final = ROOT / "docs" / "explanation" / "imports.svg"
ASIDE: Final = ("__init__",)  # gathers public names, and so imports most rooms
WHOLE: Final = ("oracles",)  # a library by itself: one box
WIDTH: Final = 860
ROW: Final = 66
BOX: Final = 28
GAP: Final = 18
LETTER: Final = 7.8
SHIFTS: Final = (0, 90, -90)  # of rows, in turn: arrows past a row do not run behind its boxes
STYLE: Final = """\
text { font: 13px monospace; text-anchor: middle; fill: #123 }
.package { font-weight: bold; text-anchor: start }
.band { fill: #eef3f3 }
.box { fill: #fff; stroke: #488 }
path { fill: none; stroke: #7aa; marker-end: url(#tip) }"""
TIP: Final = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<polygon points="0 0 8 4 0 8" fill="#7aa"/></marker>'
)


class Box(NamedTuple):
    """Room of a package with its place in the picture."""

    name: str
    left: float
    top: float

    @property
    def width(self) -> float:
        return LETTER * len(self.name) + 16

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def drawn(self) -> Iterator[str]:
        place = f'x="{self.left:.0f}" y="{self.top:.0f}" width="{self.width:.0f}" height="{BOX}"'
        yield f'<rect class="box" {place} rx="5"/>'
        yield f'<text x="{self.middle:.0f}" y="{self.top + 19:.0f}">{self.name}</text>'


def the_picture_of_imports_is_up_to_date() -> Iterator[str]:
    if not PICTURE.exists() or PICTURE.read_text() != picture():
        command = "PYTHONPATH=tests/support python -m house_rules.picture"
        yield f"{place(PICTURE)} shows other imports than there are: run {command}"


def picture() -> str:
    """Return the picture as SVG: a band for each package, with each room above the rooms that it imports."""
    drawn: list[str] = []
    top = 0.0
    for package in reversed(PACKAGES):
        rows = [[package]] if package in WHOLE else rows_of(direct_imports(package))
        drawn += _band(package, rows, top)
        top += ROW * len(rows) + 2 * GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:.0f}" role="img">'
    return "\n".join([head, f"<style>{STYLE}</style>", f"<defs>{TIP}</defs>", *drawn, "</svg>", ""])


@cache
def direct_imports(package: str) -> Mapping[str, frozenset[str]]:
    """Return, by room, the rooms that it imports and that no room between them imports, too."""
    imported: dict[str, set[str]] = defaultdict(set)
    for module, others in arrows().items():
        for other in others:
            (here, room), (there, found) = room_of(module), room_of(other)
            if here == there == package and room != found and not {room, found} & {*ASIDE}:
                imported[room].add(found)
                imported.setdefault(found, set())
    below: dict[str, set[str]] = {}
    for room in TopologicalSorter(imported).static_order():
        below[room] = imported[room].union(*(below[one] for one in imported[room]))
    return {
        room: frozenset(one for one in found if not any(one in below[other] for other in found))
        for room, found in imported.items()
    }


def rows_of(imported: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Return the rows from the top; each room stands one row above the highest room that it imports."""
    height: dict[str, int] = {}
    for room in TopologicalSorter(imported).static_order():
        height[room] = 1 + max((height[one] for one in imported[room]), default=-1)
    top = max(height.values())
    return [sorted(room for room in height if height[room] == row) for row in range(top, -1, -1)]


def _band(package: str, rows: list[list[str]], top: float) -> Iterator[str]:
    height = ROW * len(rows) + GAP
    yield f'<rect class="band" x="0" y="{top:.0f}" width="{WIDTH}" height="{height:.0f}" rx="8"/>'
    if package not in WHOLE:
        yield f'<text class="package" x="12" y="{top + 20:.0f}">{package}</text>'
    boxes = {box.name: box for number, row in enumerate(rows) for box in _row(number, row, top + GAP)}
    for room, found in sorted(direct_imports(package).items() if package not in WHOLE else []):
        for other in sorted(found):
            yield _arrow(boxes[room], boxes[other])
    for box in boxes.values():
        yield from box.drawn()


def _row(row: int, names: list[str], top: float) -> Iterator[Box]:
    widths = [Box(name, 0, top).width for name in names]
    space = (WIDTH - sum(widths)) / (len(names) + 1)
    for number, name in enumerate(names):
        left = space * (number + 1) + sum(widths[:number]) + SHIFTS[row % len(SHIFTS)]
        yield Box(name, left, top + ROW * row)


def _arrow(above: Box, beneath: Box) -> str:
    start, end = above.top + BOX, beneath.top
    bend = (end - start) / 2
    curve = f"C {above.middle:.0f} {start + bend:.0f} {beneath.middle:.0f} {end - bend:.0f}"
    return f'<path d="M {above.middle:.0f} {start:.0f} {curve} {beneath.middle:.0f} {end:.0f}"/>'


if __name__ == "__main__":
    Path(PICTURE).write_text(picture())
