"""Transcripts that change: from speech recognizers to sessions, and back to incremental units.

    hypotheses ->  Transcript  ->  changes of a document of text, one for each turn
    updates    <-  Listener    <-  messages

A `Listener` does no I/O. A `ThreadedListener`, an `AsyncListener` and, in the server's client, a
`RemoteListener` have the same methods, and run one.
"""
