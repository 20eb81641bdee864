"""The types that the editor has of the protocol are those of the server."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import get_args

import msgspec
import protocol_types as generator
from cases import each
from protocol_types import protocol_types

from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.server.protocol.frames import Incoming, Outgoing

SOURCE = Path(__file__).parents[3] / "web" / "source" / "client" / "protocol.ts"
types = cache(protocol_types)
COMMAND = [generator.__file__]


def test_the_types_of_the_editor_are_current() -> None:
    assert SOURCE.read_text() == types(), f"make it anew: python {' '.join(COMMAND)} > {SOURCE.name}"


def test_the_command_prints_them() -> None:
    printed = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True, check=True).stdout
    assert printed == types()


@each("struct", [*get_args(Incoming), *get_args(Outgoing)])
def test_every_field_of_every_message_is_there(struct: type[msgspec.Struct]) -> None:
    tag = struct.__struct_config__.tag
    [body] = re.findall(rf'interface \w+ {{\n  type: "{tag}";\n(.*?)}}', types(), re.DOTALL)
    assert re.findall(r"^  (\w+)\??:", body, re.MULTILINE) == [*struct.__struct_encode_fields__]


def test_what_has_a_default_may_be_missing_and_what_is_unset_is_not_null() -> None:
    assert "  retry_after?: number | null;" in types()
    assert "  stability?: number;" in types()
    assert msgspec.structs.asdict(OptionChanges())["stability"] is msgspec.UNSET


def test_what_a_docstring_says_of_a_field_stands_above_it() -> None:
    assert "  /** how many connections it has had */\n  epoch: number;" in types()
