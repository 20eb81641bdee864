"""Names of the classes of trees, in a module that loads nothing else."""

from __future__ import annotations

from typing import Final

PROJECTIVE: Final = "projective"
MH4: Final = "mh4"

# Module of the decoder by the name of the class.
DECODERS: Final = {
    PROJECTIVE: "projective_decoding",
    "gap-minding": "gap_minding_decoding",
    "1-inherit": "one_inherit_decoding",
    "1-endpoint-crossing": "one_endpoint_crossing_decoding",
    MH4: "four_heads",
    "any": "spanning_decoding",
}

# Classes in which prefixes are parsed, too, with virtual nodes for the words to come.
OF_PREFIXES: Final = (PROJECTIVE, MH4)

# Classes whose charts can have closed cells.
WITH_OPENINGS: Final = (PROJECTIVE, MH4)
