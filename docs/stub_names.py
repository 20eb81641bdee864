"""Extension of mkdocstrings: names that the stub of a package imports stand in the reference."""

from __future__ import annotations

from typing import Any

from griffe import Extension, Module


class StubNames(Extension):
    def on_module_members(self, *, mod: Module, **_: Any) -> None:
        if str(mod.filepath).endswith(".pyi"):
            mod.exports = [*mod.members]
