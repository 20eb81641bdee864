"""PROTOCOL.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from treewhile.incremental.sessions.message_order import AFTER
from treewhile.incremental.sessions.messages import ErrorCode, OptionChanges
from treewhile.server.close_codes import CLOSE_CODES
from treewhile.server.wire import ENCODINGS, Hello, Incoming, Outgoing, Welcome

PAGE = (Path(__file__).parent.parent.parent / "server" / "PROTOCOL.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:1] == "|"
]


def tag(struct: type) -> str:
    return str(struct.__struct_config__.tag)  # type: ignore[attr-defined]


@pytest.mark.parametrize("struct", [*get_args(Incoming), *get_args(Outgoing)], ids=tag)
def test_every_message_has_its_row(struct: type) -> None:
    rows = [row for row in ROWS if f"`{tag(struct)}`" in row[0]]
    assert rows, tag(struct)
    if struct in get_args(Incoming) and struct is not Hello:
        fields = set(struct.__struct_fields__) - {"document"}  # type: ignore[attr-defined]
        assert set(re.findall(r"`(\w+)`", rows[0][1])) == fields


@pytest.mark.parametrize("struct", [Hello, Welcome, OptionChanges])
def test_every_field_of_the_beginning_is_explained(struct: type) -> None:
    for name in struct.__struct_fields__:  # type: ignore[attr-defined]
        assert f"`{name}`" in PAGE


def test_every_error_code_has_its_row() -> None:
    for code in get_args(ErrorCode):
        assert any(f"`{code}`" in row[0] for row in ROWS), code


def test_every_close_code_has_its_row() -> None:
    for number, _ in CLOSE_CODES:
        code = next(one for one in CLOSE_CODES if one.number == number)
        assert [row[2] for row in ROWS if row[0] == str(number)] == ["yes" if code.is_temporary else "no"]


def test_the_order_of_messages_is_that_of_the_table() -> None:
    start = next(number for number, row in enumerate(ROWS) if row[0] == "the document is")
    told = {
        (state, name, after)
        for states, names, afters in ROWS[start + 2 : start + 6]
        for state in states.split(" or ")
        for name in re.findall(r"`(\w+)`", names)
        for after in afters.split(" or ")
    }
    assert told == {
        (state, tag(event), after) for (state, event), afters in AFTER.items() for after in afters
    }


def test_both_subprotocols_are_named() -> None:
    assert all(f"`{name}`" in PAGE for name in ENCODINGS)
