"""Inlay hints: expected words, shown behind the last word of an unfinished sentence."""

from __future__ import annotations

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage
from treewhile.server.doors.lsp.edited_texts import EditedText


def hint_of(sentence: AnalysisMessage, text: EditedText) -> types.InlayHint | None:
    """Return the hint of a sentence, or None if no word is expected."""
    if sentence.whole or sentence.stage == "final" or not sentence.virtual or not sentence.words:
        return None
    return types.InlayHint(
        position=text.position(sentence.start + sentence.words[-1].end),
        label=" ".join(f"[{one.tag}]" for one in sentence.virtual),
        tooltip="must still come",
        padding_left=True,
    )
