"""Properties of the shape of a tree, in one call."""

from __future__ import annotations

from treewhile.oracles.compilation import kernel
from treewhile.oracles.trees.kernels.crossings import edge_degree, is_one_endpoint_crossing, is_well_nested
from treewhile.oracles.trees.kernels.head_items import is_mh4
from treewhile.oracles.trees.kernels.projections import find_projections, gap_degree, inheritance_degree


@kernel
def examine_tree(heads):
    """Return gap, edge and inheritance degree; whether well-nested, 1-endpoint-crossing, and in MH4."""
    projections = find_projections(heads)
    return (
        gap_degree(projections),
        edge_degree(heads, projections),
        inheritance_degree(heads, projections),
        is_well_nested(heads, projections),
        is_one_endpoint_crossing(heads),
        is_mh4(heads),
    )
