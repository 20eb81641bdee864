"""The names of the classes of trees: nothing is loaded to know them."""

from __future__ import annotations

from typing import Final

# The classes by name, and the modules that decode them.
DECODERS: Final = {
    "projective": "projective_decoding",
    "gap-minding": "gap_minding_decoding",
    "1-inherit": "one_inherit_decoding",
    "1-endpoint-crossing": "one_endpoint_crossing_decoding",
    "mh4": "mh4_decoding",
    "any": "spanning_decoding",
}
