"""Legal order of events, as one table: the state of a document and the event give the next state.

When you edit the table: a name without a document is *absent*; a document consists of *text*, which the model
segments, or of given *words*. An event that is not in the table is an error, which changes nothing. The
documentation of the protocol is generated from these rows.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    AskSteps,
    Close,
    Edit,
    Event,
    Finish,
    Gold,
    Open,
    Options,
    Revoke,
    Step,
    Undo,
)

State: TypeAlias = Literal["absent", "text", "words"]

# Possible next states; for Open, its fields decide.
AFTER: Final[dict[tuple[State, type[Event]], tuple[State, ...]]] = {
    ("absent", Open): ("text", "words"),
    ("text", Edit): ("text",),
    ("words", Append): ("words",),
    ("words", Revoke): ("words",),
    ("text", Finish): ("text",),
    ("words", Finish): ("words",),
    ("text", Gold): ("text",),
    ("words", Gold): ("words",),
    ("text", Step): ("text",),
    ("words", Step): ("words",),
    ("text", Undo): ("text",),
    ("words", Undo): ("words",),
    ("text", AskSteps): ("text",),
    ("words", AskSteps): ("words",),
    ("text", AskAnalyses): ("text",),
    ("words", AskAnalyses): ("words",),
    ("text", Options): ("text",),
    ("words", Options): ("words",),
    ("text", Close): ("absent",),
    ("words", Close): ("absent",),
}

REASONS: Final[dict[State, str]] = {
    "absent": "is not open: open it first",
    "text": "is an open one of text: edit it, or close it first",
    "words": "is an open one of words: append or revoke words, or close it first",
}
