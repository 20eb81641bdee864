"""AsyncAPI 3 document of the protocol, generated from the message Structs."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from treewhile.server.protocol.frames import ENCODINGS, Incoming, Outgoing

CONTENT_TYPES: Final = ("application/json", "application/msgpack")


def asyncapi_document(version: str) -> dict[str, Any]:
    """Return a document with the messages of both sides."""
    sides = {"receive": get_args(Incoming), "send": get_args(Outgoing)}
    structs = [struct for side in sides.values() for struct in side]
    _, schemas = msgspec.json.schema_components(structs, ref_template="#/components/schemas/{name}")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "treewhile",
            "version": version,
            "description": "Words come in while somebody types, dependency analyses go out. See PROTOCOL.md.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": CONTENT_TYPES[0],
        "channels": {
            "typing": {
                "address": "/",
                "description": f"A WebSocket with the subprotocol {' or '.join(ENCODINGS)}.",
                "messages": {
                    _name(struct): _to(f"components/messages/{_name(struct)}") for struct in structs
                },
            }
        },
        "operations": {action: _operation(action, side) for action, side in sides.items()},
        "components": {
            "messages": {_name(struct): _message(struct) for struct in structs},
            "schemas": schemas,
        },
    }


def _operation(action: str, structs: tuple[type[Struct], ...]) -> dict[str, Any]:
    """Return an operation of the server: it receives events, or sends messages."""
    messages = [_to(f"channels/typing/messages/{_name(struct)}") for struct in structs]
    return {"action": action, "channel": _to("channels/typing"), "messages": messages}


def _message(struct: type[Struct]) -> dict[str, Any]:
    about = (struct.__doc__ or "").strip().partition("\n")[0]
    return {
        "name": _name(struct),
        "summary": about,
        "payload": _to(f"components/schemas/{struct.__name__}"),
    }


def _name(struct: type[Struct]) -> str:
    return str(struct.__struct_config__.tag)


def _to(place: str) -> dict[str, str]:
    return {"$ref": f"#/{place}"}
