"""Rule about the first words of docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from house_rules.sources import FUNCTIONS, nodes

# Words that begin a docstring which leaves open what it is about.
VAGUE: Final = re.compile(r"(?:All of|How|Likewise|That|Those|What|Where|Whether|Which|Who)\b")


def docstrings_name_their_subject(_: Path, tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)):
            found = VAGUE.match((ast.get_docstring(node) or "").strip())
            if found:
                name = "the module" if isinstance(node, ast.Module) else node.name
                yield f"the docstring of {name} begins with {found[0]}: name its subject"
