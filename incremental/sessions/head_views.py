"""Heads in messages, with the prediction that the client asked for."""

from __future__ import annotations

from treewhile.incremental.parsers.nodes import LATER, Head, to_view
from treewhile.incremental.sessions.messages import Head as HeadView
from treewhile.incremental.sessions.messages import Prediction


def head_view(head: Head, prediction: Prediction) -> HeadView:
    """Return a head in the notation of messages; null if words to come are not to be predicted."""
    if isinstance(head, int):
        return head
    if prediction == "none":
        return None
    return to_view(head) if prediction == "virtual" else LATER
