"""Text files of sections that people can read: a line `[name]`, then its lines, up to the next such line.

Lines are UTF-8 and end in a line feed; empty ones are ignored. A file whose name ends in `.gz` is compressed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.incremental.treebanks.treebank import LONGEST_LINE, decoded, opened_source
from treewhile.oracles.errors import InputError

HEAD: Final = re.compile(r"\[([a-z][a-z ]*)\]")
MOST_LINES: Final = 20_000_000


class Line(NamedTuple):
    """Line of a file, without its end, and its number."""

    text: str
    number: int


@dataclass
class Section:
    """Section of a file, with the line of its head."""

    name: str
    file_name: str
    first_line: int
    lines: list[Line] = field(default_factory=list)

    def refuse(self, what: str, line: Line | None = None) -> NoReturn:
        """Raise an InputError about a line, or about the section."""
        raise InputError(f"{what}, at {self.file_name}:{line.number if line else self.first_line}")


def read_sections(path: str | Path) -> dict[str, Section]:
    """Return the sections of a file by name; raise InputError."""
    name = str(path)
    sections: dict[str, Section] = {}
    section = None
    with system_errors_named(f"read {name}"), opened_source(name) as stream:
        for line in _lines(iter(partial(stream.readline, LONGEST_LINE + 1), b""), name):
            if head := HEAD.fullmatch(line.text):
                if head[1] in sections:
                    raise InputError(
                        f"there are two sections [{head[1]}], delete one, at {name}:{line.number}"
                    )
                section = sections[head[1]] = Section(head[1], name, line.number)
            elif section is None:
                raise InputError(
                    f"this is no file of sections, which begins with [a name], at {name}:{line.number}"
                )
            else:
                section.lines.append(line)
    return sections


def section_of(sections: Mapping[str, Section], name: str, file_name: str | Path) -> Section:
    """Return the section with a name; raise InputError if there is none."""
    if name not in sections:
        raise InputError(f"there is no section [{name}] in {file_name}: is it the model of a grammar?")
    return sections[name]


def write_sections(path: str | Path, sections: Mapping[str, Iterable[str]]) -> None:
    """Write the lines of each section, which must not be empty or look like a head."""
    with open_output(path) as output:
        for name, lines in sections.items():
            output.write(f"[{name}]\n")
            for line in lines:
                output.write(f"{line}\n")
            output.write("\n")


def _lines(stream: Iterator[bytes], name: str) -> Iterator[Line]:
    for number, content in enumerate(stream, 1):
        if len(content) > LONGEST_LINE or number > MOST_LINES:
            limit = f"{LONGEST_LINE} bytes in a line and {MOST_LINES} lines"
            raise InputError(f"this is too long, at most {limit} are read, at {name}:{number}")
        text = decoded(content, name, number).rstrip("\r\n")
        if text:
            yield Line(text, number)
