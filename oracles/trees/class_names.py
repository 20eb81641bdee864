"""The names of the classes of trees: nothing is loaded to know them."""

from __future__ import annotations

from typing import Final

PROJECTIVE: Final = "projective"
MH4: Final = "mh4"

# The classes by name, and the modules that decode them.
DECODERS: Final = {
    PROJECTIVE: "projective_decoding",
    "gap-minding": "gap_minding_decoding",
    "1-inherit": "one_inherit_decoding",
    "1-endpoint-crossing": "one_endpoint_crossing_decoding",
    MH4: "mh4_decoding",
    "any": "spanning_decoding",
}

# Those in which prefixes are parsed, too, with virtual nodes for the words to come.
OF_PREFIXES: Final = (PROJECTIVE, MH4)

# Those whose charts can have closed cells.
WITH_OPENINGS: Final = (PROJECTIVE, MH4)
