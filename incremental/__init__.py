"""The engine: text to words, treebanks, models, configurations, anytime search. No sockets, no clock."""

from treewhile.incremental.interrupts import Interrupt
from treewhile.incremental.output_files import Output, open_output
from treewhile.incremental.parsers.analyses import LATER, Analysis, ExpectedWord, Virtual
from treewhile.incremental.parsers.arc_decoding import decode_prefix, decode_sentence
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import installed_models, load_model
from treewhile.incremental.scores.conll_scores import conll_scores
from treewhile.incremental.session import Session
from treewhile.incremental.sessions.messages import apply_delta
from treewhile.incremental.texts.segmented_text import SegmentedText
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.treebanks.projectivized_treebank import (
    Losses,
    Restored,
    complaints_placed,
    projectivize_sentence,
    restore_sentence,
)
from treewhile.incremental.treebanks.treebank import Sentence, Word, read_sentences

__all__ = [
    "LATER",
    "Analysis",
    "ExpectedWord",
    "GrowingParse",
    "Interrupt",
    "Losses",
    "Model",
    "Output",
    "Restored",
    "SegmentedText",
    "Segmenter",
    "Sentence",
    "Session",
    "Virtual",
    "Word",
    "apply_delta",
    "complaints_placed",
    "conll_scores",
    "decode_prefix",
    "decode_sentence",
    "installed_models",
    "load_model",
    "open_output",
    "projectivize_sentence",
    "read_sentences",
    "restore_sentence",
]
