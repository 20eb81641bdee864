"""Inlay hints: the words that must still come, behind the last one of a sentence that has not ended."""

from __future__ import annotations

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage
from treewhile.server.doors.lsp.edited_texts import EditedText


def hint_of(sentence: AnalysisMessage, text: EditedText) -> types.InlayHint | None:
    """That of a sentence, if something must still come."""
    if sentence.whole or sentence.stage == "final" or not sentence.virtual or not sentence.words:
        return None
    return types.InlayHint(
        position=text.position(sentence.start + sentence.words[-1].end),
        label=" ".join(f"[{one.tag}]" for one in sentence.virtual),
        tooltip="must still come",
        padding_left=True,
    )
