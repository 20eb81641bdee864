"""Diagnostics: what constraints for people say of a sentence, at the words that they are about."""

from __future__ import annotations

import re
from typing import Final

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView
from treewhile.server.doors.lsp.edited_texts import EditedText
from treewhile.server.doors.lsp.settings import BLOCK, Severity

SEVERITIES: Final[dict[Severity, types.DiagnosticSeverity]] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def diagnostic_of(
    conflict: ConflictView, sentence: AnalysisMessage, text: EditedText, severity: Severity
) -> types.Diagnostic:
    """A conflict, from the first of its words to the last."""
    words = [sentence.words[number - 1] for number in conflict.words]
    start, end = min(word.start for word in words), max(word.end for word in words)
    return types.Diagnostic(
        range=text.range(sentence.start + start, sentence.start + end),
        message=re.sub(r"\*([^*]+)\*", r"“\1”", conflict.message),
        severity=SEVERITIES[severity],
        code=conflict.constraint,
        source=BLOCK,
    )
