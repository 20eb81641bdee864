"""The engine: text to words, treebanks, models, configurations, anytime search. No sockets, no clock."""

from treewhile.incremental.analyses import LATER, Analysis, ExpectedWord, Virtual
from treewhile.incremental.arc_decoding import decode_prefix, decode_sentence
from treewhile.incremental.conll_scores import conll_scores
from treewhile.incremental.growing_parse import GrowingParse
from treewhile.incremental.output_files import Output, open_output
from treewhile.incremental.parsing import Model
from treewhile.incremental.projectivized_treebank import (
    Losses,
    Restored,
    complaints_placed,
    projectivize_sentence,
    restore_sentence,
)
from treewhile.incremental.segmented_text import SegmentedText
from treewhile.incremental.segmenter import Segmenter
from treewhile.incremental.shipped_models import installed_models, load_model
from treewhile.incremental.treebank import Sentence, Word, read_sentences

__all__ = [
    "LATER",
    "Analysis",
    "ExpectedWord",
    "GrowingParse",
    "Losses",
    "Model",
    "Output",
    "Restored",
    "SegmentedText",
    "Segmenter",
    "Sentence",
    "Virtual",
    "Word",
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
