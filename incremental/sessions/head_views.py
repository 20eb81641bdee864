"""Heads as clients asked for them."""

from __future__ import annotations

from treewhile.incremental.parsers.nodes import LATER, Head, to_view
from treewhile.incremental.sessions.messages import Head as HeadView
from treewhile.incremental.sessions.messages import Prediction


def head_view(head: Head, prediction: Prediction) -> HeadView:
    """A head as messages say it; null where nothing is to be said of words to come."""
    if isinstance(head, int):
        return head
    if prediction == "none":
        return None
    return to_view(head) if prediction == "virtual" else LATER
