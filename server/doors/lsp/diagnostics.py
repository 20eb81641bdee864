"""Diagnostics of an editor, made from violated constraints."""

from __future__ import annotations

import re
from typing import Final

from lsprotocol import types

from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView
from treewhile.server.doors.lsp.settings import BLOCK, Severity

SEVERITIES: Final[dict[Severity, types.DiagnosticSeverity]] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def place_of(conflict: ConflictView, sentence: AnalysisMessage) -> tuple[int, int]:
    """Return the range of the words of a conflict in the document."""
    words = [sentence.words[number - 1] for number in conflict.words]
    start, end = min(word.start for word in words), max(word.end for word in words)
    return sentence.start + start, sentence.start + end


def diagnostic_of(conflict: ConflictView, where: types.Range, severity: Severity) -> types.Diagnostic:
    """Return a conflict as a diagnostic."""
    return types.Diagnostic(
        range=where,
        message=re.sub(r"\*([^*]+)\*", r"“\1”", conflict.message),
        severity=SEVERITIES[severity],
        code=conflict.constraint,
        source=BLOCK,
    )
