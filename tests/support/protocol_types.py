"""TypeScript types of the protocol, generated from the message Structs.

    PYTHONPATH=tests/support python -m protocol_types > web/source/client/protocol.ts

Lines `name  text` about fields in the docstring of a Struct become comments of the fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from textwrap import wrap
from typing import Any, Final, get_args

from msgspec import Struct, inspect

from treewhile.incremental.sessions import messages
from treewhile.incremental.sessions.messages import AnyEvent, AnyMessage, ErrorMessage, Event, Request
from treewhile.server.protocol.frames import Incoming, Outgoing

WIDTH: Final = 120  # line length of the formatter of the sources
FIELD: Final = re.compile(r"(\w+) {2,}(\S.*)")
ALIASES: Final = (
    "Head",
    "Level",
    "Stream",
    "Prediction",
    "Positions",
    "Stage",
    "StepName",
    "ErrorCode",
    "Constituent",
)
SIMPLE: Final = {
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
}
HEAD: Final = """\
// Made by `python -m protocol_types` of tests/support from what goes over the wire: not to be edited.

/** What goes over the wire, as server/PROTOCOL.md explains it: JSON, told apart by `type`. */
"""
TAIL: Final = """\
type AboutSentence<T> = T extends unknown ? Omit<T, "document" | "version" | "sentence"> : never;

/** About a sentence of the present version. */
"""


def protocol_types() -> str:
    """Return the source of a module with all types."""
    aliases = [f"export {_assigned(name, _values(name))}" for name in ALIASES]
    structs = [_interface(struct) for struct in _in_order([*get_args(Incoming), *get_args(Outgoing)])]
    return "\n".join([HEAD, *aliases, "", *structs, *_unions()])


def _unions() -> Iterator[str]:
    events, said = get_args(AnyEvent), get_args(AnyMessage)
    server_frames = [*_names_beside(Outgoing, said, "DocumentMessage"), "ErrorMessage"]
    requests = " | ".join(_name(one) for one in events if issubclass(one, Request))
    yield f"export {_assigned('DocumentEvent', [_name(one) for one in events])}"
    yield f"export {_assigned('ClientFrame', _names_beside(Incoming, events, 'DocumentEvent'))}"
    yield f"export {_assigned('DocumentMessage', [_name(one) for one in said if one is not ErrorMessage])}"
    yield f"export {_assigned('ServerFrame', server_frames)}"
    yield f"\n{TAIL}export type SentenceRequest = AboutSentence<\n  {requests}\n>;\n"


def _names_beside(union: Any, known: Sequence[type[Struct]], name: str) -> list[str]:
    return [*(_name(one) for one in get_args(union) if one not in known), name]


def _in_order(structs: Sequence[type[Struct]]) -> Iterator[type[Struct]]:
    """Yield Structs, each behind the Structs of its fields, without repetition."""
    seen: set[type[Struct]] = set()

    def visit(struct: type[Struct]) -> Iterator[type[Struct]]:
        if struct not in seen:
            seen.add(struct)
            for field in _fields_of(struct):
                for part in _parts_of(field.type):
                    yield from visit(part)
            yield struct

    for struct in structs:
        yield from visit(struct)


def _parts_of(type_: inspect.Type) -> Iterator[type[Struct]]:
    """Yield the Structs that occur in a type."""
    if isinstance(type_, inspect.StructType):
        yield type_.cls
    elif isinstance(type_, inspect.UnionType):
        for one in type_.types:
            yield from _parts_of(one)
    elif isinstance(type_, inspect.ListType):
        yield from _parts_of(type_.item_type)
    elif isinstance(type_, inspect.DictType):
        yield from _parts_of(type_.value_type)


# --- a Struct -----------------------------------------------------------------------------------------------


def _interface(struct: type[Struct]) -> str:
    about, fields = _told_of(struct)
    lines = [*_comment(about), f"export interface {_name(struct)} {{"]
    tag = struct.__struct_config__.tag
    if tag is not None:
        lines.append(f'  type: "{tag}";')
    for field in _fields_of(struct):
        mark = "" if field.required else "?"
        lines += _comment(fields.get(field.encode_name, ""), "  ")
        lines.append(f"  {field.encode_name}{mark}: {_type(field.type)};")
    return "\n".join([*lines, "}", ""])


def _fields_of(struct: type[Struct]) -> Sequence[inspect.Field]:
    type_ = inspect.type_info(struct)
    assert isinstance(type_, inspect.StructType)
    return type_.fields


def _told_of(struct: type[Struct]) -> tuple[str, dict[str, str]]:
    """Return the text of a docstring about the Struct, and about each field."""
    about: list[str] = []
    fields: dict[str, str] = {}
    name = ""
    for line in cleandoc(struct.__doc__ or "").splitlines():
        found = FIELD.fullmatch(line)
        if found and found[1] in struct.__struct_fields__:
            name = found[1]
            fields[name] = found[2]
        elif name:
            fields[name] += f" {line.strip()}"
        else:
            about.append(line)
    return " ".join(" ".join(about).split()), fields


def _comment(text: str, indent: str = "") -> list[str]:
    if not text:
        return []
    if len(f"{indent}/** {text} */") <= WIDTH:
        return [f"{indent}/** {text} */"]
    lines = wrap(text, WIDTH - len(f"{indent} * "))
    return [f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


# --- names and types ----------------------------------------------------------------------------------------


def _name(struct: type[Struct]) -> str:
    """Return the TypeScript name of a Struct; `Event` is added to events, whose names are common words."""
    return f"{struct.__name__}Event" if issubclass(struct, Event) else struct.__name__


def _types(type_: inspect.Type) -> list[str]:
    """Return the alternatives of a type, using the name of an alias where there is one."""
    known = next((name for name in ALIASES if _meaning(name) == type_), None)
    if known:
        return [known]
    return _parts(type_)


def _parts(type_: inspect.Type) -> list[str]:
    if isinstance(type_, inspect.UnionType):
        return [part for one in type_.types for part in _types(one)]
    if isinstance(type_, inspect.LiteralType):
        return [f'"{value}"' for value in type_.values]
    if isinstance(type_, inspect.ListType):
        return [f"readonly {_in_brackets(type_.item_type)}[]"]
    if isinstance(type_, inspect.TupleType):
        return [f"readonly [{', '.join(_type(one) for one in type_.item_types)}]"]
    if isinstance(type_, inspect.NamedTupleType):
        fields = (f"{field.name}: {_type(field.type)}" for field in type_.fields)
        return [f"readonly [{', '.join(fields)}]"]
    if isinstance(type_, inspect.DictType):
        return [f"Readonly<Record<string, {_type(type_.value_type)}>>"]
    if isinstance(type_, inspect.StructType):
        return [_name(type_.cls)]
    return [SIMPLE[type(type_)]]


def _type(type_: inspect.Type) -> str:
    return " | ".join(_types(type_))


def _in_brackets(type_: inspect.Type) -> str:
    one = _type(type_)
    return f"({one})" if " " in one else one


def _values(alias: str) -> list[str]:
    """Return the alternatives of an alias in the order of its definition."""
    meaning = _meaning(alias)
    if isinstance(meaning, inspect.LiteralType):
        return [f'"{value}"' for value in get_args(getattr(messages, alias))]
    return _parts(meaning)


def _meaning(alias: str) -> inspect.Type:
    return inspect.type_info(getattr(messages, alias))


def _assigned(name: str, types: Sequence[str]) -> str:
    """Return a type definition with some alternatives, with line breaks as the formatter sets them."""
    at_once = f"type {name} = {' | '.join(types)};"
    if len(f"export {at_once}") <= WIDTH:
        return at_once
    indented = f"  {' | '.join(types)};"
    if len(indented) <= WIDTH:
        return f"type {name} =\n{indented}"
    return "\n".join([f"type {name} =", *(f"  | {one}" for one in types)]) + ";"


if __name__ == "__main__":
    print(protocol_types(), end="")
