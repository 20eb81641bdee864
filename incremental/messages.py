"""Events, messages, and jobs of a session.

An event names a document and what happens to it. Events are structs; a mapping is accepted as well, such as
{"type": "append", "document": "d", "version": 1, "words": ["Peter"]}.

    Open, Append, Edit, Revoke, Finish
        The document has changed; this is its next version. The answer names that among its `answers`: an
        AnalysisMessage or a DeltaMessage for each sentence that is different now, after a SentencesMessage
        where there are more or fewer sentences and a MovedMessage where others stand elsewhere. Better
        analyses follow, until nothing improves any more.
    AskAnalyses
        Say it all again: an AnalysisMessage for each sentence.
    AskMargins
        Which arcs of a sentence are in doubt, and what would stand in their place: a MarginsMessage.
    Gold, Step, Undo, AskSteps
        The true heads of a sentence, a step by hand, taking that back, or a question: a StepsMessage.
    Options
        Go on with other OptionChanges. With the stream "steps" or "plan", a StepsMessage comes unasked
        whenever the next steps are different. With the stream "completeness", a CompletenessMessage comes
        with every version, about the last sentence.
    Close
        The document is done with: a ClosedMessage, and nothing more.

A LanguageMessage comes when the text begins to look like another language than the model's, and when that
ends. A text in a script that the model does not know is kept, and is not analysed until an edit makes it
readable; an ErrorMessage with the code "unsupported_script" says so.

An event that is refused is answered by an ErrorMessage with a code, and changes nothing. A version that is
overtaken before its analysis was made gets no answer of its own: the later answer names both. An analysis
goes through the stages initial, improved and settled, and is final once its sentence has ended. A word that
is not attached yet has the label None here, and "_" in an Analysis, which goes to treebanks.

Messages contain changes; `DocumentView` puts them together, and `apply_delta` applies a single delta. The
fields of each event and message are explained where it is defined: see help(Open).

A `Job` is work that a session hands out by `jobs_to_run()`. `ThreadedSession` and `AsyncSession` run jobs for
you. To run jobs yourself:

    job.run()            gives the result, and `job_done(job, result)` hands it in, once, also where the
                         session does not want it any more. What `run` raises is a result, too
    job.rank             the lower, the sooner it should run
    job.interrupt        `set()` it from any thread, and the job ends soon, with what it has by then; the
                         session asks for the rest. A session sets it itself when something has overtaken
                         the job
    job.document, job.version, job.sentence, job.level
                         what it is about, and the kind of work: L0 attaches words, steps looks for the next
                         steps, L1 and L2 make an analysis better

A job runs once, in any thread; its session can be used meanwhile.
"""

from __future__ import annotations

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    Append,
    AskAnalyses,
    AskMargins,
    AskSteps,
    ChoiceView,
    Close,
    ClosedMessage,
    CompletenessMessage,
    ConflictView,
    DeltaMessage,
    Edit,
    ErrorMessage,
    ExpectedView,
    Finish,
    Gold,
    KnownView,
    LanguageMessage,
    MarginsMessage,
    MarginView,
    MovedMessage,
    Open,
    OptionChanges,
    Options,
    PlannedView,
    Revoke,
    RivalView,
    SentencesMessage,
    Step,
    StepsMessage,
    Undo,
    VirtualView,
    WordView,
    apply_delta,
)

__all__ = [
    "AnalysisMessage",
    "AnyEvent",
    "AnyMessage",
    "Append",
    "AskAnalyses",
    "AskMargins",
    "AskSteps",
    "ChoiceView",
    "Close",
    "ClosedMessage",
    "CompletenessMessage",
    "ConflictView",
    "DeltaMessage",
    "Edit",
    "ErrorMessage",
    "ExpectedView",
    "Finish",
    "Gold",
    "Job",
    "KnownView",
    "LanguageMessage",
    "MarginView",
    "MarginsMessage",
    "MovedMessage",
    "Open",
    "OptionChanges",
    "Options",
    "PlannedView",
    "Revoke",
    "RivalView",
    "SentencesMessage",
    "Step",
    "StepsMessage",
    "Undo",
    "VirtualView",
    "WordView",
    "apply_delta",
]
