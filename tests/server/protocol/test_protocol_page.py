"""PROTOCOL.md says what the code does."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, get_args

import msgspec
import pytest
from cases import each
from protocol_page import AS_IN_THE_BASE, PAGE, defaults_told

from treewhile.incremental.sessions.document_content import AFTER
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    ChoiceView,
    ClosedMessage,
    ConflictView,
    ConstituentsView,
    DeltaMessage,
    ErrorCode,
    ErrorMessage,
    ExpectedView,
    KnownView,
    MarginsMessage,
    MarginView,
    MovedMessage,
    OptionChanges,
    PlannedView,
    SentencesMessage,
    StepsMessage,
    VirtualView,
    WordView,
)
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.server.connections.host import wire_limits
from treewhile.server.process.server import Server
from treewhile.server.protocol.close_codes import CLOSE_CODES
from treewhile.server.protocol.frames import (
    ENCODINGS,
    Goodbye,
    HeldDocument,
    Hello,
    Incoming,
    Outgoing,
    Welcome,
    WireLimits,
)

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:1] == "|"
]


def tag(struct: type) -> str:
    return str(struct.__struct_config__.tag)  # type: ignore[attr-defined]


@each("struct", [*get_args(Incoming), *get_args(Outgoing)])
def test_every_message_has_its_row(struct: type) -> None:
    rows = [row for row in ROWS if f"`{tag(struct)}`" in row[0]]
    assert rows, tag(struct)
    if struct in get_args(Incoming) and struct is not Hello:
        fields = set(struct.__struct_fields__) - {"document"}  # type: ignore[attr-defined]
        assert set(re.findall(r"`(\w+)`", rows[0][1])) == fields


def fields(struct: type) -> set[str]:
    return {*struct.__struct_fields__}  # type: ignore[attr-defined]


def table(title: str, head: str) -> dict[str, str]:
    """What a table says of names, by its title and the head of its first column; names may share a row."""
    part = PAGE[PAGE.index(f"{title}\n") :]
    lines = part[part.index(f"| {head} |") :].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: row[-1] for row in rows for name in re.findall(r"`(\w+)`", row[0])}


def explained(struct: type) -> dict[str, str]:
    """What the docstring of a struct says of its fields."""
    lines = (struct.__doc__ or "").splitlines()[1:]
    found = re.findall(r"^    (\w+)  +(\S.*(?:\n {6,}\S.*)*)", "\n".join(lines), re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found if name in fields(struct)}


TABLES = [
    (Hello, "## The connection", "field"),
    (Welcome, "## The connection", "field of `welcome`"),
    (OptionChanges, "## Documents", "option"),
    (AnalysisMessage, "### `analysis` and `delta`", "field"),
    (WordView, "### `analysis` and `delta`", "field of a word"),
    (VirtualView, "### `analysis` and `delta`", "field of a virtual node"),
    (SentencesMessage, "### `sentences` and `moved`", "field of `sentences`"),
    (MovedMessage, "### `sentences` and `moved`", "field of `moved`"),
    (StepsMessage, "### `next_steps`", "field"),
    (ChoiceView, "### `next_steps`", "field of a choice"),
    (PlannedView, "### `next_steps`", "field of a planned step"),
    (MarginsMessage, "### `margins`", "field"),
    (MarginView, "### `margins`", "field of a margin"),
    (ErrorMessage, "### `error` and `closed`", "field of `error`"),
    (WireLimits, "## Limits", "limit"),
]


@each("struct, title, head", TABLES)
def test_a_table_has_the_fields_of_its_struct(struct: type, title: str, head: str) -> None:
    assert {*table(title, head)} == fields(struct)


@pytest.mark.parametrize("struct", [AnalysisMessage, OptionChanges, StepsMessage, ChoiceView, PlannedView])
def test_a_table_says_what_the_docstring_says(struct: type) -> None:
    said = table(*next((title, head) for one, title, head in TABLES if one is struct))
    texts = explained(struct)
    assert len(texts) > 4
    for name, text in texts.items():
        assert said[name] == text.replace("`", "") or said[name] == text, name


PARTS = {"a word": WordView, "a margin": MarginView, "a held document": HeldDocument}


def defaults_of(struct: Any, name: str) -> Iterator[tuple[str, str, str]]:
    for field in msgspec.structs.fields(struct):
        if field.default is msgspec.UNSET:
            yield name, field.name, AS_IN_THE_BASE
        elif field.default is not msgspec.NODEFAULT:
            yield name, field.name, msgspec.json.encode(field.default).decode()


def test_the_defaults_of_all_fields_are_told() -> None:
    messages = {tag(struct): struct for struct in [*get_args(Incoming), *get_args(Outgoing)]}
    views = [VirtualView, ConflictView, ConstituentsView, ChoiceView, PlannedView, KnownView, ExpectedView]
    assert not [found for view in views for found in defaults_of(view, view.__name__)]
    found = [one for name, struct in {**messages, **PARTS}.items() for one in defaults_of(struct, name)]
    assert defaults_told() == {*found}


def test_the_example_of_a_delta_is_what_goes_over_the_wire() -> None:
    part = PAGE[PAGE.index("So the third word comes") :].split("```")[1]
    frames = [json.loads(frame) for frame in re.split(r"^[<>] ", part, flags=re.MULTILINE)[1:]]
    for frame, kind in zip(frames, (AnalysisMessage, Append, DeltaMessage), strict=True):
        message = msgspec.convert(frame, kind, strict=False)
        assert json.loads(msgspec.json.encode(message)) == frame, "whole, without what has its default"


def test_deltas_and_conflicts_are_explained() -> None:
    part = PAGE[PAGE.index("### `analysis` and `delta`") : PAGE.index("### `sentences` and")]
    for struct in (DeltaMessage, ConflictView, ClosedMessage, HeldDocument, Goodbye):
        where = part if struct in (DeltaMessage, ConflictView) else PAGE
        assert all(f"`{name}`" in where for name in fields(struct)), struct


def test_defaults_of_options_are_those_of_a_document() -> None:
    names = fields(OptionChanges)
    told = {
        row[0].strip("`"): json.loads(row[1]) for row in ROWS if len(row) == 3 and row[0].strip("`") in names
    }
    values = {name: getattr(DocumentOptions(), name) for name in names}
    assert told == {name: [*one] if isinstance(one, tuple) else one for name, one in values.items()}


async def test_usual_limits_are_those_of_a_server(start: Callable[..., Awaitable[Server]]) -> None:
    limits = msgspec.structs.asdict(wire_limits((await start()).limits))
    told = {row[0].strip("`"): row[1] for row in ROWS if row[0].strip("`") in limits and len(row) == 4}
    assert {name: float(number.replace(",", "")) for name, number in told.items()} == limits


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
