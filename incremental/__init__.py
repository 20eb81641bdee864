"""The engine: text to words, treebanks, models, configurations, anytime search. No sockets, no clock."""

from treewhile.incremental.output_files import Output, open_output
from treewhile.incremental.projectivized_treebank import (
    Losses,
    Restored,
    complaints_placed,
    projectivize_sentence,
    restore_sentence,
)
from treewhile.incremental.treebank import Sentence, Word, read_sentences

__all__ = [
    "Losses",
    "Output",
    "Restored",
    "Sentence",
    "Word",
    "complaints_placed",
    "open_output",
    "projectivize_sentence",
    "read_sentences",
    "restore_sentence",
]
