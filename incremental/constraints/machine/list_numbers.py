"""Numbering of the lists of constraints: one for all labels, one for each label, one for each pair of labels.

Lists for a label, and for a pair, exist twice: for constraints that do not depend on the analysis, and for
contextual ones. Programs write lists by these numbers; kernels, which compile them, read them.
"""

from __future__ import annotations

ALL_LABELS = 0  # list of constraints that depend neither on labels nor on the analysis
KINDS = 4  # number of relations between two edges, which are numbered from 1


def list_of_label(labels: int, is_contextual: int, label: int) -> int:
    """Return the number of the list for an edge with a label."""
    return 1 + is_contextual * labels + label


def list_of_pair(labels: int, is_contextual: int, relation: int, x: int, y: int) -> int:
    """Return the number of the list for two edges in a relation, with these labels."""
    return 1 + 2 * labels + ((is_contextual * KINDS + relation - 1) * labels + x) * labels + y


def list_count(labels: int) -> int:
    """Return the number of lists."""
    return 1 + 2 * labels + 2 * KINDS * labels * labels
