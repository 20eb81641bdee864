from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

from treewhile.server.protocol.asyncapi import asyncapi_document
from treewhile.server.protocol.frames import Incoming, Outgoing

DOCUMENT = asyncapi_document("1.2.3")


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def test_the_document_is_json_of_asyncapi_3() -> None:
    assert json.loads(json.dumps(DOCUMENT)) == DOCUMENT
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert DOCUMENT["info"]["version"] == "1.2.3"


def test_all_references_lead_somewhere() -> None:
    found = set(references(DOCUMENT))
    assert found
    for reference in found:
        place = DOCUMENT
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, reference
            place = place[part]


def test_every_message_is_said_by_its_side_and_has_a_schema_and_a_summary() -> None:
    for action, union in (("receive", Incoming), ("send", Outgoing)):
        names = {
            reference["$ref"].rpartition("/")[2] for reference in DOCUMENT["operations"][action]["messages"]
        }
        assert names == {str(struct.__struct_config__.tag) for struct in get_args(union)}
        for name in names:
            message = DOCUMENT["components"]["messages"][name]
            assert message["summary"].endswith((".", ":")) or message["summary"]
            schema = DOCUMENT["components"]["schemas"][message["payload"]["$ref"].rpartition("/")[2]]
            assert schema["properties"]["type"]["enum"] == [name]


def test_bounds_of_the_structs_are_those_of_the_schemas() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["Append"]["properties"]["words"]["maxItems"] > 10_000
    assert schemas["Append"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Welcome"]  # clients bear fields that they do not know
