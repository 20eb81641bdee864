"""Words in ordinary spelling, without a treebank's names of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from treewhile.oracles.constituents.phrase_trees import Leaf

WRITTEN: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
SPELT_OUT = re.compile("|".join(WRITTEN))


def written_words(leaves: Iterable[Leaf]) -> tuple[str, ...]:
    """Return the words of a tree with brackets for their names: ":)" for ":-RRB-"."""
    return tuple(SPELT_OUT.sub(lambda match: WRITTEN[match[0]], leaf.word) for leaf in leaves)
