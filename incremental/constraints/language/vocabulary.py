"""Vocabulary of formulas: names with their operations and kinds."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.constraints.language.terms import NAMES, Kind

# Attributes of nodes and of edges, with the kinds of their values.
NEIGHBOURS: Final = ("next", "previous")
NODE_ATTRIBUTES: Final = {"form": Kind.FORM, "lower": Kind.FORM, "tag": Kind.TAG, "shape": Kind.SHAPE}
CONTEXT_ATTRIBUTES: Final = {
    "head": ("head_of", Kind.NODE),
    "label": ("label_of", Kind.LABEL),
    "relation": ("relation_of", Kind.LABEL),
}
EDGE_ATTRIBUTES: Final = {
    "dependent": ("dependent", Kind.NODE),
    "head": ("edge_head", Kind.NODE),
    "label": ("edge_label", Kind.LABEL),
    "relation": ("edge_relation", Kind.LABEL),
    "distance": ("distance", Kind.NUMBER),
    "direction": ("direction", Kind.DIRECTION),
}
DIRECTIONS: Final = ("left", "right")

# Calls by their arguments: nodes, an edge, a node and a set, a predictor and a node.
NODE_TESTS: Final = ("is_word", "is_virtual", "is_later", "is_root", "is_unused")
SCORES: Final = ("probability", "head_probability", "label_probability", "future_probability")
SET_CALLS: Final = {"has": Kind.TRUTH, "under": Kind.TRUTH, "count": Kind.NUMBER}
AFFIX_CALLS: Final = ("starts", "ends")
PREDICTIONS: Final = {
    "prediction_exists": Kind.TRUTH,
    "predicted_head": Kind.NODE,
    "predicted_label": Kind.LABEL,
    "predicted_relation": Kind.LABEL,
}
FUNCTIONS: Final = {"min": "minimum", "max": "maximum", "abs": "absolute"}
CALLS: Final = (
    *NODE_TESTS,
    *SCORES,
    *SET_CALLS,
    *AFFIX_CALLS,
    *PREDICTIONS,
    *FUNCTIONS,
    *("exists", "agree", "dominates", "between", "covers_outsider"),
)

TOLD: Final = NAMES | {Kind.NODE}  # kinds of terms in braces in a sentence for people

LOGIC_SIGNS: Final = {"and": "and", "or": "or", "->": "implies", "<->": "equivalent", "not": "not"}
ORDER_SIGNS: Final = {
    "<": ("less", False),
    "<=": ("at_most", False),
    ">": ("less", True),
    ">=": ("at_most", True),
}
ARITHMETIC_SIGNS: Final = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "negative": "negative",
}
