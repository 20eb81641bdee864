"""Settings of the language server, sent by editors in a section named `treewhile`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL
from treewhile.incremental.sessions.messages import MOST_CHARACTERS

BLOCK: Final = "treewhile"

Severity = Literal["error", "warning", "information", "hint"]


class Settings(Struct, frozen=True, rename="camel"):
    """Settings that users can change.

    model            installed model, or a model file
    models           other models, by the editor's language identifiers: {"plaintext": "nl"}
    severity         severity of all diagnostics
    hints            whether expected words are shown behind the last word
    max_file_length  in characters; longer documents are not analysed
    """

    model: str = DEFAULT_MODEL
    models: dict[str, str] = {}
    severity: Severity = "information"
    hints: bool = True
    max_file_length: Annotated[int, Meta(ge=0, le=MOST_CHARACTERS)] = 120_000

    def model_for(self, language: str) -> str:
        return self.models.get(language, self.model)


NAMES: Final = Settings.__struct_encode_fields__


def read_settings(block: object) -> tuple[Settings, list[str]]:
    """Return the settings of a section, and sentences about its mistakes, which keep their defaults."""
    if isinstance(block, Mapping) and isinstance(block.get(BLOCK), Mapping):
        block = block[BLOCK]
    if block is None:
        return Settings(), []
    if not isinstance(block, Mapping):
        return Settings(), [f"The settings of treewhile are {block!r:.40}: give names with values."]
    known, complaints = dict[str, object](), list[str]()
    for name, value in block.items():
        complaint = _complaint(name, value)
        if complaint:
            complaints.append(complaint)
        else:
            known[name] = value
    return msgspec.convert(known, Settings), complaints


def _complaint(name: object, value: object) -> str | None:
    if name not in NAMES:
        return f"treewhile has no setting {name!r:.40}: there are {', '.join(NAMES)}."
    try:
        msgspec.convert({name: value}, Settings)
    except msgspec.ValidationError as error:
        why = str(error).partition(" - at ")[0]
        return f"The setting {BLOCK}.{name} cannot be {value!r:.40} ({why}): it stays as it is by default."
    return None
